#include "server/sweep/forks/bandit_data.hpp"

#include <cmath>
#include <optional>

#include "server/sweep/state/rules.hpp"

namespace hone {
namespace {

// Appends the gains of a run from its start, the report `first`, on; -1: it started from nothing,
// and its first ready point begins its first gain.
void add_changes(std::span<const double> merits, int first, int ready, const Point& point,
                 std::vector<RewardChange>& changes) {
  std::optional<int> before;
  if (first >= 0) before = first;
  for (int phase = ready - 1; phase < static_cast<int>(merits.size()); phase += ready) {
    if (phase <= first) continue;
    const auto value = [&](int at) { return merits[static_cast<std::size_t>(at)]; };
    if (before) {
      const double gain = (value(phase) - value(*before)) / (phase - *before);
      if (std::isfinite(gain))  // two finite values may differ by more than a double holds
        changes.push_back({static_cast<double>(phase + 1), value(*before), gain, point});
    }
    before = phase;
  }
}

}  // namespace

BanditData bandit_data(const Book& book, const Sweep& sweep, const Origin& origin, int ready) {
  BanditData data;
  data.time = origin.phase + 1;
  for (const TrialId id : sweep.trials) {
    const Trial& trial = *find_trial(book, id);
    const Run& run = trial.runs.front();
    const auto& merits = sweep.history.runs()[run.record].merits;
    if (id == origin.run.trial) {
      const double latest = merits.at(static_cast<std::size_t>(origin.phase));
      if (std::isfinite(latest)) data.before = latest;
    }
    const auto at = sweep.history.point(sweep.history.runs()[run.record].trial);
    const Point point(at.begin(), at.end());
    const std::size_t known = data.changes.size();
    add_changes(merits, trial.origin ? trial.origin->phase : -1, ready, point, data.changes);
    if (trial.origin && !is_end(run.state) && data.changes.size() == known)
      data.pending.push_back(point);
    if (data.changes.size() > 2 * bandit_changes_max) keep_newest(data.changes);
  }
  return data;
}

}  // namespace hone
