// The trials of a sweep as columns: one array for each field, for pages that show all of them.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "db/queries/find.hpp"
#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/progress.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

void append_number(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

// A JSON array under construction. Texts become codes of a list of words.
class ColumnText {
 public:
  void add_null() { add_text("null"); }
  void add_text(std::string_view json) {
    next();
    cells_ += json;
  }
  void add(double value) {
    next();
    append_number(cells_, value);
  }
  void add_integer(std::int64_t value) { add_text(std::to_string(value)); }
  void add_word(const Json& word) {
    const auto [at, is_new] = codes_.try_emplace(to_text(word), codes_.size());
    if (is_new) words_.push_back(word);
    add_text(std::to_string(at->second));
  }
  void fill(std::size_t rows) {  // nulls up to this length
    while (rows_ < rows) add_null();
  }
  // Numbers so far become words, as soon as the column has another kind of value.
  void add_value(const Json& value) {
    if (!coded_ && !value.is_number()) recode();
    coded_ ? add_word(value) : add_text(to_text(value));
  }
  [[nodiscard]] std::string json() const {
    if (words_.empty()) return "[" + cells_ + "]";
    return "{\"words\":" + to_text(words_) + ",\"codes\":[" + cells_ + "]}";
  }

 private:
  void next() {
    if (rows_++ > 0) cells_ += ',';
  }
  void recode() {
    const auto numbers = parse_json("[" + cells_ + "]");
    cells_.clear();
    rows_ = 0;
    coded_ = true;
    if (!numbers) return;
    for (const auto& number : *numbers) number.is_null() ? add_null() : add_word(number);
  }

  std::string cells_;
  std::size_t rows_ = 0;
  bool coded_ = false;
  std::map<std::string, std::size_t> codes_;
  Json words_ = Json::array();
};

// A field that every trial has.
struct Field {
  std::string_view name;
  void (*add)(ColumnText&, const TrialCells&);
};
constexpr Field fields[] = {
    {"trial", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.trial.value); }},
    {"number", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.number); }},
    {"state", [](ColumnText& c, const TrialCells& t) { c.add_word(word(t.state)); }},
    {"reason", [](ColumnText& c, const TrialCells& t) { c.add_word(word(t.reason)); }},
    {"value",
     [](ColumnText& c, const TrialCells& t) {
       if (!t.value) return c.add_null();
       t.value->is_diverged() ? c.add_text("\"diverged\"") : c.add(t.value->value());
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

// The columns of an answer, by the order in which they were asked for.
class Table {
 public:
  Table(const std::string& wanted, const std::vector<std::string>& params) {
    std::string_view rest = wanted;
    while (!rest.empty()) {
      const auto name = rest.substr(0, rest.find(','));
      rest = name.size() == rest.size() ? std::string_view() : rest.substr(name.size() + 1);
      add_columns(name, params);
    }
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

  void add(const TrialCells& trial) {
    for (auto& [field, column] : plain_) field->add(column, trial);
    ++rows_;
    if (params_.empty()) return;
    const auto values = parse_json(trial.params);
    if (!values || !values->is_object()) return;
    for (auto& [name, column] : params_) {
      const auto found = values->find(name);
      column.fill(rows_ - 1);
      found == values->end() ? column.add_null() : column.add_value(*found);
    }
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::string json() {
    std::string text = "{";
    for (const auto& [field, column] : plain_) append(text, std::string(field->name), column);
    for (auto& [name, column] : params_) {
      column.fill(rows_);
      append(text, std::string(params_prefix) + name, column);
    }
    return text + "}";
  }

 private:
  static void append(std::string& text, const std::string& name, const ColumnText& column) {
    text += (text.size() > 1 ? "," : "") + to_text(Json(name)) + ":" + column.json();
  }
  void add_columns(std::string_view name, const std::vector<std::string>& params) {
    if (name == "params.*") {
      for (const auto& param : params) params_.emplace_back(param, ColumnText());
      return;
    }
    if (name.starts_with(params_prefix)) {
      const std::string param(name.substr(params_prefix.size()));
      if (std::ranges::find(params, param) == params.end()) return refuse_name(name);
      params_.emplace_back(param, ColumnText());
      return;
    }
    const auto* found = std::ranges::find(fields, name, &Field::name);
    if (found == std::end(fields)) return refuse_name(name);
    plain_.emplace_back(found, ColumnText());
  }
  void refuse_name(std::string_view name) {
    error_ = refuse(Code::invalid, "there is no field '" + std::string(name) + "'", "/fields");
  }

  std::vector<std::pair<const Field*, ColumnText>> plain_;
  std::vector<std::pair<std::string, ColumnText>> params_;
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
    const auto where = read_filter(*text, request.now, filter::ObjectKind::trial);
    if (!where) return where.error();
    FindScope scope;
    scope.sweep = sweep;
    scope.order = FindOrder::number;
    const auto ids = find_ids(db, *where, scope, {limits::columns_rows_max, {}});
    if (!ids) return ids.error();
    std::vector<TrialId> trials;
    for (const auto& id : ids->items) trials.push_back(std::get<TrialId>(id));
    return std::optional(std::move(trials));
  }
  const auto after = integer_query(request, Query::after, 0, 0, INT64_MAX);
  if (!after) return after.error();
  if (*after == 0) return none;
  return changed_trials(db, sweep, *after, limits::changed_events_max);
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
              param_names(*spec));
  if (table.error()) return *table.error();
  const auto only = wanted_trials(db, request, *id);
  if (!only) return only.error();
  each_trial(db, *id, sweep->objective.goal, *only ? &**only : nullptr,
             [&](const TrialCells& trial) { table.add(trial); });
  Response response;
  response.body = "{\"seq\":" + std::to_string(last_seq(db)) + ",\"sweep\":\"" + text(*id) +
                  "\",\"complete\":" + (*only ? "false" : "true") +
                  ",\"rows\":" + std::to_string(table.rows()) + ",\"columns\":" + table.json() +
                  "}";
  return response;
}

}  // namespace hone::api
