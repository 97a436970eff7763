#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "server/cluster/estimate.hpp"
#include "server/cluster/parameter_shards.hpp"
#include "server/cluster/simulate.hpp"

namespace hone::cluster {
namespace {

ClusterSetup interference_setup() {
  ClusterSetup setup;
  setup.servers.assign(6, {2, 8});
  setup.types = usual_types();
  setup.workload.per_interval = 1;
  return setup;
}

ClusterSetup exchange_setup() {
  ClusterSetup setup;
  setup.rule = SpeedRule::parameter_servers;
  setup.interval_s = 600;
  setup.preempts = true;
  setup.restart_s = 30;
  setup.servers.assign(7, {0, 3});
  setup.servers.insert(setup.servers.end(), 6, {0, 2});
  setup.types = usual_types();
  setup.workload.jobs = 9;
  setup.workload.workers_min = 2;
  setup.workload.workers_max = 4;
  return setup;
}

double mean_of_seeds(const ClusterSetup& setup, const char* policy, int seeds) {
  double sum = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto jobs = draw_jobs(setup, static_cast<std::uint64_t>(seed));
    const auto outcome =
        simulate(setup, jobs, scheduler_of(*find_policy(policy)), static_cast<std::uint64_t>(seed));
    EXPECT_TRUE(outcome) << policy;
    if (outcome) sum += outcome->mean_completion_s() / seeds;
  }
  return sum;
}

// Optimus, figure 11: two parameter servers and four workers on three servers.
TEST(Cluster, the_worked_case_of_optimus_takes_two_units) {
  EXPECT_DOUBLE_EQ(exchange_s(2, 1, {{2, 1}, {2, 1}, {0, 0}}), 2);
  EXPECT_DOUBLE_EQ(exchange_s(2, 1, {{1, 1}, {1, 1}, {2, 0}}), 3);
  EXPECT_DOUBLE_EQ(exchange_s(2, 1, {{0, 2}, {2, 0}, {2, 0}}), 4);
}

// All ways to put p parameter servers and w workers on three servers with `slots` slots each.
double least_exchange(const Tasks& tasks, int slots) {
  double least = std::numeric_limits<double>::infinity();
  for (int w0 = 0; w0 <= tasks.workers; ++w0)
    for (int w1 = 0; w0 + w1 <= tasks.workers; ++w1)
      for (int p0 = 0; p0 <= tasks.servers; ++p0)
        for (int p1 = 0; p0 + p1 <= tasks.servers; ++p1) {
          const Layout layout{
              {w0, p0}, {w1, p1}, {tasks.workers - w0 - w1, tasks.servers - p0 - p1}};
          bool fitting = true;
          for (const Tasks& here : layout) fitting = fitting && here.total() <= slots;
          if (fitting) least = std::min(least, exchange_s(12, 1, layout));
        }
  return least;
}

// Optimus' theorem holds where both numbers divide by the number of servers and fill them. With
// room to spare an uneven layout can be better: 6 workers and 2 parameter servers on two servers of
// 6 slots exchange 12 as (4, 2) and (2, 0), and 18 when spread evenly.
TEST(Cluster, even_placement_that_fills_its_servers_exchanges_least) {
  ClusterSetup setup = exchange_setup();
  Rng rng(1, Purpose::simulation, 0);
  int compared = 0;
  for (int slots = 2; slots <= 8; ++slots)
    for (int p = 1; p <= 4; ++p)
      for (int w = 1; w <= 6; ++w)
        for (int k = 1; k <= 3; ++k) {
          if (p % k != 0 || w % k != 0 || p + w != k * slots) continue;
          setup.servers.assign(3, {0, slots});
          const View view{&setup, 0, {}, empty_room(setup)};
          const auto layout = find_placement("even")->place(view, {0, {w, p}}, rng);
          ASSERT_TRUE(layout);
          EXPECT_DOUBLE_EQ(exchange_s(12, 1, *layout), least_exchange({w, p}, slots))
              << p << " " << w << " on " << slots;
          ++compared;
        }
  EXPECT_GT(compared, 10);
  EXPECT_DOUBLE_EQ(exchange_s(12, 1, {{4, 2}, {2, 0}, {0, 0}}), 12);
  EXPECT_DOUBLE_EQ(exchange_s(12, 1, {{3, 1}, {3, 1}, {0, 0}}), 18);
}

TEST(Cluster, a_lonely_job_runs_at_its_full_speed_and_neighbours_slow_it) {
  const ClusterSetup setup = interference_setup();
  Job job;
  job.type = 0;
  Layout packed(6), spread(6);
  packed[0] = {2, 2};
  spread[0] = {1, 1};
  spread[1] = {1, 1};
  const Placed alone{&job, &packed};
  EXPECT_DOUBLE_EQ(normalized_speeds(setup, std::span(&alone, 1)).front(), 1);
  double slowest = 1, sum = 0;
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b) {
      const double slow =
          1 + pair_slowdowns(setup)[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
      EXPECT_GE(slow, 1 - 1e-12);
      slowest = std::max(slowest, slow);
      sum += slow / 64;
    }
  EXPECT_NEAR(sum, 1.13, 0.06);
  EXPECT_NEAR(slowest, 1.36, 0.10);
}

TEST(Cluster, interference_ranks_the_simple_rules_as_expected) {
  const ClusterSetup setup = interference_setup();
  const double oracle = mean_of_seeds(setup, "placement-oracle", 8);
  const double balance = mean_of_seeds(setup, "load-balancing", 8) / oracle;
  const double packing = mean_of_seeds(setup, "packing", 8) / oracle;
  EXPECT_GE(balance, 1.15);
  EXPECT_LE(balance, 1.27);
  EXPECT_LT(packing, balance);
  EXPECT_GT(packing, 1.0);
}

TEST(Cluster, optimus_beats_fair_sharing_and_both_of_its_halves_help) {
  const ClusterSetup setup = exchange_setup();
  const double optimus = mean_of_seeds(setup, "optimus", 20);
  // 1.083 with forecasts from five noisy speeds and noisy losses.
  EXPECT_GE(mean_of_seeds(setup, "fair", 20) / optimus, 1.05);
  EXPECT_GT(mean_of_seeds(setup, "optimus-allocation", 20), optimus);
  EXPECT_GT(mean_of_seeds(setup, "optimus-placement", 20), optimus);
}

TEST(Cluster, the_same_seed_gives_the_same_outcome) {
  for (const ClusterSetup& setup : {interference_setup(), exchange_setup()})
    for (const PolicyRow& row : policy_table()) {
      if (!suits(row, setup.rule)) continue;
      const auto jobs = draw_jobs(setup, 3);
      const auto one = simulate(setup, jobs, scheduler_of(row), 3);
      const auto two = simulate(setup, jobs, scheduler_of(row), 3);
      ASSERT_TRUE(one && two) << row.name;
      EXPECT_EQ(one->completion_s, two->completion_s) << row.name;
    }
}

TEST(Cluster, forecasts_of_a_job_approach_its_end) {
  ClusterSetup setup = exchange_setup();
  setup.exchange.loss_noise = 0.005;
  double early = 0, late = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto jobs = draw_jobs(setup, seed);
    Estimate estimate(setup, jobs[0], seed, 1);
    estimate.advance(0.1 * jobs[0].work);
    early += std::abs(estimate.remaining() - 0.9 * jobs[0].work) / jobs[0].work;
    estimate.advance(0.7 * jobs[0].work);
    late += std::abs(estimate.remaining() - 0.3 * jobs[0].work) / jobs[0].work;
    const double truth = steps_per_s(setup, jobs[0], {3, 3}, nullptr);
    EXPECT_NEAR(estimate.speed({3, 3}) / truth, 1, 0.5);
  }
  EXPECT_LT(late, early);
  EXPECT_LT(late / 20, 0.2);
}

