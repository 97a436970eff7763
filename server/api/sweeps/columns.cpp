// The trials of a sweep as columns: one array for each field, for pages that show all of them.
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "db/queries/find.hpp"
#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/find.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/api/sweeps/column_text.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

void add_score(ColumnText& column, const std::optional<Score>& score) {
  if (!score) return column.add_null();
  if (score->is_not_reached()) return column.add_text("\"not_reached\"");
  score->is_diverged() ? column.add_text("\"diverged\"") : column.add(score->value());
}

// A field that every trial has.
struct Field {
  std::string_view name;
  void (*add)(ColumnText&, const TrialCells&);
};
constexpr Field fields[] = {
    {"trial", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.trial.value); }},
    {"number", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.number); }},
    {"state", [](ColumnText& c, const TrialCells& t) { c.add_plain_word(t.state); }},
    {"reason", [](ColumnText& c, const TrialCells& t) { c.add_plain_word(t.reason); }},
    {"value", [](ColumnText& c, const TrialCells& t) { add_score(c, t.value); }},
    {"confirmed", [](ColumnText& c, const TrialCells& t) { add_score(c, t.confirmed); }},
    {"expected", [](ColumnText& c, const TrialCells& t) { add_score(c, t.expected); }},
    {"tier", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.tier); }},
    {"key",
     [](ColumnText& c, const TrialCells& t) {
       t.key < std::numeric_limits<double>::max() ? c.add(t.key) : c.add_null();
     }},
    {"phase", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.phase); }},
    {"seeds", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.runs); }},
    {"proposed",
     [](ColumnText& c, const TrialCells& t) { c.add_integer(t.proposed_at.us / 1000); }},
    {"pinned", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.pinned ? 1 : 0); }},
    {"steps", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.steps); }},
    {"seconds", [](ColumnText& c, const TrialCells& t) { c.add(t.seconds); }},
};
constexpr std::string_view params_prefix = "params.";
constexpr std::string_view further_prefix = "further.";  // before the metric

