// What a model expects of the trials of a sweep whose single runs are noisy: the best of many noisy
// values is most of all the luckiest (docs/leaderboard.md). Pure, and bounded in time however many
// trials there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/search/history/history.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

struct ExpectedMerit {
  std::size_t trial = 0;
  double merit = 0;          // between the lowest and the highest merit reported
  double low = 0, high = 0;  // one standard deviation on either side
};

struct ExpectedMerits {
  double noise = 0;                   // share of the variance of merits, in [0, 1]
  std::vector<ExpectedMerit> trials;  // best first; empty: the noise is too small to matter
};

// What an estimate takes, which bounds its time.
struct EstimateEffort {
  std::size_t trials;        // that are looked at
  std::size_t parameters;    // of a sweep; one with more gets no estimate
  std::size_t points;        // that the process predicts from, and names among
  std::size_t fit_points;    // on which its shape is fitted
  std::size_t check_points;  // on which it is compared with one without noise
  std::size_t starts;        // of the fit
  bool every_noise;          // tries every noise, in place of the neighbours of the last one
};
// Some 10 ms of the engine's thread: docs/measurements/names.md has a table.
inline constexpr EstimateEffort estimate_effort{4'096, 16, 192, 128, 64, 1, false};
// That of sweeps of earlier rules, with the same values for a replay: 20 ms, and half a second for
// 1,000 parameters.
inline constexpr EstimateEffort earlier_estimate_effort{1'000'000, 1'000, 192, 128, 64, 2, true};

// Returns what a Gaussian process expects at the leading trials, those that can be compared with
// the longest one. Nothing if they are too few, or if the process explains their merits without
// noise nearly as well. Precondition: a run for each trial.
ExpectedMerits expected_merits(const SearchSpace& space, const History& history,
                               const EstimateEffort& effort = estimate_effort);

// Whether expected_merits() is due after so many reports of the sweep: at first after each, then
// after each eighth more.
bool is_due(std::int64_t reports);

}  // namespace hone
