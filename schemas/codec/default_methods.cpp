#include "schemas/codec/default_methods.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "schemas/types/methods.hpp"
#include "schemas/types/spec.hpp"

namespace hone {
namespace {

const std::int64_t* whole_setting(const SearchSpec& search, std::string_view name) {
  const Value* value = find(search.settings, name);
  return value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
}

// The rule that belongs to the method, with what both share, and the trials that it counts.
void choose_own(SweepSpec& spec, const MethodTraits& method) {
  if (spec.terminator.rule.empty()) {
    spec.terminator.rule = method.own_rule;
    if (const auto* shared = whole_setting(spec.search, method.shared))
      spec.terminator.settings = {{std::string(method.shared), static_cast<double>(*shared)}};
  }
  const auto* trials = whole_setting(spec.search, method.trials_by);
  if (spec.search.trials == 0 && trials != nullptr && *trials > 0 && *trials <= trials_max)
    spec.search.trials = *trials;
}

// Version 5 has none of these but forks, with which it was not compared.
bool needs_version_before_5(const TerminatorSpec& rule) {
  static constexpr std::array<std::string_view, 7> settings{
      "efficiency", "second_looks", "shrink", "ties", "hedge", "decline", "forks"};
  return std::ranges::any_of(rule.settings, [](const auto& setting) {
    return std::ranges::find(settings, setting.first) != settings.end();
  });
}

// Version 5 was not compared on times until a bar. 3 differs from 2 only in times, and 4 from 3
// only after a warm start.
double newest_version(const SweepSpec& spec) {
  if (!spec.objective.reach && !needs_version_before_5(spec.terminator)) return 5;
  if (!spec.search.warm_start.empty()) return 4;
  return spec.objective.reach ? 3 : 2;
}

}  // namespace

void choose_methods(SweepSpec& spec) {
  const MethodTraits method = traits_of(spec.search.method);
  if (!method.own_rule.empty()) return choose_own(spec, method);
  const bool several = !spec.further_objectives.empty();
  if (spec.search.method.empty())
    spec.search.method = several ? default_method_of_several : default_method;
  if (!spec.terminator.rule.empty()) return;
  if (several || spec.budget.phases == 1)
    spec.terminator.rule = rule_none;
  else
    spec.terminator = {std::string(default_rule), {{"version", newest_version(spec)}}};
}

void choose_version(SweepSpec& spec) {
  auto& [rule, settings] = spec.terminator;
  const auto is_version = [](const auto& setting) { return setting.first == "version"; };
  if (rule == default_rule && std::ranges::none_of(settings, is_version))
    settings.emplace_back("version", newest_version(spec));
}

}  // namespace hone
