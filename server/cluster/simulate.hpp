// A cluster in intervals under a virtual clock: at each interval's begin the policy allocates and
// places; jobs progress at the rates of their placement and end between intervals.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "base/result.hpp"
#include "server/cluster/policies.hpp"

namespace hone::cluster {

struct Outcome {
  std::vector<double> completion_s;  // of each job, from its arrival
  double makespan_s = 0;             // from the first arrival to the last end
  double waiting_s = 0;              // mean time without tasks
  double busy = 0;                   // mean share of the CPU slots in use until the makespan
  double gpus_busy = 0;              // the same of the GPUs; 0 without GPUs
  int moves = 0;                     // of running jobs
  std::map<PairKey, int> together;   // pairs: intervals in which both shared a GPU
  [[nodiscard]] double mean_completion_s() const;
};

// What a policy is made of, for a policy that is no row of the table: a learned one.
struct Scheduler {
  const AllocationRow* allocation = nullptr;
  Place place;
  bool knows = false;
  bool (*keeps)(const View& view, const Grant& grant, const Layout& layout) = nullptr;
};
Scheduler scheduler_of(const PolicyRow& row);

// Units of work a second of each job; rates_of(), or a learned model of it.
using RateModel =
    std::function<std::vector<double>(const ClusterSetup& setup, std::span<const Placed> running)>;

// A simulation that can be stopped between intervals, for policies that learn.
class Simulation {
 public:
  // `setup` and `jobs` must outlive it.
  Simulation(const ClusterSetup& setup, const std::vector<Job>& jobs, std::uint64_t seed,
             RateModel rates = rates_of);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Schedules and runs one interval. False when all jobs have ended. An idle stretch is skipped.
  bool step(const Scheduler& scheduler);
  // The jobs in the system, with their layouts in the last interval.
  [[nodiscard]] const std::vector<ActiveJob>& active() const;
  // The sum over the jobs of the share of their work that the last interval did.
  [[nodiscard]] double progress() const;
  [[nodiscard]] const Outcome& outcome() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Refuses a simulation that does not end: a job that fits on no server, or makes no progress.
Result<Outcome> simulate(const ClusterSetup& setup, const std::vector<Job>& jobs,
                         const Scheduler& scheduler, std::uint64_t seed);

}  // namespace hone::cluster