// The columns of an answer, by the order in which they were asked for.
class Table {
 public:
  Table(const std::string& wanted, const std::vector<std::string>& params,
        const std::vector<std::string>& further) {
    std::string_view rest = wanted;
    while (!rest.empty()) {
      const auto name = rest.substr(0, rest.find(','));
      rest = name.size() == rest.size() ? std::string_view() : rest.substr(name.size() + 1);
      add_columns(name, params, further);
    }
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  void add(const TrialCells& trial) {
    for (auto& [field, column] : plain_) field->add(column, trial);
    for (std::size_t i = 0; i < further_.size(); ++i)
      add_score(further_[i].second,
                i < trial.further.size() ? std::optional(trial.further[i]) : std::nullopt);
    ++rows_;
    if (params_.empty()) return;
    auto expected = params_.begin();
    each_member(trial.params, [&](std::string_view name, std::string_view value) {
      const auto found = find_param(name, expected);
      if (found == params_.end()) return;
      found->column.fill(rows_ - 1);
      found->column.add_value(value);
      expected = found + 1;
    });
  }
  [[nodiscard]] CellsWanted wanted() const {
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(plain_, [&](const auto& one) { return one.first->name == name; });
    };
    return {has("steps"),
            has("seconds"),
            has("proposed"),
            has("pinned"),
            has("confirmed") || has("expected") || has("tier") || has("key"),
            !further_.empty(),
            !params_.empty()};
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  void append_to(std::string& text) {
    for (auto& [field, column] : plain_) column.finish(rows_);
    for (auto& [name, column] : further_) column.finish(rows_);
    for (auto& [name, key, column] : params_) column.finish(rows_);
    std::size_t bytes = text.size() + 64;
    for (const auto& [field, column] : plain_) bytes += column.bytes();
    for (const auto& [name, column] : further_) bytes += column.bytes() + 2 * name.size();
    for (const auto& [name, key, column] : params_) bytes += column.bytes() + 2 * name.size();
    text.reserve(bytes);
    text += '{';
    for (const auto& [field, column] : plain_) append(text, std::string(field->name), column);
    for (const auto& [name, column] : further_)
      append(text, std::string(further_prefix) + name, column);
    for (const auto& [name, key, column] : params_)
      append(text, std::string(params_prefix) + name, column);
    text += '}';
  }

 private:
  static void append(std::string& text, const std::string& name, const ColumnText& column) {
    text += (text.ends_with('{') ? "" : ",") + to_text(Json(name)) + ":";
    column.append_to(text);
  }
  void add_columns(std::string_view name, const std::vector<std::string>& params,
                   const std::vector<std::string>& further) {
    if (name == "further.*") {
      further_.clear();
      for (const auto& metric : further) further_.emplace_back(metric, ColumnText());
      return;
    }
    if (name == "params.*") {
      for (const auto& param : params) add_param(param);
      return;
    }
    if (name.starts_with(params_prefix)) {
      const std::string param(name.substr(params_prefix.size()));
      if (std::ranges::find(params, param) == params.end()) return refuse_name(name);
      return add_param(param);
    }
    const auto* found = std::ranges::find(fields, name, &Field::name);
    if (found == std::end(fields)) return refuse_name(name);
    plain_.emplace_back(found, ColumnText());
  }
  // Twice the same name has one column.
  void add_param(const std::string& name) {
    if (std::ranges::find(params_, name, &Param::name) != params_.end()) return;
    params_.push_back({name, to_text(Json(name)), {}});
  }
  void refuse_name(std::string_view name) {
    error_ = refuse(Code::invalid, "there is no field '" + std::string(name) + "'", "/fields");
  }

  struct Param {
    std::string name;
    std::string key;  // as JSON
    ColumnText column;
  };
  // Most trials name their parameters in the order of the sweep file.
  std::vector<Param>::iterator find_param(std::string_view key,
                                          std::vector<Param>::iterator expected) {
    if (expected != params_.end() && expected->key == key) return expected;
    return std::ranges::find(params_, key, &Param::key);
  }

  std::vector<std::pair<const Field*, ColumnText>> plain_;
  std::vector<std::pair<std::string, ColumnText>> further_;  // by metric: all of the sweep, or none
  std::vector<Param> params_;
  std::size_t rows_ = 0;
  std::optional<Error> error_;
};

std::vector<std::string> param_names(const SweepSpec& spec) {
  std::vector<std::string> names;
  for (const auto& parameter : spec.parameters) names.push_back(parameter.name);
  return names;
}

// The trials to return; nullopt for all of them.
Result<std::optional<std::vector<TrialId>>> wanted_trials(SQLite::Database& db,
                                                          const Request& request, SweepId sweep) {
  std::optional<std::vector<TrialId>> none;
  if (const auto* text = query_value(request, Query::where)) {
    auto trials = trials_where(db, *text, request.now, sweep);
    if (!trials) return trials.error();
    return std::optional(*std::move(trials));
  }
  const auto after = integer_query(request, Query::after, 0, 0, INT64_MAX);
  if (!after) return after.error();
  if (*after == 0) return none;
  return changed_trials(db, sweep, *after, limits::changed_events_max);
}

std::vector<std::string> further_names(const SweepSpec& spec) {
  std::vector<std::string> names;
  for (const auto& objective : spec.further_objectives) names.push_back(objective.metric);
  return names;
}

}  // namespace

// GET /v1/sweeps/{sweep}/columns
ReadResult columns(SQLite::Database& db, const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const Snapshot snapshot(db);
  const auto sweep = find_sweep(db, *id);
  if (!sweep) return sweep.error();
  if (sweep->trials_proposed > limits::columns_rows_max)
    return refuse(Code::too_large, "the sweep has more than " +
                                       std::to_string(limits::columns_rows_max) +
                                       " trials; use `hone export` or /trials");
  const auto spec = spec_of(*sweep);
  if (!spec) return spec.error();
  const auto* wanted = query_value(request, Query::fields);
  Table table(wanted == nullptr ? "trial,number,state,reason,value,phase,seeds,params.*" : *wanted,
              param_names(*spec), further_names(*spec));
  if (table.error()) return *table.error();
  const auto only = wanted_trials(db, request, *id);
  if (!only) return only.error();
  each_trial(db, *id, sweep->objective.goal, table.wanted(), *only ? &**only : nullptr,
             [&](const TrialCells& trial) { table.add(trial); });
  Response response;
  response.body = "{\"seq\":" + std::to_string(last_seq(db)) + ",\"sweep\":\"" + text(*id) +
                  "\",\"complete\":" + (*only ? "false" : "true") +
                  ",\"rows\":" + std::to_string(table.rows()) + ",\"columns\":";
  table.append_to(response.body);
  response.body += '}';
  return response;
}

}  // namespace hone::api
