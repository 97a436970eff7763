#include "server/simulate/curve_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/shown.hpp"
#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/values/member.hpp"
#include "schemas/values/number.hpp"
#include "schemas/values/same.hpp"

namespace hone::simulate {
namespace {

using Cells = std::vector<std::string>;

bool is_not_finite(std::string_view cell) {
  const auto number = read_number(cell);
  return number && !std::isfinite(*number);
}

// Reads a value of the domain from a cell; a number off the grid or out of bounds becomes the
// nearest valid one.
struct ReadValue {
  std::string_view cell;
  std::optional<Value> operator()(const FloatDomain& d) const {
    const auto value = read_finite_number(cell);
    if (!value) return std::nullopt;
    if (d.step) return member_at(d, nearest_member(d, *value));
    return std::clamp(*value, d.min, d.max);
  }
  std::optional<Value> operator()(const IntDomain& d) const {
    const auto value = read_finite_number(cell);
    if (!value) return std::nullopt;
    const auto steps =
        std::llround((*value - static_cast<double>(d.min)) / static_cast<double>(d.step));
    return d.min + std::clamp<std::int64_t>(steps, 0, (d.max - d.min) / d.step) * d.step;
  }
  // A cell is the value as JSON, or a text without its quotes.
  std::optional<Value> operator()(const ChoiceDomain& d) const {
    if (const auto document = parse_json(cell))
      for (const Value& value : d.values)
        if (encode(value) == *document) return value;
    for (const Value& value : d.values) {
      if (const auto* word = std::get_if<std::string>(&value); word && *word == cell) return value;
      if (const auto* json = std::get_if<JsonText>(&value); json && json->text == cell)
        return value;
      if (const auto found = read_finite_number(cell); found && same_value(value, *found))
        return value;
      if (const auto* flag = std::get_if<bool>(&value); flag && cell == (*flag ? "true" : "false"))
        return value;
    }
    return std::nullopt;
  }
  std::optional<Value> operator()(const BoolDomain&) const {
    if (cell == "true" || cell == "1") return true;
    if (cell == "false" || cell == "0") return false;
    return std::nullopt;
  }
  std::optional<Value> operator()(const FixedDomain& d) const { return d.value; }
  std::optional<Value> operator()(const DerivedDomain&) const { return std::nullopt; }
};

struct Header {
  std::vector<std::size_t> parameters;  // column of each parameter of the space
  std::optional<std::size_t> seed;
  std::vector<std::size_t> values, seconds;
};

// Its value follows from the others.
bool is_derived(const Parameter& parameter) {
  return std::holds_alternative<DerivedDomain>(parameter.domain);
}

std::string cell_place(std::size_t line, std::string_view column) {
  return "line " + std::to_string(line) + ", column " + std::string(column);
}

Result<Header> read_header(std::string_view line, const Space& space) {
  std::map<std::string_view, std::size_t> columns;
  const auto cells = csv_cells(line);
  for (std::size_t i = 0; i < cells.size(); ++i) columns[without_apostrophe(cells[i])] = i;
  Header header;
  for (const Parameter& parameter : space) {
    const auto found = columns.find(parameter.name);
    if (is_derived(parameter)) {
      header.parameters.push_back(0);  // not read
      continue;
    }
    if (found == columns.end())
      return refuse(Code::invalid, "the table has no column for parameter '" + parameter.name + "'",
                    "line 1");
    header.parameters.push_back(found->second);
  }
  if (const auto found = columns.find("seed"); found != columns.end()) header.seed = found->second;
  for (std::size_t k = 1; k <= cells.size(); ++k) {
    const auto value = columns.find("v" + std::to_string(k));
    if (value == columns.end()) break;
    header.values.push_back(value->second);
    const auto second = columns.find("s" + std::to_string(k));
    if (second != columns.end()) header.seconds.push_back(second->second);
  }
  if (header.values.empty())
    return refuse(Code::invalid, "the table has no columns v1, v2, ... of values", "line 1");
  if (!header.seconds.empty() && header.seconds.size() != header.values.size())
    return refuse(Code::invalid, "there must be as many columns s1, s2, ... as v1, v2, ...",
                  "line 1");
  return header;
}

Result<Params> read_params(const Cells& cells, const Header& header, const Space& space,
                           std::size_t line) {
  Params params;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (is_derived(space[i])) continue;
    const std::string_view cell = cells[header.parameters[i]];
    if (cell.empty()) continue;  // inactive
    auto value = std::visit(ReadValue{cell}, space[i].domain);
    if (!value) value = std::visit(ReadValue{without_apostrophe(cell)}, space[i].domain);
    if (!value)
      return refuse(Code::invalid,
                    "'" + std::string(cell) + "' is no value of parameter '" + space[i].name + "'",
                    cell_place(line, space[i].name));
    params.push_back({space[i].name, *std::move(value)});
  }
  return params;
}

// The seed of a run; 0 for what is no whole number.
std::int64_t seed_in(std::string_view cell) {
  constexpr double most = 0x1p53;
  const double seed = read_finite_number(cell).value_or(0);
  return std::abs(seed) <= most ? static_cast<std::int64_t>(seed) : 0;
}

Result<Curve> read_curve(const Cells& cells, const Header& header, std::size_t line) {
  Curve curve;
  if (header.seed) curve.seed = seed_in(cells[*header.seed]);
  for (std::size_t k = 0; k < header.values.size(); ++k) {
    const std::string_view cell = cells[header.values[k]];
    const auto value = read_finite_number(cell);
    if (!value && !cell.empty() && !is_not_finite(cell))
      return refuse(Code::invalid, "'" + std::string(cell) + "' is no number",
                    cell_place(line, "v" + std::to_string(k + 1)));
    curve.values.push_back(value);
    double seconds = static_cast<double>(k + 1);
    const double before = curve.seconds.empty() ? 0 : curve.seconds.back();
    // A diverged run has no later times: assume its mean time per checkpoint.
    if (!header.seconds.empty())
      seconds = read_finite_number(cells[header.seconds[k]])
                    .value_or(before + (k > 0 ? before / static_cast<double>(k) : 1));
    if (!(seconds > before))
      return refuse(Code::invalid, "seconds must increase",
                    cell_place(line, "s" + std::to_string(k + 1)));
    curve.seconds.push_back(seconds);
  }
  return curve;
}

struct Row {
  Params params;
  Curve curve;
};

Result<std::vector<Row>> read_rows(std::string_view csv, const Space& space) {
  std::vector<Row> rows;
  std::optional<Header> header;
  std::size_t columns = 0;
  for (std::size_t line = 1; !csv.empty(); ++line) {
    const auto end = std::min(csv.find('\n'), csv.size());
    std::string_view text = csv.substr(0, end);
    csv.remove_prefix(std::min(end + 1, csv.size()));
    if (text.empty() || text == "\r") continue;
    if (!header) {
      auto read = read_header(text, space);
      if (!read) return read.error();
      header = *std::move(read);
      columns = csv_cells(text).size();
      continue;
    }
    const auto cells = csv_cells(text);
    if (cells.size() != columns)
      return refuse(Code::invalid,
                    "has " + std::to_string(cells.size()) + " cells and the header " +
                        std::to_string(columns),
                    "line " + std::to_string(line));
    auto params = read_params(cells, *header, space, line);
    if (!params) return params.error();
    auto curve = read_curve(cells, *header, line);
    if (!curve) return curve.error();
    rows.push_back({*std::move(params), *std::move(curve)});
  }
  if (rows.empty()) return refuse(Code::invalid, "the table has no rows");
  return rows;
}

// Moves a value into the domain of the table.
struct ClampValue {
  const Value& value;
  std::optional<Value> operator()(const FloatDomain& d) const { return ReadValue{unquoted()}(d); }
  std::optional<Value> operator()(const IntDomain& d) const { return ReadValue{unquoted()}(d); }
  template <class Domain>
  std::optional<Value> operator()(const Domain& d) const {
    if (auto member = member_of(d, value)) return member;
    return ReadValue{unquoted()}(d);
  }
  explicit ClampValue(const Value& of) : value(of), text_(to_text(encode(of))) {}

