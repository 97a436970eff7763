#include "server/cluster/harmony/harmony.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace hone::cluster {
namespace {

ClusterSetup small_setup() {
  ClusterSetup setup;
  setup.servers = {{2, 8}, {2, 8}, {1, 3}, {0, 2}};
  setup.types = usual_types();
  setup.workload.jobs = 12;
  setup.workload.per_interval = 1;
  return setup;
}

HarmonyModel random_model(const ClusterSetup& setup) {
  HarmonyModel model = empty_harmony(setup, 6);
  Rng rng(3, Purpose::simulation, 0);
  model.reward.weights() = model.reward.net().first_weights(rng);
  model.agent.actor_weights = model.agent.actor().first_weights(rng);
  model.agent.critic_weights = model.agent.critic().first_weights(rng);
  for (double& weight : model.agent.actor_weights) weight += 0.3 * rng.normal();
  return model;
}

TEST(Mlp, the_gradient_is_that_of_differences) {
  const Mlp net({4, 5, 3});
  Rng rng(1, Purpose::simulation, 0);
  auto weights = net.first_weights(rng);
  ASSERT_EQ(weights.size(), net.weights());
  for (double& weight : weights) weight += 0.2 * rng.normal();
  const std::vector<double> input{0.5, 0, -1, 2};
  Mlp::Activity activity;
  net.forward(weights, input, activity);
  std::vector<double> gradient(weights.size(), 0);
  net.backward(weights, activity, 2, gradient);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    constexpr double step = 1e-6;
    auto moved = weights;
    moved[i] += step;
    const double high = net.forward(moved, input, activity);
    moved[i] -= 2 * step;
    EXPECT_NEAR(gradient[i], 2 * (high - net.forward(moved, input, activity)) / (2 * step), 1e-6);
  }
}

// Two jobs share a server: the gradient reaches the weights through the slowest server of each.
TEST(RewardModel, the_gradient_is_that_of_differences) {
  const ClusterSetup setup = small_setup();
  HarmonyModel model = random_model(setup);
  Job first, second;
  first.type = 1;
  second.type = 5;
  const Layout spread{{1, 1}, {1, 0}, {0, 0}, {0, 0}}, packed{{1, 2}, {0, 0}, {0, 0}, {0, 0}};
  const std::vector<Placed> running{{&first, &spread}, {&second, &packed}};
  const std::vector<double> truth{0.9, 0.5};
  std::vector<double> gradient(model.reward.weights().size(), 0);
  model.reward.add_gradient(setup, running, truth, gradient);
  const auto loss = [&] {
    const auto speeds = model.reward.speeds(setup, running);
    double sum = 0;
    for (std::size_t i = 0; i < 2; ++i) sum += std::pow(speeds[i] - truth[i], 2) / 4;
    return sum;
  };
  double largest = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    constexpr double step = 1e-6;
    double& weight = model.reward.weights()[i];
    weight += step;
    const double high = loss();
    weight -= 2 * step;
    EXPECT_NEAR(gradient[i], (high - loss()) / (2 * step), 1e-6) << i;
    weight += step;
    largest = std::max(largest, std::abs(gradient[i]));
  }
  EXPECT_GT(largest, 1e-4);
}

TEST(HarmonyState, only_actions_with_room_and_tasks_left_are_open) {
  const ClusterSetup setup = small_setup();
  Job job;
  Partial partial{&job, {1, 1}, Layout(4), empty_room(setup)};
  const std::vector<Action> first{
      {TaskKind::worker, 0}, {TaskKind::server, 0}, {TaskKind::worker, 1}, {TaskKind::server, 1},
      {TaskKind::worker, 2}, {TaskKind::server, 2}, {TaskKind::server, 3}};  // no GPU: no worker
  EXPECT_EQ(open_actions(setup, partial), first);
  partial.free[1].cpus = 0;
  apply(setup, partial, {TaskKind::worker, 0});
  const std::vector<Action> then{
      {TaskKind::server, 0}, {TaskKind::server, 2}, {TaskKind::server, 3}};
  EXPECT_EQ(open_actions(setup, partial), then);
  EXPECT_EQ(partial.free[0].gpus, 1);
  EXPECT_EQ(partial.layout[0], (Tasks{1, 0}));
}

