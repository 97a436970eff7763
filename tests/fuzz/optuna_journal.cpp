// A journal of Optuna, as `hone import optuna` reads it.
#include <cmath>
#include <nlohmann/json.hpp>

#include "server/upkeep/optuna_study.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace hone::fuzz {
namespace {

void check_trial(const upkeep::OptunaStudy& study, const upkeep::OptunaTrial& trial) {
  for (const auto& param : trial.params)
    expect(param.distribution < study.distributions.size() && std::isfinite(param.value),
           "a parameter has a number and a distribution");
  for (std::size_t i = 0; i < trial.intermediate.size(); ++i)
    expect(std::isfinite(trial.intermediate[i].second) &&
               (i == 0 || trial.intermediate[i - 1].first < trial.intermediate[i].first),
           "a step has one finite value, and steps are in order");
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  const MemoryFile input(text_of(data, size));
  const auto studies = upkeep::read_optuna_journal(input.path());
  if (!studies) return expect(!studies.error().detail.empty(), "a refusal says why");
  for (const auto& study : *studies) {
    for (const Json& distribution : study.distributions)
      expect(distribution.is_object(), "a distribution has members");
    for (const auto& trial : study.trials) check_trial(study, trial);
  }
}

}  // namespace hone::fuzz
