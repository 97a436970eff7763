// The limit of steps is no terminal state: a target continues with the value of the last
// observation. What the trainers with a replay memory recorded is in their files.
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <string_view>

#include "tests/unit/case_name.hpp"
#include "tests/unit/train/given_trainer.hpp"
#include "worker/train/nn/tensor_file.hpp"

namespace hone {
namespace {

struct Played {
  const char* trainer;
  const char* env;
  bool ends;  // an episode of random actions ends before the limit
};

void PrintTo(const Played& played, std::ostream* out) {
  *out << played.trainer << " on " << played.env;
}

class TimeLimits : public testing::TestWithParam<Played>, public GivenTrainer {
 protected:
  TimeLimits() : GivenTrainer(GetParam().trainer, 1000) {}

  // How many steps of the memory have each ending: none, terminated, truncated; 3 is no step.
  std::array<int, 4> endings(const trainers::Trainer& trainer) {
    saved(trainer);
    const auto file = trainers::read_tensor_file(path_).value();
    const auto* words = trainers::find_tensor<std::uint64_t>(file, "replay.marks");
    std::array<int, 4> counts{};
    EXPECT_NE(words, nullptr);
    for (auto word : *words)
      for (; word != 0; word >>= 8) ++counts[word & 3];
    return counts;
  }
};

TEST_P(TimeLimits, are_no_terminal_states) {
  const auto& [name, env, ends] = GetParam();
  Params params{word("env", env), count("learning_starts", 1000), count("replay_size", 1000)};
  if (name == std::string_view("apex") || name == std::string_view("gorila"))
    params.push_back(word("deterministic", "yes"));  // one actor
  const auto trainer = made(params);
  trainer->advance(450, {}, [] {});
  const auto [none, terminated, truncated, no_step] = endings(*trainer);
  if (ends) {
    EXPECT_GT(terminated, 1);
    EXPECT_EQ(truncated, 0);
  } else {
    EXPECT_EQ(terminated, 0);
    EXPECT_EQ(truncated, 2) << "the limit is 200 steps";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Trainers, TimeLimits,
    testing::Values(Played{"dqn", "MountainCar-v0", false}, Played{"dqn", "CartPole-v1", true},
                    Played{"apex", "MountainCar-v0", false}, Played{"apex", "CartPole-v1", true},
                    Played{"gorila", "MountainCar-v0", false},
                    Played{"gorila", "CartPole-v1", true}, Played{"sac", "Pendulum-v1", false},
                    Played{"sac", "LunarLanderContinuous-v3", true}),
    [](const auto& one) {
      return case_name(std::string(one.param.trainer) + " " + one.param.env, one.index);
    });

}  // namespace
}  // namespace hone
