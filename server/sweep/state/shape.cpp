#include "server/sweep/state/shape.hpp"

#include "schemas/types/spec.hpp"

namespace hone {

Replication replication_of(const SweepSpec& spec) {
  return {first_runs(spec),     most_runs(spec),    spec.replicates.aggregate,
          spec.replicates.race, instances_of(spec), by_ranks(spec),
          !rescaled(spec)};
}

SweepShape sweep_shape(const SweepSpec& spec) {
  SweepShape shape{.trials = spec.search.trials,
                   .seeds = first_runs(spec),
                   .phases = spec.budget.phases,
                   .timed = spec.limits.duration.has_value(),
                   .replication = replication_of(spec),
                   .seed = spec.seed,
                   .until_bar = spec.objective.reach.has_value()};
  if (!is_population(spec)) return shape;
  // A spec that was not checked yet may have settings that are refused later.
  if (const auto population = read_population(spec.search)) shape.population = *population;
  return shape;
}

}  // namespace hone
