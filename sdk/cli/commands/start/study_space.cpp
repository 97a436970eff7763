#include "sdk/cli/commands/start/study_space.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/values/member.hpp"
#include "sdk/cpp/import/occurrence.hpp"

namespace hone::cli {
namespace {

using upkeep::OptunaParam;
using upkeep::OptunaState;
using upkeep::OptunaTrial;

// Joins what trials of one parameter were drawn from: the widest range, all categories.
void widen(Json& known, const Json& more) {
  Json& to = known["attributes"];
  const Json& from = more.at("attributes");
  const auto has_range = [](const Json& one) {
    const auto low = one.find("low"), high = one.find("high");
    return low != one.end() && high != one.end() && low->is_number() && high->is_number();
  };
  if (has_range(to) && has_range(from)) {
    if (from["low"] < to["low"]) to["low"] = from["low"];
    if (from["high"] > to["high"]) to["high"] = from["high"];
  }
  const auto has_choices = [](const Json& one) {
    const auto choices = one.find("choices");
    return choices != one.end() && choices->is_array();
  };
  if (!has_choices(to) || !has_choices(from)) return;
  for (const Json& one : from["choices"])
    if (std::find(to["choices"].begin(), to["choices"].end(), one) == to["choices"].end())
      to["choices"].push_back(one);
}

// The program has asked for every parameter: it did not end before.
bool asked_for_all(const OptunaTrial& trial) {
  return trial.state == OptunaState::complete || trial.state == OptunaState::pruned;
}

Result<SearchSpace> space_of(Json sweep, const Json& parameters) {
  sweep["parameters"] = parameters;
  const auto spec = decode_request<SweepSpec>(sweep);
  if (!spec) return spec.error();
  return SearchSpace::make(spec->parameters, spec->constraints);
}

}  // namespace

Result<StudySpace> StudySpace::make(const upkeep::OptunaStudy& study) {
  StudySpace space(study);
  if (auto joined = space.join_distributions(); !joined) return joined.error();
  if (auto inferred = space.infer_conditions(); !inferred) return inferred.error();
  space.note_translation();
  return space;
}

Status StudySpace::join_distributions() {
  Json distributions = Json::object();
  std::set<std::string> widened;
  for (const OptunaTrial& trial : study_->trials)
    for (const OptunaParam& param : trial.params) {
      const Json& distribution = study_->distributions[param.distribution];
      const auto known = distributions.find(param.name);
      if (known == distributions.end()) {
        distributions[param.name] = distribution;
      } else if (*known != distribution && distribution.is_object() && known->is_object()) {
        const Json before = *known;
        widen(*known, distribution);
        if (*known != before) widened.insert(param.name);
      }
    }
  if (distributions.empty()) return refuse(Code::invalid, "no trial of the study has parameters");
  for (const std::string& name : widened)
    remarks_.push_back(name + ": its range changed between trials; hone's is the widest");
  auto import = find_import_format("optuna")->translate(distributions, {});
  if (!import) return import.error();
  import_ = *std::move(import);
  for (const auto& [theirs, ours] : import_.names) names_[theirs] = ours;
  parameters_ = import_.sweep.at("parameters");
  return Done{};
}

Status StudySpace::infer_conditions() {
  std::vector<AskedParams> trials;
  for (const OptunaTrial& trial : study_->trials) {
    if (!asked_for_all(trial)) continue;
    AskedParams& asked = trials.emplace_back();
    for (const OptunaParam& param : trial.params)
      asked.emplace_back(names_.at(param.name), value_of(param));
  }
  const Occurrences found = infer_occurrences(trials);
  Json conditional = parameters_;
  for (const auto& [name, when] : found.when)
    if (conditional.contains(name)) conditional[name]["when"] = when;
  auto space = space_of(import_.sweep, conditional);
  if (space) {
    parameters_ = std::move(conditional);
    for (const auto& [name, when] : found.when)
      remarks_.push_back(name + ": inferred from the trials: when: " + when);
  } else {
    space = space_of(import_.sweep, parameters_);
    if (!space) return space.error();
  }
  for (const std::string& name : found.unexplained)
    remarks_.push_back(name +
                       ": some trials lack it, and no single earlier parameter explains it:"
                       " searches do not learn from those trials");
  space_ = *std::move(space);
  return Done{};
}

void StudySpace::note_translation() {
  for (const Untranslated& one : import_.lost) remarks_.push_back(one.sentence);
  for (const auto& [pointer, remark] : import_.remarks)
    if (pointer.starts_with("/parameters/")) remarks_.push_back(pointer.substr(12) + ": " + remark);
}

Json StudySpace::params_of(const OptunaTrial& trial) const {
  std::map<std::string, Json> values;
  for (const OptunaParam& param : trial.params) values[names_.at(param.name)] = value_of(param);
  Json params = Json::object();
  for (const auto& [theirs, ours] : import_.names)
    if (const auto found = values.find(ours); found != values.end()) params[ours] = found->second;
  return as_members(std::move(params));
}

std::string StudySpace::why_outside(const Json& given) const {
  const auto params = decode_params(given, "");
  return params ? space_.why_outside(*params) : params.error().detail;
}

// Optuna keeps 0.30000000000000004 of a range with steps of 0.1; hone's value is 0.3.
Json StudySpace::as_members(Json given) const {
  auto params = decode_params(given, "");
  if (!params) return given;
  for (Param& param : *params) {
    const auto known = std::ranges::find(space_.parameters(), param.name, &Parameter::name);
    if (known == space_.parameters().end()) continue;
    if (auto member = member_of(known->domain, param.value)) param.value = *std::move(member);
  }
  return encode(*params);
}

Json StudySpace::value_of(const OptunaParam& param) const {
  const Json& distribution = study_->distributions[param.distribution];
  const std::string kind = distribution.value("name", "");
  const Json& attributes = distribution.at("attributes");
  if (const auto choices = attributes.find("choices"); choices != attributes.end()) {
    const bool fits = choices->is_array() && param.value >= 0 &&
                      param.value < static_cast<double>(choices->size());
    return fits ? (*choices)[static_cast<std::size_t>(param.value)] : Json(param.value);
  }
  if (kind.starts_with("Int") && std::abs(param.value) < 9e15)
    return static_cast<std::int64_t>(std::llround(param.value));
  return param.value;
}

}  // namespace hone::cli
