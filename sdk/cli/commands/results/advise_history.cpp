#include "sdk/cli/commands/results/advise_history.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "schemas/trainers/trainers.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/input.hpp"

namespace hone::cli {
namespace {

constexpr std::size_t sweeps_max = 100;  // the newest: each is a request
constexpr std::size_t runs_max = 5000;   // their curves are held at once

bool same_problem(const Json& spec, const Json& other) {
  return environment_of(spec) == environment_of(other) &&
         member(spec, "/objective/metric") == member(other, "/objective/metric") &&
         member(spec, "/objective/goal") == member(other, "/objective/goal") &&
         member(spec, "/budget/unit") == member(other, "/budget/unit");
}

// The setting of a run: of its parameters, else of its sweep's trainer.
const Json& setting_of(const Json& spec, const Json& params, const std::string& name) {
  const Json& searched = member(params, "/" + name);
  return searched.is_null() ? member(spec, "/trainer/" + name) : searched;
}

// The reports until one that is no number, and whether its values are why it has no more of them.
forecast::AdviceRun advice_run(const Json& run) {
  forecast::AdviceRun found;
  const std::string state = text_at(run, "/state");
  found.stopped = state == "stopped" || state == "paused";
  for (const Json& report : member(run, "/curve")) {
    const Json& value = member(report, "/value");
    const Json& time = member(report, "/seconds");
    const double seconds = time.is_number() ? time.get<double>() : 0;
    const auto step = static_cast<double>(int_at(report, "/step"));
    if (!value.is_number()) found.stopped = true;
    if (!value.is_number() || !(step > 0) || !(seconds > 0)) break;
    if (!found.curve.empty() && step <= found.curve.back().step) break;
    found.curve.push_back({step, seconds, value.get<double>()});
  }
  return found;
}

void add_runs(const Json& spec, const std::vector<Json>& runs, AdviceHistory& history) {
  for (const Json& run : runs) {
    const Json& params = member(run, "/params");
    auto found = advice_run(run);
    found.trainer = text_at(spec, "/trainer/name");
    found.size = size_of_run(spec, params);
    if (changes_size(spec, params))
      ++history.changing;
    else if (found.curve.empty())
      ++history.unmeasured;
    else
      history.runs.push_back(std::move(found));
  }
}

}  // namespace

std::string environment_of(const Json& spec) {
  const Json& env = member(spec, "/trainer/env");
  return env.is_string() ? env.get<std::string>() : std::string();
}

std::string size_name(const std::string& trainer) {
  const TrainerInfo* info = find_trainer(trainer);
  for (const char* name : {"agents", "actors"})
    if (info != nullptr && find_setting(*info, name) != nullptr) return name;
  return {};
}

bool changes_size(const Json& spec, const Json& params) {
  const TrainerInfo* info = find_trainer(text_at(spec, "/trainer/name"));
  if (info == nullptr || find_setting(*info, "dynamic") == nullptr) return false;
  const Json& dynamic = setting_of(spec, params, "dynamic");
  return dynamic.is_null() ? setting_of(spec, params, "mode") == "parity" : dynamic == "yes";
}

int size_of_run(const Json& spec, const Json& params) {
  const std::string trainer = text_at(spec, "/trainer/name");
  const std::string name = size_name(trainer);
  if (name.empty()) return 1;
  const Json& size = setting_of(spec, params, name);
  const SettingInfo& info = *find_setting(*find_trainer(trainer), name);
  const double count =
      size.is_number() ? size.get<double>() : parse_number(info.fallback).value_or(1);
  return static_cast<int>(std::clamp(count, info.range.min, info.range.max));
}

Result<AdviceHistory> advice_history(Session& session, const Json& spec) {
  AdviceHistory history;
  const auto sweeps = session.list("/v1/sweeps?limit=100", sweeps_max);
  if (!sweeps) return sweeps.error();
  history.cut = sweeps->size() >= sweeps_max;
  for (const Json& item : *sweeps) {
    const std::string path = "/v1/sweeps/" + text_at(item, "/id");
    const auto sweep = session.get(path);
    if (!sweep) return sweep.error();
    const Json& other = member(*sweep, "/spec");
    if (!same_problem(spec, other)) continue;
    const auto runs = session.list(path + "/curves?limit=1000", runs_max - history.runs.size());
    if (!runs) return runs.error();
    add_runs(other, *runs, history);
    if (history.runs.size() < runs_max) continue;
    history.cut = true;
    break;
  }
  return history;
}

}  // namespace hone::cli
