#include "server/search/samplers/dehb/state.hpp"

#include <algorithm>
#include <cmath>

namespace hone {

DehbState::DehbState(const DehbPlan& plan, const History& history, std::size_t count,
                     bool all_proposed)
    : plan_(plan), history_(history), all_proposed_(all_proposed), open_(plan.levels(), false) {
  for (std::size_t level = 0; level < plan.levels(); ++level)
    members_.emplace_back(plan.size(level));
  const auto& steps = plan.steps();
  for (std::size_t i = 0; i < count;) {
    if (steps[i].kind == DehbStep::Kind::promote) {
      i = promote(i);
      continue;
    }
    evaluate(steps[i], history.foreign() + static_cast<std::size_t>(steps[i].trial));
    ++i;
  }
}

// A trial's result after so many phases: the mean over its runs, once none of them can report it
// any more. A run that ended before counts as without a result.
DehbState::Result DehbState::result_of(std::size_t trial, std::size_t level) const {
  if (trial >= history_.trials().size()) return {!all_proposed_, std::nullopt};
  const auto length = static_cast<std::size_t>(plan_.length(level));
  double sum = 0;
  std::size_t count = 0;
  for (const std::size_t index : history_.trials()[trial].runs) {
    const RunRecord& run = history_.runs()[index];
    if (run.merits.size() >= length)
      sum += run.merits[length - 1], ++count;
    else if (run.state != RunRecord::State::ended)
      return {true, std::nullopt};
  }
  if (count == 0 || std::isinf(sum)) return {};
  return {false, sum / static_cast<double>(count)};
}

void DehbState::evaluate(const DehbStep& step, std::size_t trial) {
  const Result result = result_of(trial, step.level);
  if (result.open) open_[step.level] = true;
  if (!result.merit) return;
  auto& member = members_[step.level][step.slot];
  if (!member || *result.merit >= member->merit) member = DehbMember{trial, *result.merit};
}

// The steps of one rung from `first` on. It chooses when every earlier evaluation of its level
// and of the one below is settled. Returns the step after them.
std::size_t DehbState::promote(std::size_t first) {
  const auto& steps = plan_.steps();
  const DehbStep& rung = steps[first];
  const std::size_t end = first + rung.parents;
  if (open_[rung.below] || open_[rung.level]) {
    open_[rung.level] = true;
    undecided_.push_back(first);
    return end;
  }
  std::vector<DehbMember> chosen = ranked(rung.below);
  std::erase_if(chosen, [&](const DehbMember& one) {
    return std::ranges::any_of(promotions_, [&](const Promotion& earlier) {
      return earlier.trial == one.trial && earlier.level == rung.level;
    });
  });
  for (std::size_t i = 0; i < std::min(rung.parents, chosen.size()); ++i) {
    promotions_.push_back({chosen[i].trial, rung.level});
    evaluate(steps[first + i], chosen[i].trial);
  }
  return end;
}

std::vector<DehbMember> DehbState::ranked(std::size_t level) const {
  std::vector<DehbMember> members;
  for (const auto& member : members_[level])
    if (member) members.push_back(*member);
  std::ranges::sort(members, [](const DehbMember& a, const DehbMember& b) {
    return a.merit != b.merit ? a.merit > b.merit : a.trial < b.trial;
  });
  return members;
}

std::optional<DehbMember> DehbState::member(std::size_t level, std::size_t slot) const {
  return members_[level][slot];
}

bool DehbState::chooses_later(std::size_t level, std::size_t step) const {
  return std::ranges::any_of(undecided_, [&](std::size_t rung) {
    return plan_.steps()[rung].below == level && rung > step;
  });
}

}  // namespace hone
