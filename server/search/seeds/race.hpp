// Compares trials of several runs as means with errors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/search/history/seed_curves.hpp"

namespace hone {

// Scores are smoothed over this share of a complete run.
inline constexpr double smoothing_share = 0.1;

// A trial that trained for long enough to be compared, at its last phase.
struct TrialRank {
  std::size_t trial = 0;
  int length = 0;
  int runs = 0;                // all of its runs, those still training included
  std::vector<double> values;  // smoothed, of each run that reported that phase
  double merit = 0;            // their aggregate
  // The merit that is expected if the trial is trained again: shrunk towards the mean of all trials
  // by the share of noise. With variance s^2 within a trial and t^2 between trials, the merit of n
  // values has the weight t^2 / (t^2 + s^2 / n). Where some trials have reached their bar, those
  // that have not keep their merit, and count neither for the mean nor for the noise.
  double expected = 0;
};

// Variance of a value within a trial, pooled over all trials with at least two values.
struct Noise {
  double variance = 0;
  double degrees = 0;  // of freedom; 0 if no trial has two values
};
// The noise at the end of `phase`, of values smoothed over `memory` phases. Of trials whose values
// are all of that kind (all_reached): what stands for a bar that is not reached is no noise.
Noise noise_at(const History& history, int phase, double memory, bool reached);

// P-value of a trial being worse than another, by a t-test with the pooled noise: with few seeds it
// is better known than a trial's own spread, and even single values can be compared. While there
// are too few degrees of freedom, Welch's test decides; 1/2 if that is impossible, too.
// Precondition: the values are finite.
double p_worse(std::span<const double> own, std::span<const double> other, const Noise& noise);

class Race {
 public:
  // `memory` is the time constant of smoothing, in phases.
  Race(const History& history, double memory);

  // Trials without a failure that trained at least half as long as the longest one, the best
  // expected merit first. Ties: more values, then the lower number.
  [[nodiscard]] std::span<const TrialRank> ranking() const { return ranking_; }
  [[nodiscard]] const Noise& noise() const { return noise_; }
  // The share of the variance between trials that is not noise, in [0, 1]; 1/2 while unknown.
  [[nodiscard]] double reliability() const { return reliability_; }
  // The variance between trials that is not noise.
  [[nodiscard]] double between() const { return between_; }

 private:
  void shrink(std::span<TrialRank> alike);

  std::vector<TrialRank> ranking_;
  Noise noise_;
  double reliability_ = 0.5;
  double between_ = 0;
};

}  // namespace hone
