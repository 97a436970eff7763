#include "study/file/cells.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/problem.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/spec.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone::study {
namespace {

constexpr std::int64_t trials_max = 100'000;  // of a repetition that ends by its cost

// Below 2^52, so that every reader of JSON has it exactly.
std::uint64_t seed_of(const Study& study, const Unit& unit, std::string_view purpose) {
  constexpr std::size_t digits = 13;
  const std::string address = std::to_string(study.seed) + "/" + study.problems[unit.problem].name +
                              "/" + std::to_string(unit.repetition) + "/" + std::string(purpose);
  return std::stoull(sha256_hex(address).substr(0, digits), nullptr, 16);
}

// Enough trials that the cost ends the sweep: without stopping, and ten times that with.
std::int64_t trials_of(const Study& study, const Problem& problem) {
  constexpr std::int64_t cheaper = 10;
  if (study.equal.trials) return *study.equal.trials;
  const auto per_run = steps_per_run(problem);
  const auto limit = step_limit(study, problem);
  if (!limit || per_run == 0) return trials_max;
  return std::clamp<std::int64_t>(*limit / per_run * cheaper, 1, trials_max);
}

Json with_name(Json sweep, const Study& study, const Unit& unit, std::string_view role) {
  constexpr std::size_t digits = 8;
  sweep["project"] = project_of(study);
  sweep["name"] = study.methods[unit.method].name + " " + study.problems[unit.problem].name + " " +
                  std::to_string(unit.repetition + 1) + " " + std::string(role) + " " +
                  sha256_hex(to_text(sweep)).substr(0, digits);
  return sweep;
}

void put_default(Json& object, const char* key, Json value) {
  if (!object.contains(key)) object[key] = std::move(value);
}

Error with_cell(const Study& study, const Unit& unit, const Error& error) {
  return refuse(error.code,
                "method " + study.methods[unit.method].name + " on problem " +
                    study.problems[unit.problem].name + ": " +
                    (error.at.empty() ? "" : error.at + ": ") + error.detail,
                "");
}

Status check_cell(const Study& study, const Unit& unit) {
  const auto spec = decode_request<SweepSpec>(tuning_sweep(study, unit));
  if (!spec) return spec.error();
  if (const auto fits = check_spec(*spec); !fits) return fits.error();
  if (is_population(*spec))
    return refuse(Code::invalid, "a population has no single set that could be trained again");
  if (!spec->further_objectives.empty())
    return refuse(Code::invalid, "a study compares values of one objective");
  return Done{};
}

}  // namespace

std::int64_t steps_per_run(const Problem& problem) {
  const auto budget = problem.sweep.find("budget");
  if (budget == problem.sweep.end()) return 0;
  auto sweep = problem.sweep;
  sweep["search"] = {{"method", drawing_method}, {"trials", 1}};
  const auto spec = decode_request<SweepSpec>(sweep);
  return spec ? spec->budget.per_run * instances_of(*spec) : 0;
}

std::optional<std::int64_t> step_limit(const Study& study, const Problem& problem) {
  if (study.equal.runs) return *study.equal.runs * steps_per_run(problem);
  return study.equal.steps;
}

std::vector<Unit> units_of(const Study& study, int repetitions) {
  std::vector<Unit> units;
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (std::size_t problem = 0; problem < study.problems.size(); ++problem)
      for (std::size_t method = 0; method < study.methods.size(); ++method)
        units.push_back({method, problem, repetition});
  return units;
}

std::string project_of(const Study& study) { return "study " + study.name; }

Json tuning_sweep(const Study& study, const Unit& unit) {
  const Problem& problem = study.problems[unit.problem];
  Json sweep = problem.sweep;
  sweep["seed"] = seed_of(study, unit, "tuning");
  sweep["search"] = study.methods[unit.method].search;
  put_default(sweep["search"], "trials", trials_of(study, problem));
  if (const Json& terminator = study.methods[unit.method].terminator; !terminator.empty())
    sweep["terminator"] = terminator;
  put_default(sweep, "limits", Json::object());
  sweep["limits"]["concurrency"] = study.workers;
  return with_name(std::move(sweep), study, unit, "tuning");
}

Json test_sweep(const Study& study, const Unit& unit, const Json& params) {
  Json sweep = study.problems[unit.problem].sweep;
  sweep["seed"] = seed_of(study, unit, "test");
  sweep["parameters"] = Json::object();
  for (const auto& [name, value] : params.items())
    sweep["parameters"][name] = {{"type", "fixed"}, {"value", value}};
  sweep.erase("constraints");
  sweep["search"] = {{"method", drawing_method}, {"trials", 1}};
  sweep["terminator"] = {{"rule", rule_none}};
  put_default(sweep, "replicates", Json::object());
  if (sweep["replicates"].is_object()) {
    sweep["replicates"]["seeds"] = study.measure.seeds;
    sweep["replicates"].erase("race");
  }
  return with_name(std::move(sweep), study, unit, "test");
}

std::string name_of(const Json& sweep) { return sweep.at("name").get<std::string>(); }

std::string request_id_of(const Json& sweep) {
  constexpr std::size_t digits = 32;
  return sha256_hex("study " + to_text(sweep)).substr(0, digits);
}

std::vector<std::string> tags_of(const Study& study, const Unit& unit, std::string_view role) {
  return {"study/" + study.name,
          "cell/" + study.methods[unit.method].name + "/" + study.problems[unit.problem].name,
          "repetition/" + std::to_string(unit.repetition + 1), std::string(role)};
}

Status check_study(const Study& study) {
  for (const Unit& unit : units_of(study, 1))
    if (const auto fits = check_cell(study, unit); !fits)
      return with_cell(study, unit, fits.error());
  return Done{};
}

}  // namespace hone::study
