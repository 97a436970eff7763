#include "sdk/cli/commands/results/curve_table.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {
namespace {

using Cells = std::vector<std::string>;

// Significant digits. No learning curve is known better than to six, and tables stay small; but two
// phases of a long run must not end at the same second.
constexpr int value_digits = 6;
constexpr int seconds_digits = 9;

std::string rounded(const Json& number, int digits) {
  if (!number.is_number()) return "";  // diverged
  char text[32];
  const auto end = std::to_chars(std::begin(text), std::end(text), number.get<double>(),
                                 std::chars_format::general, digits);
  return {text, end.ptr};
}

Cells parameter_names(const Json& sweep) {
  Cells names;
  for (const auto& [name, domain] : member(sweep, "/spec/parameters").items())
    names.push_back(name);
  return names;
}

Cells header(const Cells& names, std::size_t phases) {
  Cells cells = names;
  cells.emplace_back("seed");
  for (const char* prefix : {"v", "s"})
    for (std::size_t k = 1; k <= phases; ++k) cells.push_back(prefix + std::to_string(k));
  return cells;
}

std::string twice_in(Cells cells) {
  std::sort(cells.begin(), cells.end());
  const auto twin = std::adjacent_find(cells.begin(), cells.end());
  return twin == cells.end() ? "" : *twin;
}

bool is_whole(const Json& run, std::size_t phases) {
  const Json& curve = member(run, "/curve");
  if (curve.size() == phases) return true;
  return !curve.empty() && text_at(curve.back(), "/value") == "diverged";
}

Cells parameters_of(const Json& run, const Cells& names) {
  const Json& params = member(run, "/params");
  Cells cells;
  for (const auto& name : names)
    cells.push_back(params.contains(name) ? raw_of({name, "/value"}, {{"value", params.at(name)}})
                                          : "");
  return cells;
}

// One row of columns of the curve: phases that the run did not live to see stay empty.
struct Series {
  const char* member;
  int digits;
};
Cells cells_of(const Json& run, const Series& series, std::size_t phases) {
  Cells cells;
  for (const auto& point : member(run, "/curve"))
    cells.push_back(rounded(point.at(series.member), series.digits));
  cells.resize(phases);
  return cells;
}

void append(Cells& cells, const Cells& more) {
  cells.insert(cells.end(), more.begin(), more.end());
}

std::string counts_text(const std::map<std::string, int>& counts) {
  std::string out;
  for (const auto& [word, count] : counts)
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + word;
  return out;
}

std::string card_of(const Json& sweep, std::size_t phases) {
  const Json& spec = member(sweep, "/spec");
  Json card;
  card["goal"] = member(sweep, "/objective/goal");
  card["parameters"] = member(spec, "/parameters");
  card["checkpoints"] = phases;
  card["source"] = "hone " HONE_VERSION ", sweep " + text_at(sweep, "/name") + ": " +
                   trainer_text(spec) + ", " + budget_text(spec);
  return to_pretty_text(card) + "\n";
}

}  // namespace

Result<CurveTable> curve_table(const Json& sweep, const std::vector<Json>& runs) {
  const auto phases = static_cast<std::size_t>(int_at(sweep, "/spec/budget/phases"));
  const Cells names = parameter_names(sweep);
  const Cells head = header(names, phases);
  if (const auto name = twice_in(head); !name.empty())
    return refuse(Code::invalid, "a curve table cannot hold a parameter named '" + name +
                                     "': it has a column of that name already");
  CurveTable table{csv_line(head), card_of(sweep, phases), 0, ""};
  std::map<Cells, int> seeds;
  std::map<std::string, int> left_out;
  for (const auto& run : runs) {
    if (!is_whole(run, phases)) {
      ++left_out[text_at(run, "/state")];
      continue;
    }
    Cells cells = parameters_of(run, names);
    const int seed = seeds[cells]++;
    cells.push_back(std::to_string(seed));
    append(cells, cells_of(run, {"value", value_digits}, phases));
    append(cells, cells_of(run, {"seconds", seconds_digits}, phases));
    table.csv += csv_line(cells);
    ++table.rows;
  }
  table.left_out = counts_text(left_out);
  if (table.rows > 0) return table;
  return refuse(Code::conflict,
                text_at(sweep, "/id") + " has no run that reached its end" +
                    (left_out.empty() ? "" : ", only " + table.left_out) +
                    "; a curve table needs whole runs: submit with terminator.rule none");
}

}  // namespace hone::cli