// The inputs of a server do not depend on how servers are numbered.
TEST(HarmonyState, inputs_follow_a_server_when_servers_are_renamed) {
  ClusterSetup setup = small_setup();
  Job job, other;
  other.type = 4;
  const Layout here{{0, 1}, {2, 0}, {0, 0}, {0, 0}}, there{{2, 0}, {0, 1}, {0, 0}, {0, 0}};
  const auto input = [&](const Layout& layout, std::size_t server) {
    const std::vector<Placed> running{{&other, &layout}};
    const Occupancy occupancy = occupancy_of(setup, running);
    Partial partial{&job, {2, 1}, Layout(4), empty_room(setup)};
    for (std::size_t m = 0; m < 4; ++m) take(setup, partial.free[m], layout[m]);
    const auto out = action_input(setup, occupancy, partial, {TaskKind::worker, server});
    EXPECT_EQ(out.size(), action_inputs(setup.types.size()));
    const auto speeds = speed_input(occupancy, {&other, &layout}, server);
    EXPECT_EQ(speeds.size(), speed_inputs(setup.types.size()));
    return std::pair(out, speeds);
  };
  EXPECT_EQ(input(here, 0), input(there, 1));
  EXPECT_EQ(input(here, 1), input(there, 0));
  EXPECT_NE(input(here, 0), input(here, 1));
}

TEST(HarmonyPolicy, every_row_places_every_job_within_the_slots) {
  const ClusterSetup setup = small_setup();
  const HarmonyModel model = random_model(setup);
  const auto jobs = draw_jobs(setup, 2);
  for (const LearnedRow& row : learned_table()) {
    const Scheduler scheduler = scheduler_of(row, model);
    const Scheduler checked{scheduler.allocation,
                            [&](const View& view, const Grant& grant, Rng& rng) {
                              auto layout = scheduler.place(view, grant, rng);
                              if (!layout) return layout;
                              EXPECT_EQ(total_of(*layout), grant.tasks) << row.name;
                              for (std::size_t m = 0; m < layout->size(); ++m)
                                EXPECT_TRUE(fits(setup, view.free[m], (*layout)[m])) << row.name;
                              return layout;
                            }};
    const auto outcome = simulate(setup, jobs, checked, 2);
    ASSERT_TRUE(outcome) << row.name;
    EXPECT_EQ(outcome->completion_s.size(), jobs.size());
    EXPECT_EQ(simulate(setup, jobs, scheduler, 2)->completion_s, outcome->completion_s);
  }
}

TEST(HarmonyFile, a_model_is_written_and_read_and_damage_is_refused) {
  const ClusterSetup setup = small_setup();
  const HarmonyModel model = random_model(setup);
  const Json document = json_of(model);
  const auto read = read_harmony(document, setup);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(read->agent.actor_weights, model.agent.actor_weights);
  EXPECT_EQ(read->reward.weights(), model.reward.weights());
  struct Damage {
    const char* member;
    Json value;
    const char* detail;
  };
  for (const auto& [member, value, detail] :
       {Damage{"format", "hone-ga3c-1", "it is no model of the trainer harmony"},
        Damage{"hidden", 1e6, "it is damaged: 'hidden' is missing or wrong"},
        Damage{"hidden", 7, "it is damaged: a network is missing or of another size"},
        Damage{"actor", {1, 2}, "it is damaged: a network is missing or of another size"},
        Damage{"types", {"a"}, "it was trained for other job types than the cluster file has"}}) {
    Json damaged = document;
    damaged[member] = value;
    const auto refused = read_harmony(damaged, setup);
    ASSERT_FALSE(refused) << member;
    EXPECT_EQ(refused.error().detail, detail);
  }
  EXPECT_FALSE(read_harmony(Json::array(), setup));
}

}  // namespace
}  // namespace hone::cluster
