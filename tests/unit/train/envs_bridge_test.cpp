// Environments of other programs, with tests/data/gym/toy_envs.py, which needs neither Gymnasium
// nor NumPy. With Gymnasium and Atari: tests/e2e/test_gym.py.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "worker/train/envs/core/groups.hpp"
#include "worker/train/envs/table.hpp"

namespace hone::envs {
namespace {

using Floats = std::vector<float>;
using Marks = std::vector<std::uint8_t>;

class Bridge : public testing::Test {
 protected:
  Bridge() {
    setenv("PYTHONPATH", HONE_SOURCE_DIR "/tests/data/gym", 1);
    setenv("HONE_PYTHON", "python3", 1);
  }

  // The rows of one environment.
  struct Played {
    explicit Played(VecEnv& env)
        : count(static_cast<std::size_t>(env.count())),
          size(static_cast<std::size_t>(env.spec().row_floats())),
          observations(count * size),
          final_observations(count * size),
          rewards(count),
          terminated(count),
          truncated(count) {
      env.reset(observations.data());
    }
    void step(VecEnv& env, std::vector<std::int32_t> choices, std::vector<float> numbers = {}) {
      env.step({choices, numbers}, {observations.data(), rewards.data(), terminated.data(),
                                    truncated.data(), final_observations.data()});
    }
    std::size_t count, size;
    std::vector<float> observations, final_observations, rewards;
    std::vector<std::uint8_t> terminated, truncated;
  };

