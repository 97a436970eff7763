// Randomness is an address: Rng(seed, purpose, index) names an independent generator, so that
// neither arrival order nor a new parameter ever shifts another draw.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace hone {

// Adding a purpose never disturbs the others. The numbers are part of the recorded behaviour: never
// reuse one.
enum class Purpose : std::uint64_t {
  propose = 1,        // index: trial number
  run_seed = 2,       // index: trial number * 2^20 + replicate
  simulation = 3,     // index: what the simulator likes
  witness = 4,        // index: 0
  scramble = 5,       // index: dimension of a low-discrepancy sequence
  rule = 6,           // index: what the terminator likes
  importance = 7,     // index: 0, or tree + 1
  rest = 8,           // index: a run's number in its sweep * 2^20 + attempts
  mixture = 9,        // index: trial number; which of a method's ways proposes
  confirm_seed = 10,  // index: sweep * 2^20 + seed; of a confirmation's runs
  bootstrap = 11,     // index: resample
  exploit = 12,       // index: a run's number in its sweep * 2^20 + phase; whom a member follows
  explore = 13,       // index: trial number + 2^32 * draw; how a fork differs from its origin
};

// xoshiro256++, its state filled by SplitMix64 from the mixed address.
class Rng : public Uniform<Xoshiro256> {
 public:
  Rng(std::uint64_t seed, Purpose purpose, std::uint64_t index);

  std::uint64_t below(std::uint64_t bound);  // [0, bound), without bias. Precondition: bound > 0
  double normal();  // mean 0, variance 1 (polar method; draws in pairs, keeps none)
};

}  // namespace hone
