// What a policy did in the simulations of several seeds.
#pragma once

#include <cstdint>
#include <vector>

#include "server/cluster/simulate.hpp"

namespace hone::cluster {

struct MeanOfSeeds {
  double mean = 0;
  double standard_error = 0;  // 0 for one seed
};

struct Summary {
  int seeds = 0;
  MeanOfSeeds completion_s;                    // of the mean completion of a seed's jobs
  double median_s = 0, p95_s = 0;              // completion over the jobs of all seeds
  MeanOfSeeds makespan_s;                      // from the first arrival to the last end
  MeanOfSeeds waiting_s;                       // of a job, without tasks
  MeanOfSeeds slots_busy, gpus_busy;           // shares until the makespan
  double moves = 0;                            // of running jobs, mean of the seeds
  std::vector<double> completions_of_seeds_s;  // the mean completion of each seed, in order
};

// Refuses a comparison whose completion times, one for each job, seed and policy, would fill the
// memory. None of the numbers is negative.
inline constexpr std::int64_t completions_max = 50'000'000;  // 400 MB
Status check_amount(std::int64_t seeds, std::int64_t jobs, std::int64_t policies);

class Tally {
 public:
  void add(const Outcome& outcome) { outcomes_.push_back(outcome); }
  // Precondition: something was added.
  [[nodiscard]] Summary summary() const;

 private:
  std::vector<Outcome> outcomes_;
};

// Mean completion relative to that of another policy on the same seeds: of the means, with the
// standard error of the ratio (Taylor linearization; Cochran, "Sampling Techniques", 1977, 6.4).
MeanOfSeeds relative_completion(const Summary& policy, const Summary& other);

}  // namespace hone::cluster
