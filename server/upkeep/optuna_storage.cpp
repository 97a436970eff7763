#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "server/upkeep/optuna_study.hpp"

namespace hone::upkeep {
namespace {

std::optional<OptunaState> state_named(const std::string& name) {
  if (name == "RUNNING") return OptunaState::running;
  if (name == "COMPLETE") return OptunaState::complete;
  if (name == "PRUNED") return OptunaState::pruned;
  if (name == "FAIL") return OptunaState::failed;
  if (name == "WAITING") return OptunaState::waiting;
  return std::nullopt;
}

// Reads the tables of one study. Rows of a trial are found by its id.
class StudyReader {
 public:
  StudyReader(SQLite::Database& db, std::int64_t id, OptunaStudy& study)
      : db_(db), id_(id), study_(study) {}

  Status read() {
    read_directions();
    if (auto read = read_trials(); !read) return read;
    if (auto read = read_params(); !read) return read;
    read_values();
    read_intermediate_values();
    for (const char* table : {"trial_user_attributes", "trial_system_attributes"})
      study_.attributes += count(std::string("SELECT count(*) FROM ") + table +
                                 " WHERE trial_id IN (SELECT trial_id FROM trials"
                                 " WHERE study_id = ?)");
    return Done{};
  }

 private:
  SQLite::Statement select(const std::string& sql) {
    SQLite::Statement statement(db_, sql);
    statement.bind(1, id_);
    return statement;
  }

  std::int64_t count(const std::string& sql) {
    SQLite::Statement statement = select(sql);
    return statement.executeStep() ? statement.getColumn(0).getInt64() : 0;
  }

  void read_directions() {
    auto rows =
        select("SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective");
    while (rows.executeStep())
      study_.maximize.push_back(rows.getColumn(0).getString() == "MAXIMIZE");
  }

  Status read_trials() {
    auto rows = select(
        "SELECT trial_id, state, datetime_start, datetime_complete FROM trials WHERE study_id = ?"
        " ORDER BY number, trial_id");
    while (rows.executeStep()) {
      const std::string name = rows.getColumn(1).getString();
      const auto state = state_named(name);
      if (!state)
        return refuse(Code::invalid, "a trial of Optuna has no state '" + name + "'", "/trials");
      if (study_.trials.size() >= optuna_trials_max)
        return refuse(Code::too_large, "the study has more than a million trials");
      places_[rows.getColumn(0).getInt64()] = study_.trials.size();
      study_.trials.push_back({.state = *state,
                               .started = optuna_time(rows.getColumn(2).getString()),
                               .ended = optuna_time(rows.getColumn(3).getString())});
    }
    return Done{};
  }

  OptunaTrial* trial(const SQLite::Column& id) {
    const auto found = places_.find(id.getInt64());
    return found == places_.end() ? nullptr : &study_.trials[found->second];
  }

  Status read_params() {
    auto rows = select(
        "SELECT p.trial_id, p.param_name, p.param_value, p.distribution_json FROM trial_params p"
        " JOIN trials t ON t.trial_id = p.trial_id WHERE t.study_id = ? ORDER BY p.param_id");
    while (rows.executeStep()) {
      OptunaTrial* one = trial(rows.getColumn(0));
      const auto distribution = distributions_.add(study_, rows.getColumn(3).getString());
      if (!distribution) return distribution.error();
      if (!std::isfinite(rows.getColumn(2).getDouble()))
        return refuse(Code::invalid,
                      "the parameter '" + rows.getColumn(1).getString() + "' is not finite");
      if (one != nullptr && one->params.size() >= optuna_params_max)
        return refuse(Code::too_large, "a trial has more than 1,000 parameters");
      if (one != nullptr)
        one->params.push_back(
            {rows.getColumn(1).getString(), rows.getColumn(2).getDouble(), *distribution});
    }
    return Done{};
  }

  // Storages before Optuna 3 have no column of types: their values are finite.
  bool has_column(const std::string& table, const std::string& name) {
    SQLite::Statement s(db_, "SELECT count(*) FROM pragma_table_info(?) WHERE name = ?");
    s.bind(1, table);
    s.bind(2, name);
    return s.executeStep() && s.getColumn(0).getInt() > 0;
  }

  void read_values() {
    const bool typed = has_column("trial_values", "value_type");
    auto rows =
        select(std::string("SELECT v.trial_id, v.value, ") + (typed ? "v.value_type" : "'FINITE'") +
               " FROM trial_values v JOIN trials t ON t.trial_id = v.trial_id"
               " WHERE t.study_id = ? ORDER BY v.trial_id, v.objective");
    while (rows.executeStep()) {
      OptunaTrial* one = trial(rows.getColumn(0));
      if (one == nullptr) continue;
      const bool finite = rows.getColumn(2).getString() == "FINITE" && !rows.isColumnNull(1) &&
                          std::isfinite(rows.getColumn(1).getDouble());
      one->values.push_back(finite ? std::optional(rows.getColumn(1).getDouble()) : std::nullopt);
    }
  }

