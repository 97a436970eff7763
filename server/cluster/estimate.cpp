#include "server/cluster/estimate.hpp"

#include <algorithm>
#include <cmath>

namespace hone::cluster {
namespace {

constexpr std::size_t points_min = 10;    // no forecast before
constexpr double epochs_assumed = 20;     // as Optimus' scheduler assumes without one
constexpr std::size_t samples_max = 100;  // of speeds; the first stay

}  // namespace

Estimate::Estimate(const ClusterSetup& setup, const Job& job, std::uint64_t seed,
                   std::uint64_t index)
    : setup_(&setup), job_(&job), rng_(seed, Purpose::simulation, index) {
  constexpr int measured_max = 8;  // workers and servers of a sample
  for (int i = 0; i < setup.exchange.samples; ++i)
    observe({1 + static_cast<int>(rng_.below(measured_max)),
             1 + static_cast<int>(rng_.below(measured_max))},
            0);
  fit_speed();
}

void Estimate::advance(double done) {
  done_ = done;
  const auto epochs = static_cast<std::size_t>(done / job_->steps_per_epoch);
  bool added = false;
  while (losses_.size() < epochs) {
    const auto epoch = static_cast<double>(losses_.size());
    const double noise = 1 + setup_->exchange.loss_noise * rng_.normal();
    losses_.push_back({epoch, job_->loss.at(epoch) * noise});
    added = true;
  }
  if (!added || losses_.size() < points_min) return;
  const auto fit = forecast::fit_curve(*job_->loss.family, losses_);
  if (!fit) return;
  const forecast::ConvergenceRule rule{setup_->exchange.converged,
                                       setup_->exchange.converged_epochs, 10'000};
  forecast_epochs_ = forecast::converged_at(*fit, rule).value_or(0);
}

void Estimate::observe(const Tasks& tasks, double rate) {
  if (samples_.size() >= samples_max) return;
  const double truth = rate > 0 ? rate : steps_per_s(*setup_, *job_, tasks, nullptr);
  const double noise = std::max(0.1, 1 + setup_->exchange.noise * rng_.normal());
  samples_.push_back({tasks.servers, tasks.workers, truth * noise});
  if (rate > 0) fit_speed();
}

void Estimate::fit_speed() {
  model_ = forecast::fit_speed(job_->mode, setup_->exchange.batches_per_step, samples_);
}

double Estimate::remaining() const {
  const double epochs = done_ / job_->steps_per_epoch;
  const double total = forecast_epochs_ > 0 ? forecast_epochs_ : epochs + epochs_assumed;
  return std::max(total - epochs, 1.0) * job_->steps_per_epoch;
}

double Estimate::speed(const Tasks& tasks) const {
  if (!model_ || tasks.workers < 1 || tasks.servers < 1) return 0;
  return model_->steps_per_s(tasks.servers, tasks.workers);
}

}  // namespace hone::cluster
