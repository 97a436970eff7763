// The trials of a sweep as columns: one array for each field, for pages that show all of them.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/ascii.hpp"
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

constexpr std::size_t even_rows_least = 100;

// A JSON array under construction. Values that are not numbers become codes of a list of words, and
// many integers at even distances their first one and the distance.
class ColumnText {
 public:
  void add_null() { add_text("null"); }
  void add_text(std::string_view json) {
    even_ = false;
    append(json);
  }
  void add(double value) {
    char digits[32];
    add_text({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
  }
  void add_integer(std::int64_t value) {
    if (rows_ == 0) first_ = value;
    if (rows_ == 1) by_ = value - first_;
    even_ = even_ && value == first_ + static_cast<std::int64_t>(rows_) * by_;
    char digits[32];
    append({digits, std::to_chars(digits, digits + sizeof digits, value).ptr});
  }
  void add_word(std::string_view json) {
    coded_ = true;
    if (json == newest_) return add_integer(newest_code_);
    auto found = codes_.find(json);
    if (found == codes_.end()) {
      found = codes_.emplace(json, static_cast<std::int64_t>(codes_.size())).first;
      words_ += (words_.empty() ? "" : ",") + std::string(json);
    }
    newest_ = found->first;
    newest_code_ = found->second;
    add_integer(newest_code_);
  }
  void add_plain_word(std::string_view word) {
    quoted_.assign("\"").append(word).append("\"");
    add_word(quoted_);
  }
  void fill(std::size_t rows) {  // nulls up to this length
    while (rows_ < rows) add_null();
  }
  // Numbers so far become words, as soon as the column has another kind of value.
  void add_value(std::string_view json) {
    const bool number = json[0] == '-' || is_digit(json[0]);
    if (!coded_ && !number && json != "null") recode();
    coded_&& json != "null" ? add_word(json) : add_text(json);
  }
  void append_to(std::string& text) const {
    if (words_.empty() && even_ && rows_ >= even_rows_least) {
      text += "{\"first\":" + std::to_string(first_) + ",\"by\":" + std::to_string(by_) + "}";
      return;
    }
    if (!words_.empty()) text.append("{\"words\":[").append(words_).append("],\"codes\":");
    text.append("[").append(cells_).append(words_.empty() ? "]" : "]}");
  }
  [[nodiscard]] std::size_t bytes() const { return cells_.size() + words_.size() + 64; }

 private:
  void append(std::string_view json) {
    if (rows_++ > 0) cells_ += ',';
    cells_ += json;
  }
  void recode() {
    const std::string numbers = std::exchange(cells_, {});
    const std::size_t count = std::exchange(rows_, 0);
    std::string_view rest = numbers;
    coded_ = true;
    for (std::size_t i = 0; i < count; ++i) {
      const auto cell = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), cell.size() + 1));
      cell == "null" ? add_null() : add_word(cell);
    }
  }

  std::string cells_;
  std::string quoted_;  // of the newest plain word: a member to keep its memory
  std::size_t rows_ = 0;
  bool even_ = true;
  std::int64_t first_ = 0;
  std::int64_t by_ = 0;
  bool coded_ = false;
  std::map<std::string, std::int64_t, std::less<>> codes_;  // by their JSON
  std::string_view newest_;                                 // a key of codes_
  std::int64_t newest_code_ = 0;
  std::string words_;
};

// The length of the JSON value at the start of a text that this server wrote: without blanks.
std::size_t value_length(std::string_view text) {
  std::size_t depth = 0;
  bool inside = false;  // a string
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (inside) {
      if (c == '\\') ++at;
      if (c == '"') inside = false;
    } else if (c == '"') {
      inside = true;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (depth > 0 && (c == ']' || c == '}')) {
      --depth;
    } else if (depth == 0 && (c == ',' || c == ':' || c == '}')) {
      return at;
    }
  }
  return text.size();
}

// Calls use(name, value) for the members of a JSON object, both as JSON. A parse of the objects of
// 100,000 trials takes ten times as long.
void each_member(std::string_view object, const auto& use) {
  if (!object.starts_with('{') || object == "{}") return;
  object.remove_prefix(1);
  while (!object.empty()) {
    const auto name = object.substr(0, value_length(object));
    object.remove_prefix(std::min(object.size(), name.size() + 1));
    const auto value = object.substr(0, value_length(object));
    object.remove_prefix(std::min(object.size(), value.size() + 1));
    if (!value.empty()) use(name, value);
  }
}

// A field that every trial has.
struct Field {
  std::string_view name;
  void (*add)(ColumnText&, const TrialCells&);
};
constexpr Field fields[] = {
    {"trial", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.trial.value); }},
    {"number", [](ColumnText& c, const TrialCells& t) { c.add_integer(t.number); }},
    {"state", [](ColumnText& c, const TrialCells& t) { c.add_plain_word(word(t.state)); }},
    {"reason", [](ColumnText& c, const TrialCells& t) { c.add_plain_word(word(t.reason)); }},
    {"value",
     [](ColumnText& c, const TrialCells& t) {
       if (!t.value) return c.add_null();
       if (t.value->is_not_reached()) return c.add_text("\"not_reached\"");
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
    each_member(trial.params, [&](std::string_view name, std::string_view value) {
      const auto found = std::ranges::find(params_, name, &Param::key);
      if (found == params_.end()) return;
      found->column.fill(rows_ - 1);
      found->column.add_value(value);
    });
  }
  [[nodiscard]] CellSums sums() const {
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(plain_, [&](const auto& one) { return one.first->name == name; });
    };
    return {has("steps"), has("seconds")};
  }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  void append_to(std::string& text) {
    for (auto& [name, key, column] : params_) column.fill(rows_);
    std::size_t bytes = text.size() + 64;
    for (const auto& [field, column] : plain_) bytes += column.bytes();
    for (const auto& [name, key, column] : params_) bytes += column.bytes() + 2 * name.size();
    text.reserve(bytes);
    text += '{';
    for (const auto& [field, column] : plain_) append(text, std::string(field->name), column);
    for (const auto& [name, key, column] : params_)
      append(text, std::string(params_prefix) + name, column);
    text += '}';
  }

 private:
  static void append(std::string& text, const std::string& name, const ColumnText& column) {
    text += (text.ends_with('{') ? "" : ",") + to_text(Json(name)) + ":";
    column.append_to(text);
  }
  void add_columns(std::string_view name, const std::vector<std::string>& params) {
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

  std::vector<std::pair<const Field*, ColumnText>> plain_;
  struct Param {
    std::string name;
    std::string key;  // as JSON
    ColumnText column;
  };
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
    const auto where = read_filter(*text, request.now, ObjectKind::trial);
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
  each_trial(db, *id, sweep->objective.goal, table.sums(), *only ? &**only : nullptr,
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
