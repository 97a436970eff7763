#include "server/forecast/sweep_end.hpp"

#include <algorithm>

namespace hone::forecast {
namespace {

// 1 + 1/2 + ... + 1/n: the longest of n equal exponential times, in means of one.
double longest_of(std::int64_t n) {
  double sum = 0;
  for (std::int64_t i = 1; i <= std::min<std::int64_t>(n, 10'000); ++i)
    sum += 1 / static_cast<double>(i);
  return sum;
}

// Phases until a run pauses or ends: the maximum-likelihood estimate of a constant chance of that
// after each phase, with the runs that still train as censored.
double phases_until_left(const SweepSoFar& sweep) {
  const auto left = static_cast<double>(sweep.ended + sweep.paused);
  return std::min(static_cast<double>(sweep.phases_per_run),
                  static_cast<double>(sweep.phases_done) / std::max(left, 0.5));
}

// Runs that report nothing for longer than their phases took hang. The next phase may end now, at
// the pace before, or each may take as long as this one has.
void widen_in_silence(SweepEnd& end, const SweepSoFar& sweep) {
  if (sweep.phases_per_s_before <= 0) return;
  const auto training = static_cast<double>(std::max<std::int64_t>(1, sweep.training));
  const double phase_s = training / sweep.phases_per_s_before;
  if (sweep.silence_s <= phase_s) return;
  end.low *= std::min(1.0, sweep.phases_per_s / sweep.phases_per_s_before);
  end.high *= sweep.silence_s / phase_s;
}

}  // namespace

std::optional<EndTimes> end_times(const SweepSoFar& sweep) {
  const std::int64_t to_propose = std::max<std::int64_t>(0, sweep.runs - sweep.runs_started);
  if (sweep.phases_done < 1 || sweep.phases_per_s <= 0 || to_propose + sweep.training == 0)
    return std::nullopt;
  const std::int64_t training = std::max<std::int64_t>(1, sweep.training);
  const double phase_s = static_cast<double>(training) / sweep.phases_per_s;  // of one run
  const double phases = phases_until_left(sweep);
  const auto complete = static_cast<double>(sweep.phases_per_run);
  return EndTimes{static_cast<double>(to_propose) * phases / sweep.phases_per_s,
                  phase_s * std::min(complete, phases * longest_of(training)), phase_s * complete};
}

double weighted(const EndTimes& times, const EndWeights& weights) {
  return weights.proposals * times.proposals + weights.training * times.training +
         weights.complete_run * times.complete_run;
}

std::optional<SweepEnd> forecast_sweep_end(const SweepSoFar& sweep) {
  const auto times = end_times(sweep);
  if (!times) return std::nullopt;
  const auto rows = terminator_table();
  const auto row = std::ranges::find(rows, sweep.rule, &TerminatorRow::rule);
  if (row == rows.end()) return std::nullopt;
  const EndWeights& weights = sweep.runs > sweep.runs_started ? row->proposing : row->finishing;
  const double seconds = weighted(*times, weights);
  SweepEnd end{seconds, seconds * weights.low, seconds * weights.high};
  widen_in_silence(end, sweep);
  return end;
}

}  // namespace hone::forecast
