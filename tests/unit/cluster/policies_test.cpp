// The contract of every row of the policy tables.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "schemas/codec/json.hpp"
#include "server/cluster/simulate.hpp"

namespace hone::cluster {
namespace {

struct Case {
  const char* name;
  ClusterSetup setup;
};

std::vector<Case> cases() {
  ClusterSetup interference;
  interference.servers = {{2, 8}, {4, 4}, {0, 6}, {2, 3}};
  interference.types = usual_types();
  interference.workload = {15, 1, 0, 1, 3, true, 1'500, 0.6};
  ClusterSetup exchange = interference;
  exchange.rule = SpeedRule::parameter_servers;
  exchange.preempts = true;
  exchange.restart_s = 20;
  exchange.servers = {{0, 5}, {0, 3}, {0, 4}};
  ClusterSetup fixed = interference;
  fixed.rule = SpeedRule::fixed;
  fixed.preempts = true;
  fixed.workload.has_servers = false;
  ClusterSetup pairs = fixed;
  pairs.rule = SpeedRule::pairs;
  pairs.servers.assign(3, {0, 2});
  pairs.kinds = {"a"};
  pairs.workload.workers_max = 1;
  const Json table = *parse_json(R"j({"a": {
    "('x', 1)": {"null": 1, "('x', 1)": [0.4, 0.4], "('y', 1)": [0.9, 0.8], "('z', 1)": [0, 0]},
    "('y', 1)": {"null": 1, "('x', 1)": [0.8, 0.9], "('y', 1)": [0.7, 0.7], "('z', 1)": [0.5, 1]},
    "('z', 1)": {"null": 1, "('x', 1)": [0, 0], "('y', 1)": [1, 0.5], "('z', 1)": [0, 0]}}})j");
  pairs.pair_table = std::make_shared<const PairTable>(*PairTable::read(table, pairs.kinds, "a"));
  pairs.types.clear();
  for (const std::string& name : pairs.pair_table->types()) pairs.types.emplace_back().name = name;
  return {
      {"interference", interference}, {"exchange", exchange}, {"fixed", fixed}, {"pairs", pairs}};
}

// Wraps a row's placement and checks all that it returns.
Scheduler checked(const PolicyRow& row) {
  const PlacementRow* placement = find_placement(row.placement);
  return {find_allocation(row.allocation),
          [=](const View& view, const Grant& grant, Rng& rng) {
            auto layout = placement->place(view, grant, rng);
            if (layout) {
              EXPECT_EQ(layout->size(), view.free.size()) << row.name;
              EXPECT_EQ(total_of(*layout), grant.tasks) << row.name;
              for (std::size_t m = 0; m < layout->size(); ++m) {
                EXPECT_GE((*layout)[m].workers, 0) << row.name;
                EXPECT_GE((*layout)[m].servers, 0) << row.name;
                EXPECT_TRUE(fits(*view.setup, view.free[m], (*layout)[m])) << row.name;
              }
            }
            return layout;
          },
          row.knows, placement->keeps};
}

TEST(Policies, names_are_unique_and_both_halves_exist) {
  std::set<std::string_view> names;
  for (const PolicyRow& row : policy_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(find_allocation(row.allocation), nullptr) << row.name;
    EXPECT_NE(find_placement(row.placement), nullptr) << row.name;
    EXPECT_FALSE(row.summary.empty()) << row.name;
    EXPECT_EQ(find_policy(row.name), &row);
  }
  EXPECT_EQ(find_policy("none"), nullptr);
}

// Every job ends, no server holds more than its slots, and no job ends before its work allows.
TEST(Policies, every_row_finishes_every_job_within_the_slots) {
  for (const Case& one : cases())
    for (const PolicyRow& row : policy_table()) {
      if (!suits(row, one.setup.rule)) continue;
      SCOPED_TRACE(std::string(one.name) + " " + std::string(row.name));
      const auto jobs = draw_jobs(one.setup, 5);
      Simulation simulation(one.setup, jobs, 5);
      double progress = 0;
      int intervals = 0;
      for (bool more = true; more; ++intervals) {
        ASSERT_LT(intervals, 2'000);
        more = simulation.step(checked(row));
        progress += simulation.progress();
        Room room = empty_room(one.setup);
        for (const ActiveJob& job : simulation.active())
          for (std::size_t m = 0; m < job.layout.size(); ++m)
            take(one.setup, room[m], job.layout[m]);
        for (const ServerShape& left : room) {
          EXPECT_GE(left.cpus, 0);
          EXPECT_GE(left.gpus, 0);
        }
      }
      EXPECT_NEAR(progress, static_cast<double>(jobs.size()), 1e-6);
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        EXPECT_GT(simulation.outcome().completion_s[i], 0);
        const double least = one.setup.rule == SpeedRule::fixed ? jobs[i].work : 0;
        EXPECT_GE(simulation.outcome().completion_s[i], least * (1 - 1e-9));
      }
      EXPECT_GT(simulation.outcome().busy, 0);
      EXPECT_LE(simulation.outcome().busy, 1);
    }
}

TEST(Policies, running_jobs_keep_their_place_without_preemption) {
  const ClusterSetup setup = cases()[0].setup;
  for (const PolicyRow& row : policy_table()) {
    if (!suits(row, setup.rule)) continue;
    const auto jobs = draw_jobs(setup, 2);
    EXPECT_EQ(simulate(setup, jobs, scheduler_of(row), 2)->moves, 0) << row.name;
  }
}

// A job whose speed falls with every task gets none but its first two.
TEST(Policies, optimus_never_adds_a_task_without_a_gain) {
  const ClusterSetup setup = cases()[1].setup;
  const auto jobs = draw_jobs(setup, 1);
  std::vector<ActiveJob> active(2);
  for (std::size_t i = 0; i < 2; ++i) {
    active[i].job = &jobs[i];
    active[i].remaining = 100;
  }
  active[0].speed = [](const Tasks& tasks) { return 1.0 / tasks.total(); };
  active[1].speed = [](const Tasks& tasks) { return tasks.workers < 4 ? tasks.workers : 4.0; };
  const View view{&setup, 0, active, empty_room(setup)};
  for (const Grant& grant : find_allocation("gain")->allocate(view)) {
    const Tasks expected = grant.index == 0 ? Tasks{1, 1} : Tasks{4, 1};
    EXPECT_EQ(grant.tasks, expected) << grant.index;
  }
}

TEST(Policies, least_attained_service_lets_short_jobs_pass_long_ones) {
  ClusterSetup setup = cases()[2].setup;
  setup.servers = {{1, 1}};
  std::vector<Job> jobs(2);
  for (Job& job : jobs) job.wanted = {1, 0};
  jobs[0].work = 20'000;
  jobs[1].work = 600;
  jobs[1].arrival_s = 4'000;
  const auto las = simulate(setup, jobs, scheduler_of(*find_policy("las")), 1);
  const auto fifo = simulate(setup, jobs, scheduler_of(*find_policy("fifo")), 1);
  EXPECT_LT(las->completion_s[1], 1'000);
  EXPECT_GT(fifo->completion_s[1], 16'000);
  EXPECT_EQ(las->moves, 0);  // it returns to its place
}

}  // namespace
}  // namespace hone::cluster
