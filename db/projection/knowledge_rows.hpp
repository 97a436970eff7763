// The part of the projection behind searches, notes and tags (migrations/0009_knowledge.sql).
// Internal to db.
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>

#include "schemas/types/event.hpp"

namespace hone {

struct KnowledgeStatements;

class KnowledgeRows {
 public:
  // Prepares its statements once.
  explicit KnowledgeRows(SQLite::Database& db);
  ~KnowledgeRows();

  // Precondition: the sweep's own row is written. `elsewhere`: the sweeps that it names belong to
  // another data folder.
  void add(const SweepSubmitted& e, bool elsewhere);
  void add(const TrialProposed& e);

  void add(const NoteAdded& e, Instant at);
  void add(const TagsChanged& e, Instant at);
  void add(const SweepArchived& e, Instant at);
  void add(const TrialPinned& e, Instant at);
  void add(const SweepEdited& e, Instant at);
  void add(const SweepImported& e, Instant at);  // only the fact; call once its past is folded

  std::optional<std::int64_t> sweep_of(ModelId model);

  void forget();  // call after a rollback

 private:
  void add_snapshots(SweepId sweep, const SweepSpec& spec);
  // Adds the parameters to the index of values once enough trials have accumulated.
  void index_up_to(TrialId trial);

  std::unique_ptr<KnowledgeStatements> statements_;
};

}  // namespace hone
