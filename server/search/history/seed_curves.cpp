#include "server/search/history/seed_curves.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "schemas/types/reach.hpp"

namespace hone {
namespace {

constexpr double failed_value = -std::numeric_limits<double>::infinity();

bool is_time(double merit) { return -merit < some_not_reached_from; }

}  // namespace

std::optional<bool> all_reached(const History& history, std::span<const double> values) {
  if (!history.holds_times()) return true;
  const auto times = std::ranges::count_if(values, is_time);
  if (times != 0 && std::cmp_not_equal(times, values.size())) return std::nullopt;
  return times != 0;
}

bool SeedCurves::SeedCurve::reaches(int phase) const {
  return static_cast<int>(merits.size()) > phase || failed || carries;
}

SeedCurves::SeedCurves(const History& history, std::size_t trial, std::optional<NewReport> report)
    : history_(&history) {
  int awaited = 0;
  for (const std::size_t index : history.trials()[trial].runs) {
    const RunRecord& run = history.runs()[index];
    SeedCurve seed;
    seed.run = index;
    seed.merits = run.merits;
    if (report && report->run == index) seed.merits.push_back(report->merit);
    const bool ended = run.state == RunRecord::State::ended;
    const bool diverged = !seed.merits.empty() && std::isinf(seed.merits.back());
    seed.failed = diverged || (ended && run.counts && !run.completed && !run.evicted);
    seed.carries = run.completed && !diverged;
    seed.awaited = run.replicate < history.replication().first && (!ended || run.counts);
    awaited += seed.awaited ? 1 : 0;
    furthest_ = std::max(furthest_, static_cast<int>(seed.merits.size()));
    seeds_.push_back(std::move(seed));
  }
  // Waits for all first runs. If none of them can report any more, any run that is left counts.
  for (length_ = furthest_; length_ > 0; --length_) {
    int reached = 0, awaited_reached = 0;
    for (const SeedCurve& seed : seeds_) {
      if (!seed.reaches(length_ - 1)) continue;
      ++reached;
      awaited_reached += seed.awaited ? 1 : 0;
    }
    if (awaited_reached == awaited && reached > 0) break;
  }
}

int SeedCurves::missing(int phase) const {
  return static_cast<int>(std::count_if(seeds_.begin(), seeds_.end(), [&](const SeedCurve& one) {
    return one.awaited && !one.reaches(phase);
  }));
}

// The value that a finite merit counts as.
double SeedCurves::counted(const SeedCurve& seed, std::size_t phase) const {
  const double merit = seed.merits[phase];
  if (!history_->replication().ranks) return merit;
  return history_->rank_share(seed.run, static_cast<int>(phase), merit);
}

std::vector<double> SeedCurves::values(int phase) const {
  return collect(
      phase, [this](const SeedCurve& seed, std::size_t count) { return counted(seed, count - 1); });
}

// The update keeps equal values exactly equal, so that ties survive rounding. A time is no mean:
// the phases before it hold what stands for a bar that is not reached.
std::vector<double> SeedCurves::smoothed(int phase, double memory_phases) const {
  const double keep = std::exp(-1 / memory_phases);
  return collect(phase, [this, keep](const SeedCurve& seed, std::size_t count) {
    if (history_->holds_times() && is_time(seed.merits[count - 1])) return seed.merits[count - 1];
    double mean = 0, weight = 0;
    for (std::size_t past = 0; past < count; ++past) {
      weight = keep * weight + 1;
      mean += (counted(seed, past) - mean) / weight;
    }
    return mean;
  });
}

template <class Read>
std::vector<double> SeedCurves::collect(int phase, const Read& read) const {
  const auto wanted = static_cast<std::size_t>(phase) + 1;
  std::vector<double> values;
  for (const SeedCurve& seed : seeds_) {
    if (!seed.reaches(phase)) continue;
    const bool beyond = seed.merits.size() < wanted;
    const auto count = std::min(seed.merits.size(), wanted);
    const bool failed = count == 0 || (beyond && seed.failed) || std::isinf(seed.merits[count - 1]);
    values.push_back(failed ? failed_value : read(seed, count));
  }
  return values;
}

}  // namespace hone
