#include "server/cluster/setup.hpp"

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"

namespace hone::cluster {
namespace {

double exponential(Rng& rng) { return -std::log(1 - rng.uniform()); }

// What the losses of a job are, and after how many steps it has converged.
void draw_loss(const ClusterSetup& setup, Rng& rng, Job& job) {
  const JobType& type = setup.types[static_cast<std::size_t>(job.type)];
  const ParameterServers& exchange = setup.exchange;
  job.mode = rng.uniform() < 0.5 ? forecast::UpdateMode::sync : forecast::UpdateMode::async;
  if (type.speed) job.mode = type.speed->mode;
  job.loss.family = forecast::find_curve_family("inverse");
  job.loss.parameters = {rng.uniform(0.1, 0.4), rng.uniform(0.8, 1.3), rng.uniform(0.02, 0.15)};
  const forecast::ConvergenceRule rule{exchange.converged, exchange.converged_epochs, 10'000};
  const double epochs = forecast::converged_at(job.loss, rule).value_or(rule.last);
  const double batches = std::min(type.batches, exchange.epoch_s / std::max(type.compute_s, 1e-3));
  job.steps_per_epoch = std::max(1.0, std::round(batches / exchange.batches_per_step));
  job.work = epochs * job.steps_per_epoch;
}

}  // namespace

std::vector<JobType> usual_types() {
  return {{"resnet-50", 0.449, 102.2, 115, {0.25, 0.35, 0.20, 0.20}},
          {"vgg-16", 0.535, 553.4, 115, {0.20, 0.30, 0.15, 0.20}},
          {"resnext-110", 0.226, 6.92, 390, {0.45, 0.25, 0.05, 0.30}},
          {"inception-bn", 0.815, 42.1, 120, {0.20, 0.30, 0.45, 0.20}},
          {"seq2seq", 0.075, 36.5, 780, {0.30, 0.45, 0.02, 0.35}},
          {"cnn-text", 0.585, 24.0, 193, {0.50, 0.10, 0.02, 0.40}},
          {"dssm", 0.567, 6.0, 349, {0.45, 0.10, 0.05, 0.45}},
          {"wlm", 0.154, 19.2, 165, {0.25, 0.40, 0.02, 0.30}}};
}

int ClusterSetup::gpus() const {
  int sum = 0;
  for (const ServerShape& server : servers) sum += server.gpus;
  return sum;
}

int ClusterSetup::cpus() const {
  int sum = 0;
  for (const ServerShape& server : servers) sum += server.cpus;
  return sum;
}

std::vector<Job> draw_jobs(const ClusterSetup& setup, std::uint64_t seed) {
  Rng rng(seed, Purpose::simulation, 0);
  const Workload& workload = setup.workload;
  std::vector<Job> jobs;
  double at = 0;
  for (int i = 0; i < workload.jobs; ++i) {
    Job job;
    job.type = static_cast<int>(rng.below(setup.types.size()));
    const auto span = static_cast<std::uint64_t>(workload.workers_max - workload.workers_min + 1);
    job.wanted.workers = workload.workers_min + static_cast<int>(rng.below(span));
    if (workload.has_servers)
      job.wanted.servers =
          1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(job.wanted.workers)));
    at +=
        workload.per_interval > 0 ? exponential(rng) * setup.interval_s / workload.per_interval : 0;
    job.arrival_s = workload.per_interval > 0 ? at : rng.uniform(0, workload.over_s);
    job.work = workload.length_median_s * std::exp(workload.length_sigma * rng.normal());
    if (setup.rule == SpeedRule::parameter_servers) draw_loss(setup, rng, job);
    jobs.push_back(job);
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job& a, const Job& b) { return a.arrival_s < b.arrival_s; });
  return jobs;
}

}  // namespace hone::cluster
