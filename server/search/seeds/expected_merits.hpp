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

// Returns what a Gaussian process expects at the leading trials, those that can be compared with
// the longest one. Nothing if they are too few, or if the process explains their merits without
// noise nearly as well. Precondition: a run for each trial.
ExpectedMerits expected_merits(const SearchSpace& space, const History& history);

// Whether expected_merits() is due after so many reports of the sweep: at first after each, then
// after each eighth more.
bool is_due(std::int64_t reports);

}  // namespace hone
