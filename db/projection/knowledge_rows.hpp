// The part of the projection that makes things findable (migrations/0009_knowledge.sql). Inside db/
// only.
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>

#include "schemas/types/event.hpp"

namespace hone {

class KnowledgeRows {
 public:
  // Prepares its statements once.
  explicit KnowledgeRows(SQLite::Database& db);
  ~KnowledgeRows();

  // After the row of its own was written. `elsewhere`: the sweeps it names are not of this folder.
  void add(const SweepSubmitted& e, bool elsewhere);
  void add(const TrialProposed& e);

  void add(const NoteAdded& e, Instant at);
  void add(const TagsChanged& e, Instant at);
  void add(const SweepArchived& e, Instant at);
  void add(const TrialPinned& e, Instant at);
  void add(const SweepEdited& e, Instant at);
  void add(const SweepImported& e, Instant at);  // that it was; not what happened to it

  std::optional<std::int64_t> sweep_of(ModelId model);

  void forget();  // the transaction was rolled back

 private:
  // The parameters of many trials by value, when enough have come together.
  void index_up_to(TrialId trial);

  struct Statements;
  std::unique_ptr<Statements> statements_;
};

}  // namespace hone
