#include "db/projection/knowledge_rows.hpp"

#include <SQLiteCpp/Statement.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "db/sql.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/edit.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/spec.hpp"

namespace hone {

struct KnowledgeStatements {
  explicit KnowledgeStatements(SQLite::Database& database) : db(database) {}
  SQLite::Database& db;

  SQLite::Statement add_param{db,
                              "INSERT INTO param (trial, name, number, text) VALUES (?, ?, ?, ?)"};
  std::optional<std::int64_t> indexed;  // trials up to this one; nullopt before the first look-up
  SQLite::Statement last_indexed{db, "SELECT coalesce(max(trial), 0) FROM param_indexed"};
  SQLite::Statement index_numbers{db,
                                  "INSERT INTO param_number SELECT name, number, trial FROM param"
                                  " WHERE trial > ? AND number IS NOT NULL ORDER BY name, number"};
  SQLite::Statement index_texts{db,
                                "INSERT INTO param_text SELECT name, text, trial FROM param"
                                " WHERE trial > ? AND text IS NOT NULL ORDER BY name, text"};
  SQLite::Statement forget_indexed{db, "DELETE FROM param_indexed"};
  SQLite::Statement note_indexed{db, "INSERT INTO param_indexed VALUES (?)"};

  SQLite::Statement set_origin{db, "UPDATE trial SET origin = ?2 WHERE id = ?1"};
  SQLite::Statement set_creator{db, "UPDATE trial SET creator = ?2 WHERE id = ?1"};
  SQLite::Statement set_cost{
      db, "UPDATE trial SET expected_seconds = ?2, cost_weight = ?3 WHERE id = ?1"};
  SQLite::Statement fork{db, "UPDATE sweep SET forked_from = ?2 WHERE id = ?1"};
  SQLite::Statement warm{db,
                         "INSERT OR IGNORE INTO warm_start (sweep, earlier, position)"
                         " VALUES (?, ?, ?)"};
  SQLite::Statement note{db, "INSERT INTO note (object, text, author, at) VALUES (?, ?, ?, ?)"};
  SQLite::Statement tag{db, "INSERT OR IGNORE INTO tag (object, tag, at) VALUES (?, ?, ?)"};
  SQLite::Statement untag{db, "DELETE FROM tag WHERE object = ? AND tag = ?"};
  SQLite::Statement archive{db, "UPDATE sweep SET archived_at = ?2 WHERE id = ?1"};
  SQLite::Statement pin{db, "UPDATE trial SET pinned_at = ?2 WHERE id = ?1"};
  SQLite::Statement spec{db, "SELECT spec FROM sweep WHERE id = ?"};
  SQLite::Statement edit_sweep{db, "UPDATE sweep SET spec = ?2, trials = ?3 WHERE id = ?1"};
  SQLite::Statement edit{db, "INSERT INTO edit (sweep, what, at) VALUES (?, ?, ?)"};
  SQLite::Statement import{db, "UPDATE sweep SET imported_at = ?2 WHERE id = ?1"};
  SQLite::Statement snapshot{db,
                             "INSERT OR IGNORE INTO snapshot (sha256, sweep, bytes)"
                             " VALUES (?, ?, ?)"};
  std::optional<bool> importing;  // nullopt before the first look-up
  SQLite::Statement find_import{
      db, "SELECT EXISTS (SELECT 1 FROM unfinished_import WHERE dropped = 0)"};
  SQLite::Statement begin_import{db,
                                 "INSERT INTO unfinished_import VALUES"
                                 " (?1, 0, ?2, ?2 + ?3, ?4, ?4 + ?5, ?6, ?6 + ?7, ?8, ?8 + ?9)"};
  SQLite::Statement end_import{db, "DELETE FROM unfinished_import WHERE sweep = ?"};
  SQLite::Statement drop_import{db, "UPDATE unfinished_import SET dropped = 1 WHERE sweep = ?"};
  SQLite::Statement model{db, "SELECT sweep FROM model WHERE id = ?"};
};

namespace {

// The number of trials that the index of values takes at once: enough to write its pages more than
// once, few enough to be read one by one before, and to be written in a few milliseconds.
constexpr std::int64_t trials_between_indexing = 1024;

struct AsNumber {
  std::optional<double> operator()(bool value) const { return value ? 1.0 : 0.0; }
  std::optional<double> operator()(std::int64_t value) const { return static_cast<double>(value); }
  std::optional<double> operator()(double value) const { return value; }
  std::optional<double> operator()(const std::string&) const { return std::nullopt; }
  std::optional<double> operator()(const JsonText&) const { return std::nullopt; }
};

SweepSpec read_spec(SQLite::Statement& select, SweepId sweep) {
  sql::bind(select, sweep);
  const std::string text = select.executeStep() ? select.getColumn(0).getString() : "";
  select.reset();
  const auto document = parse_json(text);
  auto spec =
      document ? decode_recorded<SweepSpec>(*document) : Result<SweepSpec>(document.error());
  if (!spec) throw std::runtime_error("the spec of " + hone::text(sweep) + " cannot be read");
  return *std::move(spec);
}

std::optional<Instant> when(bool set, Instant at) { return set ? std::optional(at) : std::nullopt; }

}  // namespace

KnowledgeRows::KnowledgeRows(SQLite::Database& db)
    : statements_(std::make_unique<KnowledgeStatements>(db)) {}
KnowledgeRows::~KnowledgeRows() = default;

void KnowledgeRows::add_snapshots(SweepId sweep, const SweepSpec& spec) {
  for (const CommandTrainer* command : commands_of(spec))
    if (command->code && !command->code->sha256.empty())
      sql::run(statements_->snapshot, command->code->sha256, sweep, command->code->bytes);
}

void KnowledgeRows::add(const SweepSubmitted& e, bool elsewhere) {
  add_snapshots(e.sweep, e.spec);
  if (elsewhere) return;
  if (e.forked_from) sql::run(statements_->fork, e.sweep, *e.forked_from);
  std::int64_t position = 0;
  for (const SweepId earlier : e.spec->search.warm_start)
    sql::run(statements_->warm, e.sweep, earlier, position++);
}

void KnowledgeRows::add(const TrialProposed& e) {
  for (const Param& param : e.params) {
    std::optional<std::string> text;
    if (const auto* words = std::get_if<std::string>(&param.value)) text = *words;
    if (const auto* json = std::get_if<JsonText>(&param.value)) text = json->text;
    sql::run(statements_->add_param, e.trial, param.name, std::visit(AsNumber{}, param.value),
             text);
  }
  if (e.from) sql::run(statements_->set_origin, e.trial, *e.from);
  if (!e.creator.empty()) sql::run(statements_->set_creator, e.trial, e.creator);
  if (e.cost) sql::run(statements_->set_cost, e.trial, e.cost->phase_seconds, e.cost->weight);
  index_up_to(e.trial);
}

void KnowledgeRows::index_up_to(TrialId trial) {
  KnowledgeStatements& s = *statements_;
  if (!s.indexed) {
    s.last_indexed.executeStep();
    s.indexed = s.last_indexed.getColumn(0).getInt64();
    s.last_indexed.reset();
  }
  if (trial.value < *s.indexed + trials_between_indexing) return;
  // Trials of an import may still come below this one.
  if (!s.importing) {
    s.find_import.executeStep();
    s.importing = s.find_import.getColumn(0).getInt() != 0;
    s.find_import.reset();
  }
  if (*s.importing) return;
  sql::run(s.index_numbers, *s.indexed);
  sql::run(s.index_texts, *s.indexed);
  sql::run(s.forget_indexed);
  sql::run(s.note_indexed, trial);
  s.indexed = trial.value;
}

void KnowledgeRows::forget() {
  statements_->indexed.reset();
  statements_->importing.reset();
}

void KnowledgeRows::add(const NoteAdded& e, Instant at) {
  sql::run(statements_->note, text(e.on), e.text, e.author, at);
}

void KnowledgeRows::add(const TagsChanged& e, Instant at) {
  for (const std::string& tag : e.removed) sql::run(statements_->untag, text(e.on), tag);
  for (const std::string& tag : e.added) sql::run(statements_->tag, text(e.on), tag, at);
}

void KnowledgeRows::add(const SweepArchived& e, Instant at) {
  sql::run(statements_->archive, e.sweep, when(e.archived, at));
}

void KnowledgeRows::add(const TrialPinned& e, Instant at) {
  sql::run(statements_->pin, e.trial, when(e.pinned, at));
}

void KnowledgeRows::add(const SweepEdited& e, Instant at) {
  SweepSpec spec = read_spec(statements_->spec, e.sweep);
  apply(e, spec);
  add_snapshots(e.sweep, spec);
  sql::run(statements_->edit_sweep, e.sweep, to_text(encode(spec)), spec.search.trials);
  Json what = encode(EventBody(e));
  what.erase("sweep");
  what.erase("request_id");
  sql::run(statements_->edit, e.sweep, to_text(what), at);
}

void KnowledgeRows::add(const SweepImported& e, Instant at) {
  KnowledgeStatements& s = *statements_;
  s.importing.reset();
  switch (e.part) {
    case ImportPart::whole:
      return void(sql::run(s.import, e.sweep, at));
    case ImportPart::first: {
      const ImportedIds ids = e.ids.value_or(ImportedIds{});
      sql::run(s.import, e.sweep, at);
      return void(sql::run(s.begin_import, e.sweep, ids.trials.after, ids.trials.count,
                           ids.leases.after, ids.leases.count, ids.models.after, ids.models.count,
                           ids.evaluations.after, ids.evaluations.count));
    }
    case ImportPart::further:
      return;
    case ImportPart::last:
      return void(sql::run(s.end_import, e.sweep));
    case ImportPart::dropped:
      return void(sql::run(s.drop_import, e.sweep));
  }
}

std::optional<std::int64_t> KnowledgeRows::sweep_of(ModelId model) {
  sql::bind(statements_->model, model);
  std::optional<std::int64_t> sweep;
  if (statements_->model.executeStep()) sweep = statements_->model.getColumn(0).getInt64();
  statements_->model.reset();
  return sweep;
}

}  // namespace hone
