// Training jobs as they were measured: seconds of an iteration by placement and samples of a GPU,
// and iterations by samples of all GPUs. The data of Pollux's simulator (Qiao et al., OSDI 2021).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hone::cluster {

// The text of the files of one application. All of it is untrusted.
struct ProfileFiles {
  // placements.csv: placement,local_bsz,step_time,sync_time; the placement 244 has two GPUs of a
  // server and four of two others each.
  std::string placements;
  // scalability.csv: num_nodes,num_replicas,local_bsz,step_time,sync_time. May be empty.
  std::string scalability;
  // validation-N.csv by the samples N of an iteration: progress,grad_sqr,grad_var and others, a row
  // for each epoch.
  std::map<int, std::string> validations;
};

// What the authors' program, not their data, says of some applications.
struct ProfileLimits {
  int samples_max = 0;  // of a GPU at once; 0: the most that were measured
  int workers_max = 0;  // 0: as many as the samples allow
};

class Profile {
 public:
  static Result<Profile> read(const ProfileFiles& files, const ProfileLimits& limits);

  // Seconds of an iteration of `samples` in all on GPUs of servers, as many as each number says.
  // A GPU that cannot hold its part accumulates gradients over several passes. Placements that
  // were not measured are interpolated between those of as many GPUs for each server. At least one
  // number, all positive.
  [[nodiscard]] double iteration_s(std::span<const int> placement, int samples) const;

  // Iterations that train as far as the recorded epochs do: their progress divided by the gain of
  // such an iteration over one of the least samples (AdaScale's).
  [[nodiscard]] double iterations(int samples) const;

  // Iterations were recorded between these two numbers of samples.
  [[nodiscard]] int samples_min() const { return epochs_.begin()->first; }
  [[nodiscard]] int samples_max() const { return epochs_.rbegin()->first; }
  // Workers that still have the least measured samples each; at least 1.
  [[nodiscard]] int workers_max(int samples) const;

 private:
  struct Seconds {
    double step = 0;
    double sync = 0;  // of the step
  };
  struct Epoch {
    double progress = 0;
    double gradient = 0, noise = 0;  // squared norm and variance
  };
  // By samples of a GPU.
  using Curve = std::map<int, Seconds>;

  [[nodiscard]] Seconds seconds_of(std::span<const int> placement, int samples) const;
  [[nodiscard]] Seconds between_sizes(double servers, double workers, int samples) const;
  Status read_placements(std::string_view text);
  Status read_scalability(std::string_view text);
  Status read_epochs(const std::map<int, std::string>& validations);

  std::map<std::vector<int>, Curve> placements_;  // by the smallest rotation
  std::map<int, std::map<int, Curve>> sizes_;     // by servers and workers: means
  std::map<int, std::vector<Epoch>> epochs_;      // by samples of an iteration
  int least_ = 0, most_ = 0;                      // samples of a GPU
  int workers_most_ = 0;
};

}  // namespace hone::cluster
