#include "server/upkeep/optuna.hpp"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "schemas/codec/body.hpp"

namespace hone::upkeep {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The tables of Optuna's RDB storage, including those that stay empty for a finished study.
constexpr char tables[] = R"sql(
CREATE TABLE version_info (version_info_id INTEGER PRIMARY KEY CHECK (version_info_id = 1),
  schema_version INTEGER, library_version VARCHAR(256));
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE TABLE study_directions (study_direction_id INTEGER PRIMARY KEY,
  direction VARCHAR(8) NOT NULL, study_id INTEGER NOT NULL REFERENCES studies (study_id),
  objective INTEGER NOT NULL, UNIQUE (study_id, objective));
CREATE TABLE study_user_attributes (study_user_attribute_id INTEGER PRIMARY KEY,
  study_id INTEGER REFERENCES studies (study_id), "key" VARCHAR(512), value_json TEXT,
  UNIQUE (study_id, "key"));
CREATE TABLE study_system_attributes (study_system_attribute_id INTEGER PRIMARY KEY,
  study_id INTEGER REFERENCES studies (study_id), "key" VARCHAR(512), value_json TEXT,
  UNIQUE (study_id, "key"));
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER,
  study_id INTEGER REFERENCES studies (study_id), state VARCHAR(8) NOT NULL,
  datetime_start DATETIME, datetime_complete DATETIME);
CREATE INDEX ix_trials_study_id ON trials (study_id);
CREATE TABLE trial_user_attributes (trial_user_attribute_id INTEGER PRIMARY KEY,
  trial_id INTEGER REFERENCES trials (trial_id), "key" VARCHAR(512), value_json TEXT,
  UNIQUE (trial_id, "key"));
CREATE TABLE trial_system_attributes (trial_system_attribute_id INTEGER PRIMARY KEY,
  trial_id INTEGER REFERENCES trials (trial_id), "key" VARCHAR(512), value_json TEXT,
  UNIQUE (trial_id, "key"));
CREATE TABLE trial_params (param_id INTEGER PRIMARY KEY,
  trial_id INTEGER REFERENCES trials (trial_id), param_name VARCHAR(512), param_value FLOAT,
  distribution_json TEXT, UNIQUE (trial_id, param_name));
CREATE TABLE trial_values (trial_value_id INTEGER PRIMARY KEY,
  trial_id INTEGER NOT NULL REFERENCES trials (trial_id), objective INTEGER NOT NULL, value FLOAT,
  value_type VARCHAR(7) NOT NULL, UNIQUE (trial_id, objective));
CREATE TABLE trial_intermediate_values (trial_intermediate_value_id INTEGER PRIMARY KEY,
  trial_id INTEGER NOT NULL REFERENCES trials (trial_id), step INTEGER NOT NULL,
  intermediate_value FLOAT, intermediate_value_type VARCHAR(7) NOT NULL, UNIQUE (trial_id, step));
CREATE TABLE trial_heartbeats (trial_heartbeat_id INTEGER PRIMARY KEY,
  trial_id INTEGER NOT NULL UNIQUE REFERENCES trials (trial_id), heartbeat DATETIME NOT NULL);
INSERT INTO version_info VALUES (1, 12, '3.2.0');
INSERT INTO alembic_version VALUES ('v3.2.0.a');
)sql";

// A parameter as Optuna stores it: a number, and its distribution.
struct Drawn {
  double value = 0;
  Json distribution;
};

Json distribution_of(const char* name, Json attributes) {
  Json json;
  json["name"] = name;
  json["attributes"] = std::move(attributes);
  return json;
}

std::optional<Drawn> as_choice(const Json& choices, const Json& value) {
  for (std::size_t i = 0; i < choices.size(); ++i)
    if (choices[i] == value)
      return Drawn{static_cast<double>(i),
                   distribution_of("CategoricalDistribution", {{"choices", choices}})};
  return std::nullopt;
}

std::optional<Drawn> as_number(const Json& domain, const Json& value) {
  const bool whole = domain.at("type") == "int";
  const bool log = domain.value("scale", "linear") == "log";
  const Json step = domain.contains("step") ? domain.at("step") : Json(nullptr);
  Json attributes = {{"low", domain.at("min")}, {"high", domain.at("max")}};
  if (!whole) {
    attributes["step"] = log ? Json(nullptr) : step;
    attributes["log"] = log;
    return Drawn{value.get<double>(), distribution_of("FloatDistribution", attributes)};
  }
  const std::int64_t by = step.is_number_integer() ? step.get<std::int64_t>() : 1;
  attributes["step"] = by;
  attributes["log"] = log && by == 1;  // Optuna has no steps on a logarithmic scale
  return Drawn{value.get<double>(), distribution_of("IntDistribution", attributes)};
}

// nullopt for a parameter that does not vary: a fixed or computed one.
std::optional<Drawn> drawn(const Json& spec, const std::string& name, const Json& value) {
  const Json& parameters = spec.at("parameters");
  if (!parameters.contains(name) || !parameters.at(name).is_object()) return std::nullopt;
  const Json& domain = parameters.at(name);
  const std::string type = domain.value("type", "");
  if (type == "bool") return as_choice(Json::array({false, true}), value);
  if (type == "choice") return as_choice(domain.at("values"), value);
  if ((type == "float" || type == "int") && value.is_number()) return as_number(domain, value);
  return std::nullopt;
}

