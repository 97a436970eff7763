#include "server/sweep/submit/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "schemas/rules/rules.hpp"
#include "schemas/trainers/check.hpp"
#include "schemas/trainers/words.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/passing.hpp"
#include "schemas/types/reach.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/samplers/settings.hpp"
#include "server/search/space/search_space.hpp"
#include "server/search/terminators/rule_helpers.hpp"
#include "server/search/terminators/terminator.hpp"
#include "server/sweep/forks/forks.hpp"
#include "server/sweep/forks/rule_forks.hpp"
#include "server/sweep/state/shape.hpp"

namespace hone {
namespace {

constexpr int runs_of_trial_max = 10'000;

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
  const auto row = std::ranges::find(sampler_table(), search.method, &SamplerRow::method);
  if (row == sampler_table().end())
    return unknown_word("no search method", search.method, known, "/search/method");
  if (auto made = make_sampler(search, space); !made) return made.error();
  return row->check == nullptr ? Status(Done{}) : row->check(search, space);
}

// What the method and its own rule share has one value.
Status check_shared(const SweepSpec& spec, const MethodTraits& method) {
  constexpr double most = std::numeric_limits<double>::max();
  const auto own = number_setting(spec.search, method.shared, method.shared_default, {-most, most});
  if (!own) return own.error();
  if (setting(spec.terminator, method.shared).value_or(method.shared_default) == *own)
    return Done{};
  return refuse(Code::invalid, "must be that of search: leave terminator out",
                "/terminator/" + std::string(method.shared));
}

// A method that has its own rule works with that rule alone, and the rule with such methods.
Status check_pair(const SweepSpec& spec) {
  const MethodTraits method = traits_of(spec.search.method);
  if (!method.own_rule.empty()) {
    if (spec.terminator.rule == method.own_rule)
      return method.shared.empty() ? Status(Done{}) : check_shared(spec, method);
    return refuse(Code::invalid,
                  "method " + spec.search.method + " has its own rule: leave terminator out",
                  "/terminator/rule");
  }
  std::string owners;
  for (const MethodTraits& one : method_traits())
    if (!one.own_rule.empty() && one.own_rule == spec.terminator.rule)
      owners += (owners.empty() ? "" : " or ") + std::string(one.name);
  if (owners.empty()) return Done{};
  return refuse(Code::invalid,
                "rule " + spec.terminator.rule + " is that of search: {method: " + owners + "}",
                "/search/method");
}

Status check_objectives(const SweepSpec& spec) {
  if (spec.further_objectives.empty() || spec.terminator.rule == rule_none) return Done{};
  return refuse(Code::invalid,
                "a rule judges by one objective, and this sweep has several: use rule: none",
                "/terminator/rule");
}

// The setting that makes the rule wait for a gain, empty where none does.
std::string least_gain(const TerminatorSpec& spec) {
  for (const TerminatorRow& row : terminator_table())
    if (row.rule == spec.rule && setting(spec, row.least_gain).value_or(0) != 0)
      return std::string(row.least_gain);
  return {};
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
  if (const std::string gain = least_gain(spec.terminator); !gain.empty())
    return no(
        "does not improve by steps: it is there once or not at all, and before that each "
        "value nearer to the bar counts; leave " +
            gain + " out",
        ("/terminator/" + gain).c_str());
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
  const auto row = std::ranges::find(terminator_table(), spec.rule, &TerminatorRow::rule);
  if (row == terminator_table().end())
    return unknown_word("no terminator", spec.rule, known, "/terminator/rule");
  if (auto made = make_terminator(spec, shape); !made) return made.error();
  return row->check == nullptr ? Status(Done{}) : row->check(spec, shape);
}

Error below(Error error, const std::string& at) {
  error.at = at + error.at;
  return error;
}

Status check_trainer(const SweepSpec& spec) {
  const auto* builtin = std::get_if<BuiltinTrainer>(&spec.trainer);
  if (builtin == nullptr) return Done{};
  std::vector<std::string_view> known;
  for (const TrainerInfo& info : trainer_catalog()) known.push_back(info.name);
  const TrainerInfo* trainer = find_trainer(builtin->name);
  if (trainer == nullptr) return unknown_word("no trainer", builtin->name, known, "/trainer/name");

  for (const Param& fixed : builtin->settings) {
    const std::string at = "/trainer/" + fixed.name;
    const auto setting = trainers::setting_of(*trainer, fixed.name);
    if (!setting) return below(setting.error(), at);
    if (auto fits = trainers::check(**setting, fixed.value); !fits) return below(fits.error(), at);
  }
  for (const Parameter& parameter : spec.parameters) {
    const std::string at = "/parameters/" + parameter.name;
    const auto setting = trainers::setting_of(*trainer, parameter.name);
    if (!setting) return below(setting.error(), at);
    if (find(builtin->settings, parameter.name) != nullptr)
      return refuse(Code::invalid, parameter.name + " is set under trainer already", at);
    if (auto fits = trainers::check(**setting, parameter.domain); !fits)
      return below(fits.error(), at);
  }
  const auto objectives = trainers::words_of(trainer->objectives);
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
  const auto setting = trainers::setting_of(*find_trainer(builtin->name), instances.parameter);
  if (!setting) return below(setting.error(), at + "/parameter");
  for (std::size_t i = 0; i < instances.values.size(); ++i)
    if (auto fits = trainers::check(**setting, instances.values[i]); !fits)
      return below(fits.error(), at + "/values/" + std::to_string(i));
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

Status check_new(const SweepSpec& spec) {
  if (spec.confirms)
    return refuse(Code::invalid, "confirmations are made by `hone confirm`", "/confirms");
  const auto& learned = spec.search.warm_start;
  for (std::size_t i = 0; i < learned.size(); ++i)
    if (std::ranges::count(learned.begin(), learned.begin() + static_cast<std::ptrdiff_t>(i),
                           learned[i]) > 0)
      return refuse(Code::invalid,
                    text(learned[i]) + " is named twice: its trials would count twice",
                    "/search/warm_start/" + std::to_string(i));
  for (const auto& check :
       {+[](const SweepSpec& one) { return check_spec(one); }, check_variables, check_environments})
    if (auto fits = check(spec); !fits) return fits;
  return Done{};
}

Status check_environments(const SweepSpec& spec) {
  const auto* builtin = std::get_if<BuiltinTrainer>(&spec.trainer);
  const auto* trainer = builtin == nullptr ? nullptr : find_trainer(builtin->name);
  if (trainer == nullptr) return Done{};
  const auto check = [&](const Value& value, const std::string& at) -> Status {
    const auto* env = std::get_if<std::string>(&value);
    if (env == nullptr) return Done{};
    auto fits = trainers::check_actions(*trainer, *env);
    return fits ? Status(Done{}) : refuse(Code::invalid, fits.error().detail, at);
  };
  if (const Value* env = find(builtin->settings, "env"))
    if (auto fits = check(*env, "/trainer/env"); !fits) return fits;
  for (const Parameter& parameter : spec.parameters) {
    if (parameter.name != "env") continue;
    const auto* choice = std::get_if<ChoiceDomain>(&parameter.domain);
    for (std::size_t i = 0; choice != nullptr && i < choice->values.size(); ++i)
      if (auto fits = check(choice->values[i], "/parameters/env/values/" + std::to_string(i));
          !fits)
        return fits;
  }
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
  if (auto fits = check_pair(spec); !fits) return fits;
  if (auto fits = check_population(spec); !fits) return fits;
  if (auto fits = check_rule_forks(spec); !fits) return fits;
  return check_terminator(spec.terminator, sweep_shape(spec));
}

Status check_changed(const SweepSpec& spec, ValueRule rule) {
  if (auto allowed = rules::check(spec); !allowed) return allowed;
  return check_spec(spec, rule);
}

}  // namespace hone
