// What a user submits, decoded and with every default filled in (ARCHITECTURE.md, "The sweep
// file").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/types/budget_spec.hpp"
#include "schemas/types/dataset_spec.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/replicates_spec.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/search_spec.hpp"
#include "schemas/types/space.hpp"
#include "schemas/types/trainer_spec.hpp"

namespace hone {

struct SweepSpec {
  std::string name;
  std::string project = "default";
  std::uint64_t seed = 0;
  Objective objective;                        // what terminators judge by
  std::vector<Objective> further_objectives;  // traded off against it; empty for one objective
  TrainerSpec trainer;
  std::vector<std::string> evaluate{};  // the words of a command that measures a saved model
  Space parameters;
  std::vector<std::string> constraints;  // conditions that every parameter set must satisfy
  SearchSpec search;
  TerminatorSpec terminator;
  BudgetSpec budget;
  int seeds = 1;  // replicates.seeds: runs of every trial, which differ by seed
  ResourcesSpec resources;
  LimitsSpec limits;
  std::optional<int> share{};  // weight in the division of slots between sweeps; unset: 1
  SlotsSpec slots{};
  std::optional<Deadline> by{};  // a goal: limits.duration is the limit
  CheckpointsSpec checkpoints{};
  std::vector<DatasetSpec> datasets{};
  ReplicatesSpec replicates{};
  std::optional<ConfirmSpec> confirm{};  // once the sweep is completed
  SweepId confirms{};  // this sweep confirms that one; its seeds are drawn from another stream
  friend bool operator==(const SweepSpec&, const SweepSpec&) = default;
};

inline bool is_population(const SweepSpec& spec) {
  return is_population_method(spec.search.method);
}

// The step of a pipeline, null where there is none: a sweep without steps has no step 0.
// Its command, or those of its steps.
std::vector<const CommandTrainer*> commands_of(const SweepSpec& spec);
const StepSpec* step_of(const SweepSpec& spec, int step);
// Steps of every run: 1 without a pipeline.
int steps_of(const SweepSpec& spec);
// What a lease of this step holds.
ResourcesSpec resources_of(const SweepSpec& spec, int step);
// The budget of a step that begins after so many reports: it ends with the step's phases.
BudgetSpec budget_of(const SweepSpec& spec, int step, int reported);
// The fewest slots that a step needs.
int least_slots(const SweepSpec& spec);
// What a worker needs for every step.
ResourcesSpec most_resources(const SweepSpec& spec);
// Whether the step gets the files of an earlier one.
bool needs(const StepSpec& step, const std::string& earlier);

// Runs that every trial starts with, and the most it may get: each seed on each instance.
inline int instances_of(const SweepSpec& spec) {
  return spec.replicates.instances ? static_cast<int>(spec.replicates.instances->values.size()) : 1;
}
inline bool by_ranks(const SweepSpec& spec) {
  return spec.replicates.instances && spec.replicates.instances->normalize == Normalize::ranks;
}
// Whether values count on the sweep's own scale, on which more is better under either goal.
inline bool rescaled(const SweepSpec& spec) {
  return by_ranks(spec) || (spec.replicates.instances && !spec.replicates.instances->worst.empty());
}
inline int first_runs(const SweepSpec& spec) { return spec.seeds * instances_of(spec); }
inline int most_runs(const SweepSpec& spec) {
  return (spec.replicates.max > spec.seeds ? spec.replicates.max : spec.seeds) * instances_of(spec);
}

}  // namespace hone