  static Env found(const std::string& name) {
    auto env = find_env(name);
    EXPECT_TRUE(env) << env.error().detail;
    return *std::move(env);
  }
  static std::unique_ptr<VecEnv> made(const std::string& name, int count = 1) {
    auto env = found(name).make({.count = count, .seed = 7});
    EXPECT_TRUE(env) << env.error().detail;
    return *std::move(env);
  }
};

TEST_F(Bridge, describes_an_environment) {
  const auto spec = found("gym:toy_envs:Walk?length=5").spec;
  EXPECT_EQ(spec.observation_size, 3);
  EXPECT_EQ(spec.actions, 4);
  EXPECT_EQ(spec.action_kind, ActionKind::discrete);
  EXPECT_TRUE(spec.forgets);
  EXPECT_EQ(found("gym:toy_envs:Walk?actions=numbers").spec.action_kind, ActionKind::continuous);
  EXPECT_EQ(found("gym:toy_envs:Picture").spec.planes, (Planes{2, 5, 2}));
}

TEST_F(Bridge, plays_and_resets_in_the_step_that_ends_an_episode) {
  const auto env = made("gym:toy_envs:Walk?length=2", 2);
  Played played(*env);
  const float seed = played.observations[0];
  EXPECT_NE(seed, played.observations[3]) << "each copy has its own seed";
  played.step(*env, {1, 3});  // they start at 10
  EXPECT_EQ(played.rewards, (Floats{11, 13}));
  EXPECT_EQ(played.observations, (Floats{seed, 11, 1, played.observations[3], 13, 1}));
  EXPECT_EQ(played.terminated, (Marks{0, 0}));
  played.step(*env, {0, 0});
  EXPECT_EQ(played.terminated, (Marks{1, 1}));
  EXPECT_EQ(played.truncated, (Marks{0, 0}));
  const float other = played.final_observations[3];
  EXPECT_EQ(played.final_observations, (Floats{seed, 21, 2, other, 23, 2}));
  EXPECT_EQ(played.observations, (Floats{seed + 1, 0, 0, other + 1, 0, 0}));
}

TEST_F(Bridge, distinguishes_truncation_from_termination) {
  const auto env = made("gym:toy_envs:Walk?length=1&cut=true");
  Played played(*env);
  played.step(*env, {0});
  EXPECT_EQ(played.terminated, (Marks{0}));
  EXPECT_EQ(played.truncated, (Marks{1}));
}

TEST_F(Bridge, brings_numbers_into_the_bounds_of_the_environment) {
  const auto env = made("gym:toy_envs:Walk?actions=numbers");
  Played played(*env);
  played.step(*env, {}, {-1, 1});  // -2 and 6
  EXPECT_FLOAT_EQ(played.rewards[0], 4);
  played.step(*env, {}, {-9, 0});  // -2 and 2
  EXPECT_FLOAT_EQ(played.rewards[0], 0);
}

TEST_F(Bridge, shows_bytes_that_are_no_picture_as_numbers) {
  const auto env = made("gym:toy_envs:Picture?flat=true");
  EXPECT_EQ(env->spec().planes, Planes{});
  EXPECT_EQ(env->spec().storage, Storage::floats);
  Played played(*env);
  ASSERT_EQ(played.observations.size(), 20U);
  EXPECT_FLOAT_EQ(played.observations[13] * 255, 53);
}

TEST_F(Bridge, turns_planes_so_that_channels_come_last) {
  for (const std::size_t channels : {2U, 4U}) {
    const auto env = made("gym:toy_envs:Picture?channels=" + std::to_string(channels));
    const auto& spec = env->spec();
    EXPECT_EQ(spec.storage, Storage::bytes);
    Played played(*env);
    Floats seen(10 * channels);
    read_numbers(spec.storage, played.observations.data(), spec.observation_size, seen.data());
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t column = 0; column < 5; ++column)
        for (std::size_t channel = 0; channel < channels; ++channel)
          EXPECT_FLOAT_EQ(seen[(row * 5 + column) * channels + channel] * 255,
                          static_cast<float>(channel * 50 + row * 10 + column));
  }
}

TEST_F(Bridge, is_the_same_for_the_same_seed_and_continues_from_saved_words) {
  const auto one = made("gym:toy_envs:Walk", 3);
  const auto other = made("gym:toy_envs:Walk", 3);
  Played first(*one);
  Played second(*other);
  EXPECT_EQ(first.observations, second.observations);
  const auto words = one->save();
  Played again(*one);
  std::vector<float> restored(first.observations.size());
  ASSERT_TRUE(other->restore(words, restored.data()));
  EXPECT_NE(restored, first.observations) << "a new episode, with the next seed";
  EXPECT_FALSE(other->restore(std::vector<std::uint64_t>(5), restored.data()));
}

TEST_F(Bridge, cuts_episodes_short_when_their_process_dies_or_raises) {
  for (const std::string fault : {"die", "raise"}) {
    const auto env = made("gym:toy_envs:Walk?length=9&fault=" + fault, 2);
    Played played(*env);
    played.step(*env, {1, 2});
    const auto before = played.observations;
    played.step(*env, {1, 2});
    EXPECT_EQ(played.truncated, (Marks{1, 1})) << fault;
    EXPECT_EQ(played.rewards, (Floats{0, 0}));
    EXPECT_EQ(played.final_observations, before) << "where it was before the step that failed";
    EXPECT_FLOAT_EQ(played.observations[2], 0) << "a new episode";
    played.step(*env, {1, 2});
    EXPECT_EQ(played.rewards, (Floats{11, 12}));
  }
}

TEST_F(Bridge, does_not_wait_without_limit) {
  setenv("HONE_ENV_TIMEOUT", "1", 1);
  const auto env = made("gym:toy_envs:Walk?fault=hang&fault_at=1");
  Played played(*env);
  played.step(*env, {0});
  EXPECT_EQ(played.truncated, (Marks{1}));
  unsetenv("HONE_ENV_TIMEOUT");
}

// They started one after another: 32 groups of Atari took more than 90 s.
TEST_F(Bridge, starts_groups_side_by_side) {
  const auto folder = testing::TempDir() + "/meeting-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  ASSERT_EQ(::mkfifo((folder + "/pipe").c_str(), 0600), 0);
  setenv("HONE_ENV_TIMEOUT", "30", 1);
  const auto groups = make_groups(found("gym:toy_envs:Meeting?folder=" + folder), {.count = 1}, 2);
  unsetenv("HONE_ENV_TIMEOUT");
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(groups) << groups.error().detail;
  EXPECT_EQ(groups->size(), 2U);
}

TEST_F(Bridge, groups_begin_where_a_single_one_of_all_copies_would) {
  const auto env = found("gym:toy_envs:Walk");
  const Played all(**env.make({.count = 4, .seed = 7}));
  const auto groups = make_groups(env, {.count = 2, .seed = 7}, 2);
  ASSERT_TRUE(groups);
  Floats seen;
  for (const auto& group : *groups) {
    const Played half(*group);
    seen.insert(seen.end(), half.observations.begin(), half.observations.end());
  }
  EXPECT_EQ(seen, all.observations);
}

TEST_F(Bridge, refuses_groups_of_which_one_cannot_be_made) {
  auto env = found("gym:toy_envs:Walk");
  env.make = [make = env.make](const EnvPlan& plan) -> Result<std::unique_ptr<VecEnv>> {
    if (plan.first_index == 2) return refuse(Code::invalid, "the third", "/env");
    return make(plan);
  };
  const auto groups = make_groups(env, {.count = 1}, 3);
  ASSERT_FALSE(groups);
  EXPECT_EQ(groups.error().detail, "the third");
}

TEST_F(Bridge, gives_up_when_failures_do_not_end) {
  EXPECT_EXIT(
      {
        const auto env = made("gym:toy_envs:Walk?fault=raise&fault_at=1");
        Played played(*env);
        for (int i = 0; i < 100; ++i) played.step(*env, {0});
      },
      testing::ExitedWithCode(EXIT_FAILURE), "the walk is over.*given up after too many failures");
}

TEST_F(Bridge, refuses_a_python_that_ends_or_writes_something_else) {
  setenv("HONE_PYTHON", "/bin/false", 1);
  const auto silent = find_env("gym:toy_envs:Walk");
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().at, "/env");
  EXPECT_NE(silent.error().detail.find("gym:toy_envs:Walk"), std::string::npos);
  setenv("HONE_PYTHON", "/bin/echo", 1);
  EXPECT_FALSE(find_env("gym:toy_envs:Walk"));
}