 private:
  [[nodiscard]] std::string_view unquoted() const {
    const bool quoted = text_.size() >= 2 && text_.front() == '"';
    return quoted ? std::string_view(text_).substr(1, text_.size() - 2) : std::string_view(text_);
  }
  std::string text_;
};

// Nothing where the curve has no number: the run diverged or never came so far.
std::string cell_of(std::optional<double> number, int digits) {
  if (!number) return "";
  char text[32];
  const auto end =
      std::to_chars(std::begin(text), std::end(text), *number, std::chars_format::general, digits);
  return {text, end.ptr};
}

}  // namespace

std::string curve_cell(const Json& value) {
  if (!value.is_string()) return to_text(value);
  const auto& text = value.get_ref<const std::string&>();
  const bool as_json = text.empty() || parse_json(text) || has_control_characters(text);
  return as_json ? to_text(value) : text;
}

Result<CurveTableWriter> CurveTableWriter::make(const Cells& parameters, std::size_t checkpoints) {
  Cells head = parameters;
  head.emplace_back("seed");
  for (const char* prefix : {"v", "s"})
    for (std::size_t k = 1; k <= checkpoints; ++k) head.push_back(prefix + std::to_string(k));
  Cells sorted = head;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twin = std::adjacent_find(sorted.begin(), sorted.end()); twin != sorted.end())
    return refuse(Code::invalid, "a curve table cannot hold a parameter named '" + *twin +
                                     "': it has a column of that name already");
  for (std::string& name : head) name = spreadsheet_cell(name);
  return CurveTableWriter(csv_line(head), checkpoints);
}

