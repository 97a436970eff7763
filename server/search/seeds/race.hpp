// Trials of several runs compared as what they are: means with errors.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "server/search/history/panel.hpp"

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

// Variance of a value within a trial, of all trials together that have two values or more.
struct Noise {
  double variance = 0;
  double degrees = 0;  // of freedom; 0 while nothing is known
};
// At the end of `phase`, smoothed as the standings are.
Noise noise_at(const History& history, int phase, double memory);

// P-value of a trial being worse than another: with few seeds each, what is known of the noise from
// all trials tells more than their own spread, so that one value can be compared, too. By Welch's
// test while little is known of the noise; 1/2 where nothing can be said. Values are finite.
double p_worse(std::span<const double> own, std::span<const double> other, const Noise& noise);

class Race {
 public:
  // `memory`: of smoothing, in phases.
  Race(const History& history, double memory);

  // Trials without a failure that trained at least half as long as the longest, best expected
  // first; ties: more values, then the lower number.
  [[nodiscard]] std::span<const Standing> standings() const { return standings_; }
  [[nodiscard]] const Noise& noise() const { return noise_; }
  // Share of what is seen between trials that is real, 0 to 1; 1/2 while nothing is known.
  [[nodiscard]] double reliability() const { return reliability_; }

 private:
  void shrink();

  std::vector<Standing> standings_;
  Noise noise_;
  double reliability_ = 0.5;
};

}  // namespace hone