// "2026-11-21T10:04:05.123456Z" as SQLAlchemy writes it.
std::string date_text(Instant at) {
  std::string text = rfc3339(at);
  text[10] = ' ';
  text.pop_back();
  if (text.size() == 19) text += ".000000";
  return text;
}

const char* state_of(const std::string& state) {
  if (state == "completed") return "COMPLETE";
  if (state == "stopped") return "PRUNED";
  if (state == "failed" || state == "canceled") return "FAIL";
  return "RUNNING";
}

// Whether smaller reports are better. Of a time until a bar, the metric's goal is in the spec.
bool falls(const Json& sweep) {
  const Json& goal = sweep.at("objective").at("goal");
  return (goal == "soonest" ? sweep.at("spec").at("objective").at("goal") : goal) == "minimize";
}

class Writer {
 public:
  Writer(SQLite::Database& db, const Json& sweep)
      : db_(db), sweep_(sweep), minimize_(falls(sweep)) {}

  void write(const std::vector<Json>& rows, const std::vector<Json>& runs) {
    Trials trials;
    for (const Json& run : runs) trials[run.at("number").get<std::int64_t>()].push_back(&run);
    rank(rows, trials);
    SQLite::Transaction transaction(db_);
    db_.exec(tables);
    add_study();
    for (const auto& [number, of_trial] : trials) add_trial(number, of_trial);
    transaction.commit();
  }

 private:
  using Trials = std::map<std::int64_t, std::vector<const Json*>>;  // runs, by number of the trial

  // Finds the value of each trial: that by which it ranks. A complete trial gets none that is
  // better than that of the one before it: what tuning reported of a trial may exceed what was
  // confirmed or is expected of a better one, and Optuna would name it. `rows`: best first.
  void rank(const std::vector<Json>& rows, const Trials& trials) {
    std::optional<double> least;
    for (const Json& row : rows) {
      const auto number = row.at("number").get<std::int64_t>();
      const auto runs = trials.find(number);
      if (runs == trials.end()) continue;
      rows_[number] = &row;
      auto value = value_of(row, runs->second);
      if (!value) continue;
      if (ranks_by_value() && is_complete(runs->second)) {
        if (least && (minimize_ ? *value < *least : *value > *least))
          value = std::nextafter(*least, minimize_ ? infinity : -infinity);
        least = value;
      }
      values_[number] = *value;
    }
  }

  [[nodiscard]] bool ranks_by_value() const {
    return further().empty() && sweep_.at("objective").at("goal") != "soonest";
  }
  static bool is_complete(const std::vector<const Json*>& runs) {
    return std::string_view("COMPLETE") == state_of(runs.front()->at("state").get<std::string>());
  }

  void add_study() {
    SQLite::Statement study(db_, "INSERT INTO studies VALUES (1, ?)");
    study.bind(
        1, sweep_.at("name").get<std::string>() + " (" + sweep_.at("id").get<std::string>() + ")");
    study.exec();
    add_direction(0, minimize_);
    const Json& objectives = further();
    for (std::size_t i = 1; i < objectives.size(); ++i)
      add_direction(i, objectives[i].value("goal", "maximize") == "minimize");
    SQLite::Statement spec(db_,
                           "INSERT INTO study_user_attributes VALUES (1, 1, 'hone_sweep_file', ?)");
    spec.bind(1, to_text(sweep_.at("spec")));
    spec.exec();
  }

  // The objectives of a sweep with several.
  [[nodiscard]] const Json& further() const {
    static const Json none = Json::array();
    const auto found = sweep_.at("spec").find("objectives");
    return found == sweep_.at("spec").end() ? none : *found;
  }

  void add_direction(std::size_t objective, bool minimize) {
    SQLite::Statement direction(db_, "INSERT INTO study_directions VALUES (?, ?, 1, ?)");
    direction.bind(1, static_cast<std::int64_t>(objective) + 1);
    direction.bind(2, minimize ? "MINIMIZE" : "MAXIMIZE");
    direction.bind(3, static_cast<std::int64_t>(objective));
    direction.exec();
  }

  // The values of all objectives, or nothing: Optuna takes a trial with all of them or none.
  [[nodiscard]] std::optional<std::vector<double>> values_of(std::int64_t number) const {
    const auto first = values_.find(number);
    if (first == values_.end()) return std::nullopt;
    std::vector<double> values{first->second};
    const auto row = rows_.find(number);
    for (std::size_t i = 1; i < further().size(); ++i) {
      if (row == rows_.end() || !row->second->at("further").is_object()) return std::nullopt;
      const Json value =
          row->second->at("further").value(further()[i].at("metric").get<std::string>(), Json());
      if (!value.is_number()) return std::nullopt;
      values.push_back(value.get<double>());
    }
    return values;
  }

