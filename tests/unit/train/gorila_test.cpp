// Gorila: the rules of stale gradients and outliers by hand, shards of the parameter server, and
// runs that repeat.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <csignal>
#include <numeric>

#include "base/process.hpp"
#include "tests/unit/train/given_trainer.hpp"
#include "worker/train/ipc/shared_memory.hpp"
#include "worker/train/rl/model.hpp"
#include "worker/train/value/gorila_server.hpp"
#include "worker/train/value/loss_filter.hpp"
#include "worker/train/value/options.hpp"
#include "worker/train/value/parameter_shards.hpp"

namespace hone::q {
namespace {

using trainers::Settings;

TEST(LossFilters, drop_what_exceeds_the_running_mean_by_so_many_deviations) {
  LossFilter filter(3);
  // 100 losses of 1 and 3: mean 2, deviation 1.
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(filter.admits(i % 2 == 0 ? 1.0 : 3.0)) << i;
  EXPECT_NEAR(filter.state().mean, 2, 1e-12);
  EXPECT_NEAR(filter.state().variance, 1, 1e-12);
  auto below = filter, above = filter;
  EXPECT_TRUE(below.admits(4.999));
  EXPECT_FALSE(above.admits(5.001));
  // Each is a hundredth of the running mean, the dropped one as well.
  EXPECT_NEAR(above.state().mean, 2.03001, 1e-9);
  EXPECT_NEAR(above.state().variance, 0.99 * (1 + 0.01 * 3.001 * 3.001), 1e-9);
}

TEST(LossFilters, take_the_absolute_loss) {
  LossFilter filter(2);
  for (int i = 0; i < 100; ++i) filter.admits(i % 2 == 0 ? -1.0 : 3.0);
  EXPECT_NEAR(filter.state().mean, 2, 1e-12);
  EXPECT_FALSE(filter.admits(-4.1));
}

TEST(LossFilters, drop_nothing_before_they_have_a_mean_and_where_they_are_off) {
  LossFilter young(1), off(0);
  for (int i = 0; i < 99; ++i) {
    EXPECT_TRUE(young.admits(0));
    EXPECT_TRUE(off.admits(0));
  }
  EXPECT_TRUE(young.admits(1e9));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(off.admits(1e9));
}

TEST(LossFilters, take_a_jump_that_lasts_for_the_new_mean) {
  LossFilter filter(3);
  for (int i = 0; i < 200; ++i) filter.admits(i % 2 == 0 ? 1.0 : 3.0);
  int dropped = 0;
  for (int i = 0; i < 100; ++i) dropped += filter.admits(50) ? 0 : 1;
  EXPECT_GT(dropped, 0);
  EXPECT_LT(dropped, 20);
}

nn::NetShape net_of(int hidden) {
  nn::NetShape net;
  net.inputs = 4;
  net.hidden = hidden;
  net.layers = 2;
  net.actions = 2;
  return net;
}

ShardRule rule_of(nn::OptimizerKind kind, int shards, std::int64_t staleness) {
  return {{.kind = kind, .decay = 0.95, .epsilon = 0.01, .momentum = 0.9, .clip = 0},
          shards,
          staleness};
}

// Shards, and the memory that they are in.
class Server {
 public:
  Server(const ShardRule& rule, const nn::NetShape& net, std::span<const float> weights)
      : memory_(ipc::SharedMemory::make(ParameterShards::bytes(rule, net)).value()),
        shards_(std::make_unique<ParameterShards>(rule, net, memory_.bytes())) {
    shards_->begin(weights);
  }
  ParameterShards& operator*() const { return *shards_; }