TEST(Cluster, a_job_that_never_fits_is_refused) {
  ClusterSetup setup = interference_setup();
  auto jobs = draw_jobs(setup, 1);
  jobs[3].wanted.workers = 13;  // the cluster has 12 GPUs
  const auto outcome = simulate(setup, jobs, scheduler_of(*find_policy("packing")), 1);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().detail, "job 3 never runs: its tasks do not fit into the cluster");
}

TEST(ParameterShards, large_tensors_are_cut_and_small_ones_level_the_requests) {
  // A mean of 10 for each of two servers; 0.05 is below 1 % of it.
  const std::vector<double> sizes{14, 3, 2.9, 0.05, 0.05};
  const auto shards = assign_parameters(sizes, 2);
  ASSERT_EQ(shards.size(), 2U);
  EXPECT_DOUBLE_EQ(shards[0].parameters, 10 + 2 * 0.05);
  EXPECT_EQ(shards[0].requests, 3);
  // The rest of the large one, and the two that fit.
  EXPECT_DOUBLE_EQ(shards[1].parameters, 4 + 3 + 2.9);
  EXPECT_EQ(shards[1].requests, 3);
}

TEST(ParameterShards, a_tensor_goes_where_it_fits_best) {
  const auto shards = assign_parameters(std::vector<double>{6, 5, 4, 3}, 2);  // a mean of 9
  EXPECT_DOUBLE_EQ(shards[0].parameters, 9);
  EXPECT_DOUBLE_EQ(shards[1].parameters, 9);
  EXPECT_EQ(assign_parameters({}, 3).size(), 3U);
}

}  // namespace
}  // namespace hone::cluster
