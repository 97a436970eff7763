#include "sdk/cli/commands/results/curve_export.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "schemas/types/methods.hpp"
#include "schemas/types/search_spec.hpp"
#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "server/simulate/curve_table.hpp"

namespace hone::cli {
namespace {

using Cells = std::vector<std::string>;

Cells parameter_names(const Json& sweep) {
  Cells names;
  for (const auto& [name, domain] : member(sweep, "/spec/parameters").items())
    names.push_back(name);
  return names;
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
    cells.push_back(params.contains(name) ? simulate::curve_cell(params.at(name)) : "");
  return cells;
}

// Phases that the run did not live to see are missing.
simulate::Curve curve_of(const Json& run) {
  simulate::Curve curve;
  for (const auto& point : member(run, "/curve")) {
    const Json& value = point.at("value");
    curve.values.push_back(value.is_number() ? std::optional(value.get<double>()) : std::nullopt);
    curve.seconds.push_back(point.at("seconds").get<double>());
  }
  return curve;
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

Result<CurveExport> export_curves(const Json& sweep, const std::vector<Json>& runs) {
  if (is_population_method(text_at(sweep, "/spec/search/method")))
    return refuse(Code::conflict, text_at(sweep, "/id") +
                                      " is a population: its parameters changed along the curves, "
                                      "and a curve table has one set for each");
  const auto phases = static_cast<std::size_t>(int_at(sweep, "/spec/budget/phases"));
  const Cells names = parameter_names(sweep);
  auto table = simulate::CurveTableWriter::make(names, phases);
  if (!table) return table.error();
  std::map<std::string, int> left_out;
  for (const auto& run : runs) {
    if (!is_whole(run, phases)) {
      ++left_out[text_at(run, "/state")];
      continue;
    }
    table->add(parameters_of(run, names), curve_of(run));
  }
  const std::string others = counts_text(left_out);
  if (table->rows() > 0)
    return CurveExport{table->csv(), card_of(sweep, phases), table->rows(), others};
  return refuse(Code::conflict,
                text_at(sweep, "/id") + " has no run that reached its end" +
                    (left_out.empty() ? "" : ", only " + others) +
                    "; a curve table needs whole runs: submit with terminator.rule none");
}

}  // namespace hone::cli
