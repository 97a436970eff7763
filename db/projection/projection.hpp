// Folds events into the query tables (migrations/0002_projection.sql), inside the transaction that
// appends them.
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>
#include <optional>

#include "schemas/types/ids.hpp"

namespace hone {

struct Event;
struct EventBody;

struct ProjectionStatements;

class Projection {
 public:
  // Prepares its statements once.
  explicit Projection(SQLite::Database& db);
  ~Projection();

  // The sweep that an event belongs to, from the events before it; nullopt for server_started,
  // worker_joined, ...
  std::optional<SweepId> sweep_of(const EventBody& body);

  // Precondition: the events before it were folded. Accepts every event that decide produces;
  // others may break a constraint and throw SQLite::Exception.
  void fold(const Event& event);

  // fold() holds back changes that several events of a batch make to one row. Call flush() before
  // the commit, and before a read of the tables in the same transaction.
  void flush();
  // Forgets what it holds back and remembers. Call after a rollback.
  void forget();

 private:
  std::unique_ptr<ProjectionStatements> statements_;
};

}  // namespace hone
