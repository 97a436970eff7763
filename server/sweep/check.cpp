#include "server/sweep/check.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "schemas/rules/rules.hpp"
#include "schemas/types/passing.hpp"
#include "schemas/types/reach.hpp"
#include "server/search/samplers/cmaes/cost.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/samplers/settings.hpp"
#include "server/search/space/search_space.hpp"
#include "server/search/statistics/brackets.hpp"
#include "server/search/terminators/terminator.hpp"
#include "server/sweep/forks.hpp"
#include "server/sweep/rule_forks.hpp"
#include "server/sweep/shape.hpp"
#include "worker/train/settings/trainers.hpp"

namespace hone {
namespace {

constexpr int runs_of_trial_max = 10'000;

std::vector<std::string_view> split_words(std::string_view words) {
  std::vector<std::string_view> parts;
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    if (end > 0) parts.push_back(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return parts;
}

std::string comma_separated(std::span<const std::string_view> words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

Error unknown_word(const std::string& what, std::string_view word,
                   std::span<const std::string_view> known, std::string at) {
  return refuse(Code::invalid,
                what + " '" + std::string(word) + "'" + did_you_mean(word, known) + "; there is " +
                    comma_separated(known),
                std::move(at));
}

Status check_search(const SearchSpec& search, const SearchSpace& space) {
  std::vector<std::string_view> known;
  for (const SamplerRow& row : sampler_table()) known.push_back(row.method);
  if (std::find(known.begin(), known.end(), search.method) == known.end())
    return unknown_word("no search method", search.method, known, "/search/method");
  if (auto made = make_sampler(search, space); !made) return made.error();
  return check_cmaes_cost(search, space);
}

// The method dehb and its rule have the same brackets.
Status check_evolution(const SweepSpec& spec) {
  const bool method = spec.search.method == evolution_method;
  const bool rule = spec.terminator.rule == evolution_method;
  if (!method && !rule) return Done{};
  if (!method)
    return refuse(Code::invalid, "rule dehb is that of search: {method: dehb}", "/search/method");
  if (!rule)
    return refuse(Code::invalid, "method dehb has its own rule: leave terminator out",
                  "/terminator/rule");
  const auto eta = count_setting(spec.search, "eta", 3, {2, 1000});
  if (!eta) return eta.error();
  const auto& settings = spec.terminator.settings;
  const auto given =
      std::ranges::find(settings, std::string("eta"), &std::pair<std::string, double>::first);
  if ((given == settings.end() ? 3 : given->second) != static_cast<double>(*eta))
    return refuse(Code::invalid, "must be that of search: leave terminator out", "/terminator/eta");
  if (spec.budget.phases < *eta)
    return refuse(Code::invalid,
                  "dehb needs at least two rungs, and its shortest trial is " +
                      std::to_string(*eta) +
                      " times shorter than a complete run: make "
                      "budget.phases at least " +
                      std::to_string(*eta),
                  "/budget/phases");
  // Each of them is looked at for each of them, while its rungs have not chosen.
  constexpr std::int64_t first_iteration_max = 5'000;
  std::int64_t trials = 0;
  for (const BracketShape& one : hyperband_shapes(spec.budget.phases, static_cast<int>(*eta)))
    trials += one.trials;
  if (trials <= first_iteration_max) return Done{};
  return refuse(Code::invalid,
                "the first iteration of dehb would have " + std::to_string(trials) +
                    " trials, more than " + std::to_string(first_iteration_max) +
                    ": make budget.phases smaller",
                "/budget/phases");
}

Status check_objectives(const SweepSpec& spec) {
  if (spec.further_objectives.empty() || spec.terminator.rule == "none") return Done{};
  return refuse(Code::invalid,
                "a rule judges by one objective, and this sweep has several: use rule: none",
                "/terminator/rule");
}

// A time needs one clock for the whole run, and one program that it measures.
Status check_reach(const SweepSpec& spec) {
  const auto is_time = [](const Objective& one) { return one.reach.has_value(); };
  if (!is_time(spec.objective) && std::ranges::none_of(spec.further_objectives, is_time))
    return Done{};
  const auto no = [](const std::string& what, const char* at = "/objective/reach") {
    return refuse(Code::invalid, "a time until a bar " + what, at);
  };
  if (!spec.further_objectives.empty())
    return no("is not traded off: make it the only objective", "/objectives");
  if (spec.replicates.instances)
    return no("compares runs of one problem: leave replicates.instances out");
  if (steps_of(spec) > 1) return no("is of one command: leave steps out");
  if (is_population(spec))
    return no("has no meaning for members that take over each other's training", "/search/method");
  const auto& settings = spec.terminator.settings;
  if (spec.terminator.rule == "patience" && std::ranges::any_of(settings, [](const auto& one) {
        return one.first == "min_delta" && one.second != 0;
      }))
    return no(
        "does not improve by steps: it is there once or not at all, and before that each value "
        "nearer to the bar counts; leave min_delta out",
        "/terminator/min_delta");
  if (spec.objective.reach->clock == RunClock::cpu_seconds &&
      std::holds_alternative<AskTrainer>(spec.trainer))
    return no(
        "cannot be counted in the processor time of runs that no worker executes: use "
        "seconds or steps",
        "/objective/clock");
  if (spec.objective.reach->clock == RunClock::steps &&
      static_cast<double>(spec.budget.per_run) > time_max)
    return no(
        "counts at most 500G steps, and later ones would all be equal: make the budget smaller",
        "/budget");
  return Done{};
}

Status check_terminator(const TerminatorSpec& spec, const SweepShape& shape) {
  std::vector<std::string_view> known;
  for (const TerminatorRow& row : terminator_table()) known.push_back(row.rule);
  if (std::find(known.begin(), known.end(), spec.rule) == known.end())
    return unknown_word("no terminator", spec.rule, known, "/terminator/rule");
  if (auto made = make_terminator(spec, shape); !made) return made.error();
  return Done{};
}

std::optional<double> as_number(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

std::string range_sentence(const SettingInfo& info) {
  std::ostringstream text;
  text << info.name
       << (info.kind == SettingKind::integer ? " must be a whole number from "
                                             : " must be a number from ")
       << info.min << " to " << info.max;
  return text.str();
}

Status check_value(const SettingInfo& info, const Value& value, const std::string& at) {
  if (info.kind == SettingKind::text) {
    if (std::holds_alternative<std::string>(value)) return Done{};
    return refuse(Code::invalid, std::string(info.name) + " must be a string", at);
  }
  if (info.kind == SettingKind::word) {
    const auto known = split_words(info.words);
    const auto* word = std::get_if<std::string>(&value);
    if (word == nullptr)
      return refuse(Code::invalid,
                    std::string(info.name) + " must be one of " + comma_separated(known), at);
    if (!accepts_word(info, *word))
      return unknown_word("no " + std::string(info.name), *word, known, at);
    return Done{};
  }
  const auto number = as_number(value);
  const bool whole = number && *number == std::floor(*number);  // 3.0 is an int
  if (!number || *number < info.min || *number > info.max ||
      (info.kind == SettingKind::integer && !whole))
    return refuse(Code::invalid, range_sentence(info), at);
  return Done{};
}

// Refuses a domain with a value that the trainer does not accept. The bounds decide for ranges.
Status check_domain(const SettingInfo& info, const Domain& domain, const std::string& at) {
  struct Visitor {
    const SettingInfo& info;
    const std::string& at;
    Status operator()(const FloatDomain& d) const {
      if (info.kind == SettingKind::integer)
        return refuse(Code::invalid, range_sentence(info) + ": write type: int", at + "/type");
      if (auto low = check_value(info, d.min, at + "/min"); !low) return low;
      return check_value(info, d.max, at + "/max");
    }
    Status operator()(const IntDomain& d) const {
      if (auto low = check_value(info, d.min, at + "/min"); !low) return low;
      return check_value(info, d.max, at + "/max");
    }
    Status operator()(const ChoiceDomain& d) const {
      for (std::size_t i = 0; i < d.values.size(); ++i)
        if (auto fits = check_value(info, d.values[i], at + "/values/" + std::to_string(i)); !fits)
          return fits;
      return Done{};
    }
    Status operator()(const BoolDomain&) const { return check_value(info, true, at); }
    Status operator()(const FixedDomain& d) const {
      return check_value(info, d.value, at + "/value");
    }
    Status operator()(const DerivedDomain&) const { return Done{}; }  // its value is not known yet
  };
  return std::visit(Visitor{info, at}, domain);
}

Status check_trainer(const SweepSpec& spec) {
  const auto* builtin = std::get_if<BuiltinTrainer>(&spec.trainer);
  if (builtin == nullptr) return Done{};
  std::vector<std::string_view> trainers;
  for (const TrainerInfo& info : trainer_catalog()) trainers.push_back(info.name);
  const TrainerInfo* trainer = find_trainer(builtin->name);
  if (trainer == nullptr)
    return unknown_word("no trainer", builtin->name, trainers, "/trainer/name");

  std::vector<std::string_view> settings;
  for (const SettingInfo& info : trainer->settings) settings.push_back(info.name);
  const std::string no_setting = "trainer '" + builtin->name + "' has no setting";
  for (const Param& fixed : builtin->settings) {
    const SettingInfo* info = find_setting(*trainer, fixed.name);
    if (info == nullptr)
      return unknown_word(no_setting, fixed.name, settings, "/trainer/" + fixed.name);
    if (auto fits = check_value(*info, fixed.value, "/trainer/" + fixed.name); !fits) return fits;
  }
  for (const Parameter& parameter : spec.parameters) {
    const std::string at = "/parameters/" + parameter.name;
    const SettingInfo* info = find_setting(*trainer, parameter.name);
    if (info == nullptr) return unknown_word(no_setting, parameter.name, settings, at);
    if (find(builtin->settings, parameter.name) != nullptr)
      return refuse(Code::invalid, parameter.name + " is set under trainer already", at);
    if (auto fits = check_domain(*info, parameter.domain, at); !fits) return fits;
  }
  const auto objectives = split_words(trainer->objectives);
  if (std::find(objectives.begin(), objectives.end(), spec.objective.metric) == objectives.end())
    return unknown_word("trainer '" + builtin->name + "' reports no", spec.objective.metric,
                        objectives, "/objective/metric");
  if (!spec.further_objectives.empty() && objectives.size() == 1)
    return refuse(Code::invalid,
                  "trainer '" + builtin->name +
                      "' reports one objective: keep it alone, or train with a command, which may "
                      "report several",
                  "/objectives");
  for (const Objective& one : spec.further_objectives)
    if (std::find(objectives.begin(), objectives.end(), one.metric) == objectives.end())
      return unknown_word("trainer '" + builtin->name + "' reports no", one.metric, objectives,
                          "/objectives");
  if (spec.budget.unit != trainer->unit)
    return refuse(
        Code::invalid,
        "trainer '" + builtin->name + "' counts its budget in " + std::string(trainer->unit),
        "/budget/unit");
  return Done{};
}

// The worker logs its own metrics under names that begin with "hone.".
Status check_collected(const CommandTrainer& command, const std::string& at) {
  if (!command.collect) return Done{};
  const auto& metrics = command.collect->metrics;
  for (std::size_t i = 0; i < metrics.size(); ++i)
    if (metrics[i].starts_with("hone."))
      return refuse(Code::invalid,
                    "metrics whose names begin with 'hone.' are measured by the worker; rename the "
                    "column",
                    at + "/command/collect/metrics/" + std::to_string(i));
  return Done{};
}

Status check_commands(const SweepSpec& spec) {
  if (const auto* command = std::get_if<CommandTrainer>(&spec.trainer))
    return check_collected(*command, "");
  for (int step = 0; step_of(spec, step) != nullptr; ++step)
    if (auto fits = check_collected(step_of(spec, step)->command, "/steps/" + std::to_string(step));
        !fits)
      return fits;
  return Done{};
}

// Requires that the parameter of the instances is free, and that the trainer accepts each value.
Status check_instances(const SweepSpec& spec) {
  const InstancesSpec& instances = *spec.replicates.instances;
  const std::string at = "/replicates/instances";
  const std::string name = "'" + instances.parameter + "'";
  if (!spec.further_objectives.empty())
    return refuse(Code::invalid, "instances need a sweep of one objective", at);
  if (most_runs(spec) > runs_of_trial_max)
    return refuse(Code::invalid,
                  "that makes " + std::to_string(most_runs(spec)) +
                      " runs of a parameter set; at most " + std::to_string(runs_of_trial_max) +
                      " are allowed",
                  at + "/values");
  for (const Parameter& parameter : spec.parameters)
    if (parameter.name == instances.parameter)
      return refuse(Code::invalid, name + " is a parameter of the search already",
                    at + "/parameter");
  const auto* builtin = std::get_if<BuiltinTrainer>(&spec.trainer);
  if (builtin == nullptr) return Done{};
  if (find(builtin->settings, instances.parameter) != nullptr)
    return refuse(Code::invalid, name + " is set under trainer already", at + "/parameter");
  const SettingInfo* info = find_setting(*find_trainer(builtin->name), instances.parameter);
  if (info == nullptr)
    return refuse(Code::invalid, "trainer '" + builtin->name + "' has no setting " + name,
                  at + "/parameter");
  for (std::size_t i = 0; i < instances.values.size(); ++i)
    if (auto fits = check_value(*info, instances.values[i], at + "/values/" + std::to_string(i));
        !fits)
      return fits;
  return Done{};
}

Status check_replicates(const SweepSpec& spec) {
  return spec.replicates.instances ? check_instances(spec) : Status(Done{});
}

}  // namespace

Status check_domains(const SweepSpec& spec) {
  for (const Parameter& parameter : spec.parameters)
    if (auto allowed = rules::check(parameter); !allowed)
      return refuse(
          Code::invalid,
          "'" + parameter.name + "' has a domain that is not allowed: " + allowed.error().detail,
          "/parameters/" + parameter.name + allowed.error().at);
  return Done{};
}

Status check_variables(const SweepSpec& spec) {
  const auto check = [&](const CommandTrainer& command, const std::string& at) -> Status {
    const auto shared = shared_variables(command, spec.parameters);
    if (shared.empty()) return Done{};
    const SharedVariable& one = shared.front();
    return refuse(Code::invalid,
                  "params: env passes '" + one.first + "' and '" + one.second + "' both as " +
                      one.variable + ": rename one, or pass it in its own variable, as in " +
                      "env: {MY_NAME: \"${" + one.second + "}\"}",
                  at + "/params");
  };
  if (const auto* command = std::get_if<CommandTrainer>(&spec.trainer))
    return check(*command, "/command");
  const auto* pipeline = std::get_if<PipelineTrainer>(&spec.trainer);
  for (std::size_t i = 0; pipeline != nullptr && i < pipeline->steps.size(); ++i)
    if (auto fits = check(pipeline->steps[i].command, "/steps/" + std::to_string(i) + "/command");
        !fits)
      return fits;
  return Done{};
}

Status check_spec(const SweepSpec& spec, ValueRule rule) {
  constexpr std::uint64_t seed_max = (1ULL << 53) - 1;  // every language reads it exactly
  if (spec.seed > seed_max)
    return refuse(Code::invalid, "a seed must be a whole number from 0 to 2^53 - 1", "/seed");
  if (auto fits = check_trainer(spec); !fits) return fits;
  if (auto fits = check_commands(spec); !fits) return fits;
  if (auto fits = check_objectives(spec); !fits) return fits;
  if (auto fits = check_reach(spec); !fits) return fits;
  const auto space =
      SearchSpace::make(spec.parameters, spec.constraints, WitnessSearch::brief, rule);
  if (!space) return space.error();
  if (auto fits = check_search(spec.search, *space); !fits) return fits;
  if (auto fits = check_replicates(spec); !fits) return fits;
  if (auto fits = check_population(spec); !fits) return fits;
  if (auto fits = check_rule_forks(spec); !fits) return fits;
  if (auto fits = check_evolution(spec); !fits) return fits;
  return check_terminator(spec.terminator, sweep_shape(spec));
}

Status check_changed(const SweepSpec& spec, ValueRule rule) {
  if (auto allowed = rules::check(spec); !allowed) return allowed;
  return check_spec(spec, rule);
}

}  // namespace hone
