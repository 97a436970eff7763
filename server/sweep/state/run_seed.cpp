#include "server/sweep/state/run_seed.hpp"

#include "schemas/types/spec.hpp"

namespace hone {

std::uint64_t run_seed(const SweepSpec& spec, std::int64_t trial_number, int replicate) {
  if (spec.confirms) return confirm_seed(spec.seed, spec.confirms, replicate / instances_of(spec));
  return run_seed(spec.seed, trial_number, replicate);
}

}  // namespace hone