void CurveTableWriter::add(Cells parameters, const Curve& curve) {
  // No learning curve is known better than to six digits, and tables stay small; but two phases of
  // a long run must not end at the same second.
  constexpr int value_digits = 6;
  constexpr int seconds_digits = 9;
  const int seed = seeds_[parameters]++;
  Cells cells;
  for (const std::string& parameter : parameters) cells.push_back(spreadsheet_cell(parameter));
  cells.push_back(std::to_string(seed));
  for (std::size_t k = 0; k < checkpoints_; ++k)
    cells.push_back(k < curve.values.size() ? cell_of(curve.values[k], value_digits) : "");
  for (std::size_t k = 0; k < checkpoints_; ++k)
    cells.push_back(k < curve.seconds.size() ? cell_of(curve.seconds[k], seconds_digits) : "");
  csv_ += csv_line(cells);
  ++rows_;
}

Result<CurveTable> CurveTable::parse(std::string name, std::string_view csv,
                                     std::string_view json) {
  CurveTable table;
  table.name_ = std::move(name);
  const auto document = parse_json(json);
  if (!document) return document.error();
  if (!document->is_object() || !document->contains("parameters") || !document->contains("goal"))
    return refuse(Code::invalid, "must be an object with goal and parameters");
  const auto* goal = (*document)["goal"].get_ptr<const std::string*>();
  const auto parsed = goal == nullptr ? std::nullopt : parse_word<Goal>(*goal);
  if (!parsed) return refuse(Code::invalid, "is maximize or minimize", "/goal");
  table.goal_ = *parsed;
  auto space = decode_space((*document)["parameters"], "/parameters");
  if (!space) return space.error();
  auto made = SearchSpace::make(*space, {});
  if (!made) return made.error();
  table.space_ = *std::move(made);
  auto rows = read_rows(csv, *space);
  if (!rows) return rows.error();
  for (Row& row : *rows)
    if (auto done = table.add(row.params, std::move(row.curve)); !done) return done.error();
  table.finish();
  return table;
}

Status CurveTable::add(const Params& params, Curve curve) {
  const auto point = space_.point_of(params);
  if (!point)
    return refuse(Code::invalid, "a row lacks a parameter that is active, or has one that is not");
  checkpoints_ = static_cast<int>(curve.values.size());
  // NaN never equals itself: inactive coordinates are compared as such.
  const auto same = [&](const Configuration& one) {
    return std::equal(point->begin(), point->end(), one.point.begin(), [](double a, double b) {
      return a == b || (std::isnan(a) && std::isnan(b));
    });
  };
  auto found = std::find_if(configurations_.begin(), configurations_.end(), same);
  if (found == configurations_.end()) {
    configurations_.push_back({*point, {}, 0});
    found = configurations_.end() - 1;
  }
  found->curves.push_back(std::move(curve));
  return Done{};
}

Result<std::size_t> CurveTable::nearest(const Params& params) const {
  Params inside;
  for (const Parameter& parameter : space_.parameters()) {
    const Value* value = find(params, parameter.name);
    if (value == nullptr || is_derived(parameter)) continue;
    if (auto moved = std::visit(ClampValue(*value), parameter.domain))
      inside.push_back({parameter.name, *std::move(moved)});
  }
  const auto point = space_.point_of(inside);
  if (!point)
    return refuse(Code::invalid, "the sweep's parameters do not cover those of table " + name_ +
                                     ": name each of them, with values of the same kind");
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < configurations_.size(); ++i) {
    const double squares = distance(*point, configurations_[i].point);
    if (squares < least) best = i, least = squares;
  }
  return best;
}

double CurveTable::distance(std::span<const double> a, std::span<const double> b) const {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool left = std::isnan(a[i]), right = std::isnan(b[i]);
    if (left && right) continue;
    if (left || right)
      squares += 1;
    else if (space_.dimensions()[i].kind == Dimension::Kind::choice)
      squares += a[i] == b[i] ? 0 : 1;
    else
      squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return squares;
}

std::size_t checkpoint_of(const Curve& curve, int phase, int phases) {
  const auto count = static_cast<std::int64_t>(curve.values.size());
  return static_cast<std::size_t>(((phase + 1) * count + phases - 1) / phases - 1);
}

double end_of_phase(const Curve& curve, int phase, int phases) {
  const double place =
      static_cast<double>(phase + 1) * static_cast<double>(curve.values.size()) / phases;
  const auto whole = static_cast<std::size_t>(place);
  const double before = whole == 0 ? 0 : curve.seconds[whole - 1];
  if (whole >= curve.seconds.size()) return before;
  return before + (place - static_cast<double>(whole)) * (curve.seconds[whole] - before);
}

double phase_seconds(const Curve& curve, int phase, int phases) {
  const double from = phase == 0 ? 0 : end_of_phase(curve, phase - 1, phases);
  return std::max(end_of_phase(curve, phase, phases) - from, 1e-6);
}

}  // namespace hone::simulate