TEST_F(Bridge, reports_a_process_that_ends_while_its_copies_are_made) {
  const auto env = found("gym:toy_envs:Walk");
  setenv("HONE_PYTHON", "/bin/false", 1);
  const auto refused = env.make({.count = 2, .seed = 7});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail.find("its process ended with status 1"), std::string::npos)
      << refused.error().detail;
}

// The command lines of the processes that this thread has started.
std::string lines_of_children() {
  std::ifstream numbers("/proc/thread-self/children");
  std::string lines;
  for (std::string number; numbers >> number;) {
    std::ifstream line("/proc/" + number + "/cmdline");
    lines.append(std::istreambuf_iterator<char>(line), {});
  }
  return lines;
}

TEST_F(Bridge, its_processes_filled_lists_of_processes_with_their_source) {
  const auto env = made("gym:toy_envs:Walk?length=3");
  const auto lines = lines_of_children();
  EXPECT_NE(lines.find("serve"), std::string::npos) << lines;
  EXPECT_LT(lines.size(), 1000U) << lines;
}

TEST_F(Bridge, refuses_what_cannot_be_made_with_the_reason) {
  const auto refusal = [](const std::string& name) {
    const auto env = find_env(name);
    EXPECT_FALSE(env) << name;
    EXPECT_EQ(env.error().at, "/env");
    return env.error().detail;
  };
  EXPECT_NE(refusal("gym:toy_envs:broken").find("ValueError: no such walk"), std::string::npos);
  EXPECT_NE(refusal("gym:no_such_module:make").find("no_such_module"), std::string::npos);
  EXPECT_NE(refusal("gym:toy_envs:Flight").find("Flight"), std::string::npos);
  setenv("HONE_PYTHON", "/nowhere/python", 1);
  EXPECT_NE(refusal("gym:toy_envs:Walk").find("Python"), std::string::npos);
}

}  // namespace
}  // namespace hone::envs
