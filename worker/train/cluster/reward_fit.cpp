#include "worker/train/cluster/reward_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "server/cluster/simulate.hpp"
#include "worker/train/cluster/episode.hpp"
#include "worker/train/nn/adam.hpp"

namespace hone::trainers {
namespace {

constexpr std::uint64_t record_stream = 1ULL << 33U;  // indices of the random streams
constexpr std::uint64_t fit_stream = record_stream + 1;
constexpr std::size_t batch_records = 16;
constexpr int patience = 10;  // passes

std::vector<cluster::Placed> placed_of(const SpeedRecord& record) {
  std::vector<cluster::Placed> placed;
  for (std::size_t i = 0; i < record.jobs.size(); ++i)
    placed.push_back({&record.jobs[i], &record.layouts[i]});
  return placed;
}

SpeedRecord record_of(const cluster::ClusterSetup& setup, std::span<const cluster::Placed> running,
                      double noise, Rng& rng) {
  SpeedRecord record;
  for (const cluster::Placed& placed : running) {
    record.jobs.push_back(*placed.job);
    record.layouts.push_back(*placed.layout);
  }
  record.speeds = cluster::normalized_speeds(setup, running);
  if (noise > 0)
    for (double& speed : record.speeds) speed *= std::max(0.0, 1 + noise * rng.normal());
  return record;
}

}  // namespace

std::vector<SpeedRecord> record_speeds(const cluster::ClusterSetup& setup, std::size_t count,
                                       double noise, std::uint64_t seed,
                                       const std::stop_token& stop,
                                       const std::function<void()>& tick) {
  constexpr std::array<std::string_view, 3> policies{"load-balancing", "packing", "random"};
  std::vector<SpeedRecord> records;
  Rng rng(seed, Purpose::simulation, record_stream);
  std::size_t fruitless = 0;  // episodes in a row without a record
  for (std::size_t episode = 0; records.size() < count && fruitless < policies.size(); ++episode) {
    const std::size_t before = records.size();
    const std::uint64_t drawn = rng.bits();
    const auto jobs = cluster::draw_jobs(setup, drawn);
    bool fresh = false;  // one record of an interval
    cluster::Simulation simulation(
        setup, jobs, drawn,
        [&](const cluster::ClusterSetup& of, std::span<const cluster::Placed> running) {
          if (fresh && !running.empty() && records.size() < count)
            records.push_back(record_of(of, running, noise, rng));
          fresh = false;
          return cluster::rates_of(of, running);
        });
    const auto scheduler =
        cluster::scheduler_of(*cluster::find_policy(policies[episode % policies.size()]));
    int idle = 0;
    for (bool more = true; more && records.size() < count && idle < idle_intervals_max;) {
      if (stop.stop_requested()) return records;
      fresh = true;
      more = simulation.step(scheduler);
      idle = simulation.progress() > 0 ? 0 : idle + 1;
      tick();
    }
    fruitless = records.size() > before ? 0 : fruitless + 1;
  }
  return records;
}

double mean_error(const cluster::ClusterSetup& setup, std::span<const SpeedRecord> records,
                  const cluster::RewardModel& model) {
  double sum = 0, count = 0;
  for (const SpeedRecord& record : records) {
    const auto speeds = model.speeds(setup, placed_of(record));
    for (std::size_t i = 0; i < speeds.size(); ++i) sum += std::abs(speeds[i] - record.speeds[i]);
    count += static_cast<double>(speeds.size());
  }
  return count > 0 ? sum / count : 0;
}

RewardFit fit_reward(const cluster::ClusterSetup& setup, const std::vector<SpeedRecord>& records,
                     const RewardFitPlan& plan, cluster::RewardModel& model,
                     const std::stop_token& stop, const std::function<void()>& tick) {
  Rng rng(plan.seed, Purpose::simulation, fit_stream);
  model.weights() = model.net().first_weights(rng);
  const std::size_t held_out = std::max<std::size_t>(1, records.size() / 10);
  const std::span<const SpeedRecord> all(records);
  std::vector<std::size_t> order(records.size() - held_out);
  std::iota(order.begin(), order.end(), 0U);
  Adam adam;
  RewardFit fit{0, mean_error(setup, all.last(held_out), model)};
  std::vector<double> best = model.weights();
  for (int epoch = 1, stale = 0; epoch <= plan.epochs && stale < patience; ++epoch, ++stale) {
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
      std::swap(order[i], order[i + rng.below(order.size() - i)]);
    const double rate = plan.learning_rate * (1 - 0.9 * (epoch - 1) / plan.epochs);
    for (std::size_t at = 0; at < order.size(); at += batch_records) {
      if (stop.stop_requested()) return {};
      std::vector<double> gradient(model.weights().size(), 0);
      const std::size_t end = std::min(at + batch_records, order.size());
      for (std::size_t i = at; i < end; ++i) {
        const SpeedRecord& record = records[order[i]];
        model.add_gradient(setup, placed_of(record), record.speeds, gradient);
      }
      for (double& slope : gradient) slope /= static_cast<double>(end - at);
      adam.step(model.weights(), gradient, rate);
    }
    const double error = mean_error(setup, all.last(held_out), model);
    if (error < fit.held_out_error) {
      fit.held_out_error = error;
      best = model.weights();
      stale = 0;
    }
    fit.epochs = epoch;
    tick();
  }
  model.weights() = std::move(best);
  return fit;
}

}  // namespace hone::trainers