  // The value by which the trial ranks, or nothing.
  [[nodiscard]] std::optional<double> value_of(const Json& row,
                                               const std::vector<const Json*>& runs) const {
    if (sweep_.at("objective").at("goal") == "soonest") return mean_of_last(runs);
    for (const char* key : {"confirmed", "expected", "value"})
      if (const auto found = row.find(key); found != row.end() && found->is_number())
        return found->get<double>();
    return std::nullopt;
  }

  [[nodiscard]] static std::optional<double> mean_of_last(const std::vector<const Json*>& runs) {
    double sum = 0, count = 0;
    for (const Json* run : runs)
      if (const Json& curve = run->at("curve");
          !curve.empty() && curve.back().at("value").is_number())
        sum += curve.back().at("value").get<double>(), count += 1;
    return count > 0 ? std::optional(sum / count) : std::nullopt;
  }

  void add_trial(std::int64_t number, const std::vector<const Json*>& runs) {
    const Json& first = *runs.front();
    std::string state = state_of(first.at("state").get<std::string>());
    double seconds = 0;
    for (const Json* run : runs)
      if (!run->at("curve").empty())
        seconds = std::max(seconds, run->at("curve").back().value("seconds", 0.0));
    const auto values = values_of(number);
    if (state == "COMPLETE" && !values) state = "FAIL";
    const auto start = parse_rfc3339(sweep_.at("submitted_at").get<std::string>());
    const Instant begun = start.value_or(Instant{});
    SQLite::Statement trial(db_, "INSERT INTO trials VALUES (?, ?, 1, ?, ?, ?)");
    trial.bind(1, number + 1);
    trial.bind(2, number);
    trial.bind(3, state);
    trial.bind(4, date_text(begun));
    if (state != "RUNNING")
      trial.bind(5, date_text(begun + Duration{static_cast<std::int64_t>(seconds * 1e6)}));
    trial.exec();
    if (values && (state == "COMPLETE" || state == "PRUNED"))
      for (std::size_t i = 0; i < values->size(); ++i) add_value(number + 1, i, (*values)[i]);
    add_params(number + 1, first.at("params"));
    add_attribute(number + 1, "hone_trial", first.at("trial"));
    if (const auto row = rows_.find(number); values && ranks_by_value() && row != rows_.end())
      if (const Json& reported = row->second->at("value"); reported != values->front())
        add_attribute(number + 1, "hone_value", reported);
    add_reports(number + 1, first.at("curve"));
  }

  void add_value(std::int64_t trial, std::size_t objective, double value) {
    SQLite::Statement s(db_,
                        "INSERT INTO trial_values (trial_id, objective, value, value_type)"
                        " VALUES (?, ?, ?, 'FINITE')");
    s.bind(1, trial);
    s.bind(2, static_cast<std::int64_t>(objective));
    s.bind(3, value);
    s.exec();
  }

  void add_params(std::int64_t trial, const Json& params) {
    SQLite::Statement s(
        db_,
        "INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json)"
        " VALUES (?, ?, ?, ?)");
    for (const auto& [name, value] : params.items()) {
      const auto one = drawn(sweep_.at("spec"), name, value);
      if (!one) {
        add_attribute(trial, name, value);
        continue;
      }
      s.reset();
      s.bind(1, trial);
      s.bind(2, name);
      s.bind(3, one->value);
      s.bind(4, to_text(one->distribution));
      s.exec();
    }
  }

  void add_attribute(std::int64_t trial, const std::string& name, const Json& value) {
    SQLite::Statement s(
        db_, "INSERT INTO trial_user_attributes (trial_id, \"key\", value_json) VALUES (?, ?, ?)");
    s.bind(1, trial);
    s.bind(2, name);
    s.bind(3, to_text(value));
    s.exec();
  }

  void add_reports(std::int64_t trial, const Json& curve) {
    SQLite::Statement s(db_,
                        "INSERT OR REPLACE INTO trial_intermediate_values (trial_id, step,"
                        " intermediate_value, intermediate_value_type)"
                        " VALUES (?, ?, ?, 'FINITE')");
    for (const Json& point : curve) {
      if (!point.at("value").is_number()) continue;
      s.reset();
      s.bind(1, trial);
      s.bind(2, point.at("step").get<std::int64_t>());
      s.bind(3, point.at("value").get<double>());
      s.exec();
    }
  }

  SQLite::Database& db_;
  const Json& sweep_;
  bool minimize_;
  std::map<std::int64_t, const Json*> rows_;  // of the trials, by number
  std::map<std::int64_t, double> values_;     // that are written, by number
};

}  // namespace

Status write_optuna(const std::string& file, const Json& sweep, const std::vector<Json>& trials,
                    const std::vector<Json>& runs) {
  try {
    SQLite::Database db(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    if (db.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() != 0)
      return refuse(Code::conflict, file + " is a database already: give another name");
    Writer(db, sweep).write(trials, runs);
    return Done{};
  } catch (const SQLite::Exception& trouble) {
    return refuse(Code::unavailable, "cannot write '" + file + "': " + trouble.what());
  } catch (const Json::exception& trouble) {
    return refuse(Code::internal, "the server described the sweep in an unknown form: " +
                                      std::string(trouble.what()));
  }
}

}  // namespace hone::upkeep
