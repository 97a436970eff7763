// Folds events into the query tables (migrations/0002_projection.sql), inside the transaction that
// appends them.
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>
#include <optional>

#include "schemas/types/event.hpp"

namespace hone {

class Projection {
 public:
  // Prepares its statements once.
  explicit Projection(SQLite::Database& db);
  ~Projection();

  // The sweep an event belongs to, as far as the events before it tell; nullopt for server_started,
  // worker_joined, ...
  std::optional<SweepId> sweep_of(const EventBody& body);

  // Precondition: the events before it were folded. Total over what decide produces; anything else
  // breaks a foreign key or a uniqueness and throws SQLite::Exception.
  void fold(const Event& event);

  // fold() holds back what several events of a batch change in one row. Writes it: before the
  // commit, and before anybody reads the tables in the same transaction.
  void flush();
  // The transaction was rolled back: nothing of it is known.
  void forget();

 private:
  struct Statements;
  std::unique_ptr<Statements> statements_;
};

}  // namespace hone
