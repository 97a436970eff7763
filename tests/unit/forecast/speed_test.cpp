#include "server/forecast/speed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "server/forecast/scaling.hpp"

namespace hone::forecast {
namespace {

// ResNet-50 of Optimus, table 2.
const SpeedModel sync_truth{UpdateMode::sync, 32, {1.02, 2.78, 4.92, 0, 0.02}};
const SpeedModel async_truth{UpdateMode::async, 1, {2.83, 3.92, 0, 0.11}};
constexpr int tasks_max = 40;

// The mean relative error over all 780 pairs with p + w <= 40, of 40 fits to `count` samples with
// 5 % noise.
double mean_error(const SpeedModel& truth, int count) {
  double sum = 0, pairs = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed, Purpose::simulation, 2);
    std::vector<SpeedSample> samples;
    while (static_cast<int>(samples.size()) < count) {
      const int p = 1 + static_cast<int>(rng.below(tasks_max - 1));
      const int w = 1 + static_cast<int>(rng.below(tasks_max - 1));
      if (p + w <= tasks_max)
        samples.push_back({p, w, truth.steps_per_s(p, w) * (1 + 0.05 * rng.normal())});
    }
    const auto fit = fit_speed(truth.mode, truth.batch, samples);
    for (int p = 1; p < tasks_max; ++p)
      for (int w = 1; p + w <= tasks_max; ++w, ++pairs)
        sum += std::abs(fit->steps_per_s(p, w) / truth.steps_per_s(p, w) - 1);
  }
  EXPECT_EQ(pairs, 40 * 780);
  return sum / pairs;
}

TEST(Speed, samples_without_noise_give_the_coefficients_back) {
  for (const SpeedModel& truth : {sync_truth, async_truth}) {
    std::vector<SpeedSample> samples;
    for (const auto& [p, w] : {std::pair{1, 1}, {2, 5}, {7, 3}, {4, 9}, {12, 8}, {3, 14}, {9, 2}})
      samples.push_back({p, w, truth.steps_per_s(p, w)});
    const auto fit = fit_speed(truth.mode, truth.batch, samples);
    ASSERT_TRUE(fit);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(fit->seconds[j], truth.seconds[j], 1e-6) << j;
  }
}

// By hand: w / (1 + 2 w / p + 3 w + 4 p), and 1 / (32 / w + 2 + 3 w / p + 4 w + 5 p).
TEST(Speed, of_both_modes_is_the_published_function) {
  EXPECT_DOUBLE_EQ((SpeedModel{UpdateMode::async, 1, {1, 2, 3, 4}}.steps_per_s(2, 4)), 4.0 / 25);
  EXPECT_DOUBLE_EQ((SpeedModel{UpdateMode::sync, 32, {1, 2, 3, 4, 5}}.steps_per_s(2, 4)), 1.0 / 42);
}

TEST(Speed, ten_samples_forecast_all_pairs_within_five_percent) {
  EXPECT_LE(mean_error(sync_truth, 10), 0.05);
  EXPECT_LE(mean_error(async_truth, 10), 0.05);
  EXPECT_LT(mean_error(sync_truth, 24), mean_error(sync_truth, 10));
}

TEST(Speed, the_best_split_of_twenty_tasks_is_the_papers_within_half_a_percent) {
  int best = 1;
  for (int w = 1; w < 20; ++w)
    if (sync_truth.steps_per_s(20 - w, w) > sync_truth.steps_per_s(20 - best, best)) best = w;
  EXPECT_EQ(best, 7);
  EXPECT_GT(sync_truth.steps_per_s(12, 8) / sync_truth.steps_per_s(13, 7), 0.995);
}

TEST(Speed, leave_out_what_was_not_measured) {
  EXPECT_FALSE(fit_speed(UpdateMode::sync, 32, {}));
  std::vector<SpeedSample> samples{{1, 1, 0}, {1, 2, -1}, {1, 3, NAN}, {0, 1, 5}};
  EXPECT_FALSE(fit_speed(UpdateMode::sync, 32, samples));
  samples.push_back({1, 1, 0.02});
  samples.push_back({2, 2, 0.03});
  EXPECT_TRUE(fit_speed(UpdateMode::sync, 32, samples));
}

// The case of Hemingway: an iteration is fastest on 27 machines, the target is reached first on 8.
const ScaleModel iteration_time{{0.02, 3.2, 0.01, 0.004}, 128};
double truth_at(double i, double m) { return std::pow(1 - 0.9 / (std::pow(m, 0.75) + 1), i); }

std::vector<ProgressSample> progress_samples() {
  std::vector<ProgressSample> samples;
  for (const double m : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0})
    for (double i = 1; i < 400 && truth_at(i, m) > 1e-5; i = std::ceil(i * 1.25))
      samples.push_back({i, m, truth_at(i, m)});
  return samples;
}

TEST(Scaling, the_machines_of_the_target_are_fewer_than_those_of_the_fastest_iteration) {
  int fastest = 1;
  for (int m = 1; m <= 128; ++m)
    if (iteration_time.seconds(m) < iteration_time.seconds(fastest)) fastest = m;
  EXPECT_EQ(fastest, 27);
  const auto progress = fit_progress(progress_samples());
  ASSERT_TRUE(progress);
  const std::vector<int> candidates{1, 2, 4, 8, 16, 32, 64, 128};
  const auto choice = first_to_reach(iteration_time, *progress, candidates, 1e-3);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->machines, 8);
  EXPECT_NEAR(choice->seconds, 19.4, 3);  // of the true functions
  const auto within = best_within(iteration_time, *progress, candidates, choice->seconds);
  ASSERT_TRUE(within);
  EXPECT_EQ(within->machines, 8);
}

TEST(Scaling, no_choice_beyond_twice_the_largest_size) {
  auto samples = progress_samples();
  std::erase_if(samples, [](const ProgressSample& sample) { return sample.machines > 16; });
  const auto progress = fit_progress(samples);
  ASSERT_TRUE(progress);
  EXPECT_TRUE(progress->covers(32));
  EXPECT_FALSE(progress->covers(33));
  const std::vector<int> far{64, 128};
  EXPECT_FALSE(first_to_reach(iteration_time, *progress, far, 1e-2));
  EXPECT_FALSE(best_within(iteration_time, *progress, far, 100));
}

TEST(Scaling, iteration_times_give_their_coefficients_back) {
  std::vector<ScaleSample> samples;
  for (const double m : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0})
    samples.push_back({m, 1, iteration_time.seconds(m)});
  const auto fit = fit_scale(samples);
  ASSERT_TRUE(fit);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(fit->terms[j], iteration_time.terms[j], 1e-6);
  EXPECT_EQ(fit->machines_max, 32);
}

}  // namespace
}  // namespace hone::forecast
