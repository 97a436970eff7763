#include "server/search/history/panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hone {
namespace {

constexpr double failure = -std::numeric_limits<double>::infinity();

}  // namespace

bool Panel::Member::reaches(int phase) const {
  return static_cast<int>(merits.size()) > phase || failed || carries;
}

Panel::Panel(const History& history, std::size_t trial, std::optional<NewReport> report)
    : history_(&history) {
  int awaited = 0;
  for (const std::size_t index : history.trials()[trial].runs) {
    const RunRecord& run = history.runs()[index];
    Member member;
    member.run = index;
    member.merits = run.merits;
    if (report && report->run == index) member.merits.push_back(report->merit);
    const bool ended = run.standing == RunRecord::Standing::ended;
    const bool diverged = !member.merits.empty() && std::isinf(member.merits.back());
    member.failed = diverged || (ended && run.counts && !run.completed && !run.evicted);
    member.carries = run.completed && !diverged;
    member.awaited = run.replicate < history.replication().first && (!ended || run.counts);
    awaited += member.awaited ? 1 : 0;
    furthest_ = std::max(furthest_, static_cast<int>(member.merits.size()));
    members_.push_back(std::move(member));
  }
  // All of its first runs; where those are gone, any one that is left speaks for the trial.
  for (length_ = furthest_; length_ > 0; --length_) {
    int reached = 0, awaited_reached = 0;
    for (const Member& member : members_) {
      if (!member.reaches(length_ - 1)) continue;
      ++reached;
      awaited_reached += member.awaited ? 1 : 0;
    }
    if (awaited_reached == awaited && reached > 0) break;
  }
}

int Panel::missing(int phase) const {
  return static_cast<int>(std::count_if(members_.begin(), members_.end(), [&](const Member& one) {
    return one.awaited && !one.reaches(phase);
  }));
}

// What a finite merit counts as.
double Panel::counted(const Member& member, std::size_t phase) const {
  const double merit = member.merits[phase];
  if (!history_->replication().ranks) return merit;
  return history_->rank_share(member.run, static_cast<int>(phase), merit);
}

std::vector<double> Panel::values(int phase) const {
  return collect(phase, [this](const Member& member, std::size_t count) {
    return counted(member, count - 1);
  });
}

// Updated so that equal values give exactly that value: ties must survive rounding.
std::vector<double> Panel::smoothed(int phase, double memory_phases) const {
  const double keep = std::exp(-1 / memory_phases);
  return collect(phase, [this, keep](const Member& member, std::size_t count) {
    double mean = 0, weight = 0;
    for (std::size_t past = 0; past < count; ++past) {
      weight = keep * weight + 1;
      mean += (counted(member, past) - mean) / weight;
    }
    return mean;
  });
}

template <class Read>
std::vector<double> Panel::collect(int phase, const Read& read) const {
  const auto wanted = static_cast<std::size_t>(phase) + 1;
  std::vector<double> values;
  for (const Member& member : members_) {
    if (!member.reaches(phase)) continue;
    const bool beyond = member.merits.size() < wanted;
    const auto count = std::min(member.merits.size(), wanted);
    const bool failed =
        count == 0 || (beyond && member.failed) || std::isinf(member.merits[count - 1]);
    values.push_back(failed ? failure : read(member, count));
  }
  return values;
}

}  // namespace hone
