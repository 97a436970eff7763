// The faults of one simulated world and their rates, drawn from its seed, so that worlds differ in
// kind.
#pragma once

#include <string>

#include "base/rng.hpp"
#include "schemas/types/instant.hpp"

namespace hone::sim {

struct FaultPlan {
  double drop = 0;           // of every message, each way
  double duplicate = 0;      // of every request
  Duration delay_max{};      // of every message, uniform
  double disk = 0;           // of every write and sync: one of faultfs::Fault
  double crash = 0;          // of the server, at every step
  double worker_death = 0;   // kill -9, once a second and worker
  double worker_end = 0;     // TERM, the same
  double process_death = 0;  // of every phase
  double broken = 0;         // of every phase: the program fails for its parameters
  double deaf = 0;           // share of processes that ignore TERM
  double diverged = 0;       // share of reports
  double partition = 0;      // once a second and worker: cut off, one way or both
  double clock_step = 0;     // once a second: the server's clock is set, by hours
  double contention = 0;     // by which each other process of a worker lengthens a phase

  static FaultPlan draw(Rng& rng);
  static FaultPlan none();  // a little delay, nothing else

  // Whether every message arrives once and soon, and the server stays: a worker that gets TERM can
  // return what it holds.
  [[nodiscard]] bool reaches_the_server() const;
};

std::string text(const FaultPlan& plan);

}  // namespace hone::sim
