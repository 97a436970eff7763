#include "schemas/codec/default_methods.hpp"

#include <algorithm>

#include "schemas/types/spec.hpp"

namespace hone {
namespace {

// A population has as many parameter sets as members, and its own rule.
void choose_population(SweepSpec& spec) {
  if (spec.terminator.rule.empty()) spec.terminator.rule = population_method;
  const Value* size = find(spec.search.settings, "population");
  const auto* members = size == nullptr ? nullptr : std::get_if<std::int64_t>(size);
  if (spec.search.trials == 0 && members != nullptr && *members > 0 && *members <= trials_max)
    spec.search.trials = *members;
}

// Its rule has the same brackets as the method.
void choose_evolution(SweepSpec& spec) {
  if (!spec.terminator.rule.empty()) return;
  spec.terminator.rule = evolution_method;
  const Value* eta = find(spec.search.settings, "eta");
  const auto* whole = eta == nullptr ? nullptr : std::get_if<std::int64_t>(eta);
  if (whole != nullptr) spec.terminator.settings = {{"eta", static_cast<double>(*whole)}};
}

// 3 differs from 2 only in times, and 4 from 3 only after a warm start.
double newest_that_differs(const SweepSpec& spec) {
  if (!spec.search.warm_start.empty()) return 4;
  return spec.objective.reach ? 3 : 2;
}

}  // namespace

void choose_methods(SweepSpec& spec) {
  if (is_population(spec)) return choose_population(spec);
  if (spec.search.method == evolution_method) return choose_evolution(spec);
  const bool several = !spec.further_objectives.empty();
  if (spec.search.method.empty()) spec.search.method = several ? "tpe" : "hone";
  if (!spec.terminator.rule.empty()) return;
  if (several || spec.budget.phases == 1)
    spec.terminator.rule = "none";
  else
    spec.terminator = {"hone", {{"version", newest_that_differs(spec)}}};
}

void choose_version(SweepSpec& spec) {
  auto& [rule, settings] = spec.terminator;
  const auto is_version = [](const auto& setting) { return setting.first == "version"; };
  if (rule == "hone" && std::ranges::none_of(settings, is_version))
    settings.emplace_back("version", newest_that_differs(spec));
}

}  // namespace hone