  void read_intermediate_values() {
    auto rows = select(
        "SELECT i.trial_id, i.step, i.intermediate_value FROM trial_intermediate_values i"
        " JOIN trials t ON t.trial_id = i.trial_id WHERE t.study_id = ?"
        " ORDER BY i.trial_id, i.step");
    while (rows.executeStep()) {
      OptunaTrial* one = trial(rows.getColumn(0));
      if (one == nullptr) continue;
      if (rows.isColumnNull(2) || !std::isfinite(rows.getColumn(2).getDouble()))
        ++study_.infinite;
      else
        one->intermediate.emplace_back(rows.getColumn(1).getInt64(), rows.getColumn(2).getDouble());
    }
  }

  SQLite::Database& db_;
  std::int64_t id_;
  OptunaStudy& study_;
  Distributions distributions_;
  std::map<std::int64_t, std::size_t> places_;  // by trial_id
};

// A view may never end, and a generated column may be larger than the file.
Status check_tables(SQLite::Database& db) {
  for (const char* name :
       {"studies", "study_directions", "trials", "trial_params", "trial_values",
        "trial_intermediate_values", "trial_user_attributes", "trial_system_attributes"}) {
    SQLite::Statement plain(db,
                            "SELECT type = 'table' AND rootpage > 0 FROM sqlite_schema"
                            " WHERE name = ?1 AND NOT EXISTS (SELECT * FROM pragma_table_xinfo(?1)"
                            " WHERE hidden <> 0)");
    plain.bind(1, name);
    if (!plain.executeStep() || plain.getColumn(0).getInt() == 0)
      return refuse(Code::invalid,
                    std::string("is no storage of Optuna: there is no plain table ") + name);
  }
  return Done{};
}

Result<std::vector<OptunaStudy>> read_studies(const std::string& file) {
  SQLite::Database db(file, SQLite::OPEN_READONLY);
  db.exec("PRAGMA trusted_schema = OFF");
  if (auto plain = check_tables(db); !plain) return plain.error();
  std::vector<OptunaStudy> studies;
  SQLite::Statement rows(db, "SELECT study_id, study_name FROM studies ORDER BY study_id");
  while (rows.executeStep()) {
    if (studies.size() >= optuna_studies_max)
      return refuse(Code::too_large, "the storage has more than 1,000 studies");
    OptunaStudy study{.name = rows.getColumn(1).getString()};
    if (auto read = StudyReader(db, rows.getColumn(0).getInt64(), study).read(); !read)
      return read.error();
    studies.push_back(std::move(study));
  }
  return studies;
}

}  // namespace

Result<std::vector<OptunaStudy>> read_optuna_storage(const std::string& file) {
  try {
    return read_studies(file);
  } catch (const SQLite::Exception& error) {
    return refuse(Code::invalid, std::string("is no storage of Optuna: ") + error.what());
  }
}

OptunaFile optuna_file(const std::string& file) {
  std::error_code absent;  // a pipe would wait for its writer
  if (!std::filesystem::is_regular_file(file, absent)) return OptunaFile::other;
  char begin[16] = {};
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin, sizeof begin);
  const std::string_view text(begin, static_cast<std::size_t>(stream.gcount()));
  if (text.starts_with("SQLite format 3")) return OptunaFile::storage;
  if (text.starts_with("{\"op_code\"")) return OptunaFile::journal;
  return OptunaFile::other;
}

Result<std::size_t> Distributions::add(OptunaStudy& study, const std::string& text) {
  const auto found = known_.find(text);
  if (found != known_.end()) return found->second;
  if (known_.size() >= optuna_distributions_max)
    return refuse(Code::too_large, "a study has more than " +
                                       std::to_string(optuna_distributions_max) +
                                       " distributions of parameters");
  auto json = parse_json(text);
  if (!json) return refuse(Code::invalid, "a distribution is not JSON: " + json.error().detail);
  const auto has = [&](const char* name, Json::value_t type) {
    const auto member = json->find(name);
    return member != json->end() && member->type() == type;
  };
  if (!has("name", Json::value_t::string) || !has("attributes", Json::value_t::object))
    return refuse(Code::invalid, "a distribution has no name or no attributes");
  study.distributions.push_back(*std::move(json));
  known_[text] = study.distributions.size() - 1;
  return study.distributions.size() - 1;
}

std::optional<Instant> optuna_time(std::string text) {
  constexpr std::size_t date_length = 10, seconds_length = 19;
  if (text.size() < seconds_length) return std::nullopt;
  text[date_length] = 'T';
  const bool zoned = text.ends_with('Z') || text.find('+', seconds_length) != text.npos ||
                     text.find('-', seconds_length) != text.npos;
  return parse_rfc3339(zoned ? text : text + "Z");
}

}  // namespace hone::upkeep
