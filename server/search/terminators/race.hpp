// Trials of several runs compared as what they are: means with errors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/search/panel.hpp"

namespace hone {

// A trial that came far enough to be compared, at the end of its own length.
struct Standing {
  std::size_t trial = 0;
  int length = 0;
  int runs = 0;                // that were made, some perhaps still on their way
  std::vector<double> values;  // smoothed, of each run that came as far
  double merit = 0;            // their aggregate
  // Shrunk towards the mean of all by how much of what is seen is noise: with noise s^2 within a
  // trial and t^2 between trials, merit counts t^2 / (t^2 + s^2 / n). What is expected of it.
  double expected = 0;
};

class Race {
 public:
  // `memory`: of smoothing, in phases.
  Race(const History& history, double memory);

  // Trials without a failure that trained at least half as long as the longest, best expected
  // first; ties: more values, then the lower number.
  [[nodiscard]] std::span<const Standing> standings() const { return standings_; }
  // Variance of a value within a trial, pooled; nullopt while no trial has two values.
  [[nodiscard]] std::optional<double> noise() const { return noise_; }
  // Share of what is seen between trials that is real, 0 to 1; 1/2 while nothing is known.
  [[nodiscard]] double reliability() const { return reliability_; }

 private:
  void shrink();

  std::vector<Standing> standings_;
  std::optional<double> noise_;
  double reliability_ = 0.5;
};

}  // namespace hone
