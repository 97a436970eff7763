// The trainer on libtorch: the same training as on the kernels of hone, and the same files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "worker/train/rl/model.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers {
namespace {

class Backends : public testing::Test {
 protected:
  ~Backends() override { std::filesystem::remove(file_); }

  static std::unique_ptr<Trainer> trainer(const char* backend) {
    auto settings =
        Settings::resolve(*find_trainer("ga3c"), {}, {{"backend", std::string(backend)}});
    EXPECT_TRUE(settings.ok());
    auto made = find_trainer_row("ga3c")->make({std::move(settings).value(), 1, 20'000});
    EXPECT_TRUE(made.ok()) << made.error().detail;
    return std::move(made).value();
  }

  rl::Model saved(const Trainer& trainer) {
    EXPECT_TRUE(trainer.save(file_).ok());
    return rl::read_model(file_).value();
  }

  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("hone-backends-" + std::to_string(::getpid()));
};

// Trajectories diverge by rounding, so only the first updates are compared.
TEST_F(Backends, begin_the_same_training) {
  const auto own = trainer("own");
  const auto torch = trainer("torch");
  for (auto* each : {own.get(), torch.get()}) each->advance(512, {}, [] {});
  const auto ours = saved(*own).parameters;
  const auto theirs = saved(*torch).parameters;
  EXPECT_EQ(ours.updates, theirs.updates);
  for (std::size_t i = 0; i < ours.weights.size(); ++i)
    ASSERT_NEAR(ours.weights[i], theirs.weights[i], 1e-4) << i;
}

TEST_F(Backends, continue_from_the_files_of_each_other) {
  for (const auto& [first, second] : {std::pair{"own", "torch"}, std::pair{"torch", "own"}}) {
    const auto before = trainer(first);
    before->advance(4'000, {}, [] {});
    const auto weights = saved(*before).parameters.weights;
    const auto after = trainer(second);
    ASSERT_TRUE(after->load(file_).ok());
    EXPECT_EQ(saved(*after).parameters.weights, weights);
    after->advance(8'000, {}, [] {});
    EXPECT_FALSE(after->value().is_diverged());
    EXPECT_NE(saved(*after).parameters.weights, weights);
  }
}

}  // namespace
}  // namespace hone::trainers
