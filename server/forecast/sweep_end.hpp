// When a sweep will end, from its counts so far. Arithmetic on a few numbers, so that every page
// can afford it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/search/terminators/terminator.hpp"

namespace hone::forecast {

struct SweepSoFar {
  std::string_view rule;          // a row of the terminators
  std::int64_t runs = 0;          // that the sweep will start: trials times seeds
  std::int64_t runs_started = 0;  // or queued
  std::int64_t training = 0;      // now
  std::int64_t paused = 0;
  std::int64_t ended = 0;  // completed, stopped, failed or canceled
  std::int64_t phases_done = 0;
  int phases_per_run = 1;
  double phases_per_s = 0;  // of all runs, lately
  // The time in which runs trained since the last of these phases ended, and their pace until then.
  double silence_s = 0, phases_per_s_before = 0;
};

// Time left, in seconds.
struct SweepEnd {
  double seconds = 0;
  double low = 0, high = 0;  // 80 % of simulated sweeps ended between
};

// The times that the weights count, in seconds.
struct EndTimes {
  double proposals = 0, training = 0, complete_run = 0;
};
// nullopt as forecast_sweep_end, for any rule.
std::optional<EndTimes> end_times(const SweepSoFar& sweep);
double weighted(const EndTimes& times, const EndWeights& weights);

// nullopt before the first phase, without a pace, once nothing is left to train, and for a rule
// without a row.
std::optional<SweepEnd> forecast_sweep_end(const SweepSoFar& sweep);

}  // namespace hone::forecast
