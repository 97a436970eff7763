// What Optimus knows about a job while it runs: losses measured at the end of each epoch, from
// which it forecasts the epoch of convergence, and speeds measured for a few numbers of tasks.
#pragma once

#include "server/cluster/policies.hpp"

namespace hone::cluster {

class Estimate {
 public:
  // Measures `samples` speeds before the job is scheduled, each task on a server to itself.
  Estimate(const ClusterSetup& setup, const Job& job, std::uint64_t seed, std::uint64_t index);

  // The job has done that much work. Measures the losses of the epochs that ended since.
  void advance(double done);
  // It ran at that speed with these tasks.
  void observe(const Tasks& tasks, double rate);

  // Forecast of the work left. Before ten epochs there is no forecast: twenty epochs more.
  [[nodiscard]] double remaining() const;
  [[nodiscard]] double speed(const Tasks& tasks) const;

 private:
  void fit_speed();

  const ClusterSetup* setup_;
  const Job* job_;
  Rng rng_;
  double done_ = 0;
  double forecast_epochs_ = 0;  // 0: none yet
  std::vector<forecast::CurvePoint> losses_;
  std::vector<forecast::SpeedSample> samples_;
  std::optional<forecast::SpeedModel> model_;
};

}  // namespace hone::cluster