 private:
  ipc::SharedMemory memory_;
  std::unique_ptr<ParameterShards> shards_;
};

struct Pulled {
  explicit Pulled(const ParameterShards& shards)
      : weights(shards.size()), versions(shards.count()) {
    shards.pull(weights, versions);
  }
  dense::Floats weights;
  std::vector<std::int64_t> versions;
};

// A gradient with another number in each place.
dense::Floats slopes(std::size_t size, float first) {
  dense::Floats gradient(size);
  std::iota(gradient.begin(), gradient.end(), first);
  return gradient;
}

std::vector<float> start_of(const nn::NetShape& net) {
  return first_weights(net, nn::WeightStart::scaled, 1);
}

TEST(ParameterServers, drop_gradients_of_parameters_older_than_the_bound) {
  const auto net = net_of(32);
  const Server server(rule_of(nn::OptimizerKind::adagrad, 3, 2), net, start_of(net));
  auto& shards = *server;
  const Pulled first(shards);
  EXPECT_EQ(first.versions, (std::vector<std::int64_t>{0, 0, 0}));
  const auto gradient = slopes(shards.size(), 1);
  // Ages 0, 1 and 2 are within the bound of 2; an age of 3 is not.
  for (const int age : {0, 1, 2}) {
    const auto pushed = shards.push(gradient, first.versions, 1e-3);
    EXPECT_EQ(pushed.applied, 3) << age;
    EXPECT_EQ(pushed.stale, 0) << age;
    EXPECT_EQ(pushed.age, 3 * age);
  }
  const Pulled before(shards);
  const auto late = shards.push(gradient, first.versions, 1e-3);
  EXPECT_EQ(late.applied, 0);
  EXPECT_EQ(late.stale, 3);
  EXPECT_EQ(shards.updates(), 3);
  EXPECT_EQ(Pulled(shards).weights, before.weights) << "a dropped gradient moves nothing";
}

// A node that is killed in the middle of a step must not stop the others.
TEST(ParameterServers, take_gradients_after_a_process_was_killed_while_it_pushed) {
  const auto net = net_of(32);
  const Server server(rule_of(nn::OptimizerKind::adagrad, 3, 1'000'000'000), net, start_of(net));
  auto& shards = *server;
  const Pulled first(shards);
  const auto gradient = slopes(shards.size(), 1);
  const auto node = fork_process([&] {
    for (;;) shards.push(gradient, first.versions, 1e-9);
  });
  ASSERT_TRUE(node.ok());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(shards.push(gradient, first.versions, 1e-9).applied, 3);
  ::kill(*node, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(wait_for(*node)));
  const auto before = shards.updates();
  EXPECT_GE(before, 100);
  const auto pushed = shards.push(gradient, first.versions, 1e-9);
  EXPECT_EQ(pushed.applied, 3);
  EXPECT_TRUE(pushed.finite);
  EXPECT_EQ(shards.updates(), before + 1);
}

TEST(ParameterServers, decide_in_each_shard) {
  const auto net = net_of(32);
  const Server server(rule_of(nn::OptimizerKind::adagrad, 2, 1), net, start_of(net));
  auto& shards = *server;
  const auto gradient = slopes(shards.size(), 1);
  for (int i = 0; i < 3; ++i) shards.push(gradient, Pulled(shards).versions, 1e-3);
  const Pulled before(shards);
  const std::vector<std::int64_t> mixed{3, 1};  // the second shard answered this pull long ago
  const auto pushed = shards.push(gradient, mixed, 1e-3);
  EXPECT_EQ(pushed.applied, 1);
  EXPECT_EQ(pushed.stale, 1);
  const Pulled after(shards);
  EXPECT_EQ(after.versions, (std::vector<std::int64_t>{4, 3}));
  EXPECT_NE(after.weights.front(), before.weights.front());
  const auto half = static_cast<std::ptrdiff_t>(after.weights.size() / 2 + dense::line_floats);
  EXPECT_TRUE(
      std::equal(after.weights.begin() + half, after.weights.end(), before.weights.begin() + half));
}

TEST(ParameterServers, learn_the_same_with_any_number_of_shards) {
  const auto net = net_of(20);
  for (const auto kind : {nn::OptimizerKind::adam, nn::OptimizerKind::rmsprop,
                          nn::OptimizerKind::rmsprop_centered, nn::OptimizerKind::adagrad}) {
    std::vector<ParameterShards::State> states;
    for (const int count : {1, 3, 1000}) {
      const Server server(rule_of(kind, count, 0), net, start_of(net));
      auto& shards = *server;
      for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(shards.push(slopes(shards.size(), -20), Pulled(shards).versions, 1e-2).finite);
      states.push_back(shards.state());
    }
    for (const auto& state : states) {
      EXPECT_EQ(state.weights, states.front().weights);
      EXPECT_EQ(state.mean_square, states.front().mean_square);
      EXPECT_EQ(state.mean, states.front().mean);
      EXPECT_EQ(state.updates, 5);
    }
  }
}

TEST(ParameterServers, continue_alike_from_their_state_with_other_shards) {
  const auto net = net_of(20);
  const Server first(rule_of(nn::OptimizerKind::adam, 2, 0), net, start_of(net));
  auto& shards = *first;
  for (int i = 0; i < 4; ++i)
    shards.push(slopes(shards.size(), -20), Pulled(shards).versions, 0.01);
  const Server second(rule_of(nn::OptimizerKind::adam, 5, 0), net, start_of(net));
  auto& other = *second;
  other.restore(shards.state());
  for (auto* each : {&shards, &other})
    each->push(slopes(each->size(), 3), Pulled(*each).versions, 0.01);
  EXPECT_EQ(other.state().weights, shards.state().weights);
  EXPECT_EQ(other.updates(), 5);
}

class GorilaRuns : public testing::Test, public GivenTrainer {
 protected:
  GorilaRuns() : GivenTrainer("gorila", 8000) {}

  static double metric(trainers::Trainer& trainer, std::string_view wanted) {
    for (const auto& [name, value] : trainer.take_metrics())
      if (name == wanted) return value;
    return -1;
  }
};

TEST_F(GorilaRuns, repeat_and_continue_to_the_byte_where_they_are_deterministic) {
  for (const char* env : {"CartPole-v1", "MinAtar-breakout"}) {
    const Params params{word("deterministic", "yes"), word("env", env),
                        count("hidden", 16),          count("learning_starts", 300),
                        count("replay_size", 4000),   count("target_every", 30)};
    SCOPED_TRACE(env);
    expect_repeated_and_continued(params, 1000, 2000);
  }
}

// One node that fetches before each step has nothing that dqn does not have.
TEST_F(GorilaRuns, of_one_node_learn_the_weights_of_dqn) {
  const Params given{count("learning_starts", 300),
                     count("replay_size", 4000),
                     count("hidden", 16),
                     count("envs", 2),
                     count("target_every", 50),
                     word("optimizer", "adam"),
                     {"learning_rate", 1e-3},
                     {"learning_rate_end", 0.0},
                     count("n_step", 2),
                     count("train_every", 4),
                     word("replay", "proportional"),
                     {"epsilon_end", 0.04},
                     {"epsilon_share", 0.3},
                     {"huber", 1.0}};
  const auto weights_of = [&](const char* name, const Params& params) {
    auto settings = Settings::resolve(*find_trainer(name), params, {});
    auto trainer = trainers::find_trainer_row(name)->make({*std::move(settings), 4, 3000}).value();
    trainer->advance(3000, {}, [] {});
    EXPECT_TRUE(trainer->save(path_).ok());
    const auto file = trainers::read_tensor_file(path_).value();
    return *rl::take_parts(file, rl::model_of(file, path_)->net, "");
  };
  const Params own{
      word("deterministic", "yes"), count("actor_steps", 1), {"outlier_deviations", 0.0}};
  const Params plain{word("observation_scale", "no"), count("average_updates", 0)};
  for (const auto& shared : {given, with(given, {word("env", "Acrobot-v1")})})
    EXPECT_EQ(weights_of("gorila", with(shared, own)), weights_of("dqn", with(shared, plain)));
}

TEST_F(GorilaRuns, with_several_nodes_play_every_frame_and_compute_the_updates_of_dqn) {
  const Params params{
      count("actors", 3),      count("hidden", 16),           count("learning_starts", 400),
      count("train_every", 4), count("staleness", 1'000'000), {"outlier_deviations", 0.0}};
  const auto trainer = made(params);
  trainer->advance(4400, {}, [] {});
  EXPECT_GE(trainer->step(), 4400);
  EXPECT_LT(trainer->step(), 4400 + 3 * 4);
  for (const auto& [name, value] : trainer->take_metrics()) {
    EXPECT_TRUE(std::isfinite(value)) << name;
    if (name == "stale_share" || name == "outlier_share") {
      EXPECT_EQ(value, 0) << name;
    }
    if (name == "policy_lag") {
      EXPECT_GE(value, 0);
    }
  }
  saved(*trainer);
  const auto file = trainers::read_tensor_file(path_).value();
  const auto updates = rl::model_of(file, path_)->parameters.updates;
  // Each node trains from its share of frame 400 on, at least by a batch: the nodes' speeds differ.
  EXPECT_GT(updates, 500);
  EXPECT_LE(updates, 1100);
  const auto resumed = made(params);
  ASSERT_TRUE(resumed->load(path_).ok());
  EXPECT_EQ(saved(*resumed), [&] {
    trainer->take_metrics();
    return saved(*trainer);
  }()) << "all that the nodes hold is in the file";
}

// A node that played most frames took its own part for that of the run: it ended to explore and to
// learn while the run was young.
TEST_F(GorilaRuns, of_nodes_that_differ_in_speed_follow_the_schedules_of_the_run) {
  const auto options = gorila_options_of(job_of({{"learning_rate", 1e-3},
                                                 {"learning_rate_end", 0.0},
                                                 count("learning_starts", 100),
                                                 count("hidden", 16)}))
                           .value();
  ASSERT_EQ(options.apex.actors, 2);
  const auto memory = ipc::SharedMemory::make(GorilaServer::bytes(options)).value();
  GorilaServer server(options, memory.bytes());
  server.begin(options);
  GorilaNode node(options, options.env.make({1, 1, 0, {}}).value(), 0, server.shards().count());
  server.begin_phase(2000);  // of 8000
  rl::EpisodeLog episodes;
  node.run(server, episodes);
  std::vector<trainers::MetricPoint> metrics;
  server.add_metrics(1, metrics);
  for (const auto& [name, value] : metrics) {
    if (name == "learning_rate") {
      EXPECT_DOUBLE_EQ(value, 1e-3 * (1 - 2000.0 / 8000));
    }
  }
  EXPECT_GT(server.shards().updates(), 900) << "from frame 100 on in every second frame";
}

TEST_F(GorilaRuns, drop_outliers_and_count_them) {
  const auto trainer = made({word("deterministic", "yes"),
                             count("learning_starts", 300),
                             count("hidden", 16),
                             {"outlier_deviations", 0.1}});
  trainer->advance(4000, {}, [] {});
  const double share = metric(*trainer, "outlier_share");
  EXPECT_GT(share, 0.05);
  EXPECT_LT(share, 0.9);
}

TEST_F(GorilaRuns, learn_to_balance) {
  const auto trainer =
      made({word("deterministic", "yes"), count("learning_starts", 500), count("envs", 4)});
  trainer->advance(8000, {}, [] {});
  EXPECT_GT(trainer->value().value(), 30) << "a random player has 22";
}

TEST_F(GorilaRuns, end_by_a_gradient_that_is_not_finite_and_only_by_one_that_is_applied) {
  const auto options = gorila_options_of(job_of({})).value();
  const auto memory = ipc::SharedMemory::make(2 * GorilaServer::bytes(options)).value();
  GorilaServer server(options, memory.bytes());
  server.begin(options);
  server.begin_phase(1000);
  Pulled pulled(server.shards());
  dense::Floats gradient(pulled.weights.size(), std::nanf(""));
  NodeGradient pushed{gradient, pulled.versions, 1e-3, 1, 1, 1, true};
  server.push(pushed);
  EXPECT_FALSE(server.diverged()) << "an outlier is not applied";
  pushed.outlier = false;
  server.push(pushed);
  EXPECT_TRUE(server.diverged());
  EXPECT_EQ(server.claim(1, 8), 0);
  GorilaServer other(options, memory.bytes().subspan(GorilaServer::bytes(options)));
  other.begin(options);
  gradient.assign(gradient.size(), 1.0F);
  pushed.norm = std::nan("");
  other.push(pushed);
  EXPECT_TRUE(other.diverged());
  EXPECT_EQ(other.shards().updates(), 0);
}

TEST_F(GorilaRuns, refuse_more_nodes_where_they_are_deterministic_and_files_of_others) {
  const auto refused = tried({word("deterministic", "yes"), count("actors", 2)});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().at, "/deterministic");
  EXPECT_EQ(tried({word("env", "Pendulum-v1")}).error().at, "/env");
  EXPECT_EQ(tried({count("actors", 100), count("replay_size", 200)}).error().at, "/replay_size");
  auto settings = Settings::resolve(*find_trainer("dqn"), {}, {});
  const auto dqn = trainers::find_trainer_row("dqn")->make({*std::move(settings), 1, 1000}).value();
  ASSERT_TRUE(dqn->save(path_).ok());
  EXPECT_FALSE(made({})->load(path_).ok());
}

// Each word of a node's state in turn: a count that cannot be would be trained as many times, or
// address numbers beyond every bound.
TEST_F(GorilaRuns, refuse_files_with_counts_that_no_run_has) {
  const Params params{word("deterministic", "yes"), count("hidden", 16),
                      count("learning_starts", 300), count("replay_size", 1000)};
  const auto trainer = made(params);
  trainer->advance(600, {}, [] {});
  saved(*trainer);
  const auto file = trainers::read_tensor_file(path_).value();
  const auto with_word = [&](std::size_t place, std::uint64_t value) {
    auto damaged = file;
    for (auto& tensor : damaged.tensors)
      if (tensor.name == "agent.0.streams")
        std::get<std::vector<std::uint64_t>>(tensor.data)[place] = value;
    EXPECT_TRUE(write_tensor_file(path_, damaged).ok());
    return made(params)->load(path_).ok();
  };
  EXPECT_TRUE(with_word(1, 7));
  for (std::size_t place = 0; place < 7; ++place) EXPECT_FALSE(with_word(place, ~0ULL)) << place;
  EXPECT_FALSE(with_word(2, 601)) << "more frames wait than were played";
}

}  // namespace
}  // namespace hone::q
