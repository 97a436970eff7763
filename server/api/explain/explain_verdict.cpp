#include "server/api/explain/explain_verdict.hpp"

#include <algorithm>
#include <cmath>

#include "base/expect.hpp"
#include "base/text.hpp"
#include "server/api/explain/explain_reach.hpp"
#include "server/search/terminators/rule_helpers.hpp"

namespace hone::api {

bool by_rule(VerdictReason reason) {
  switch (reason) {
    case VerdictReason::collecting:
    case VerdictReason::good_enough:
    case VerdictReason::evicted:
    case VerdictReason::between_rungs:
    case VerdictReason::promoted:
    case VerdictReason::awaits_promotion:
    case VerdictReason::awaits_seeds:
    case VerdictReason::outraced:
    case VerdictReason::replaced:
    case VerdictReason::awaits_turn:
      return true;
    case VerdictReason::no_rule:
    case VerdictReason::last_phase:
    case VerdictReason::diverged:
    case VerdictReason::no_checkpoint:
    case VerdictReason::finishes:
    case VerdictReason::step_follows:
    case VerdictReason::yields:
    case VerdictReason::reached:
    case VerdictReason::too_late:
      return false;
  }
  unreachable();
}

namespace {

bool changes_parameters(const Verdict& verdict) {
  return std::ranges::any_of(
      verdict.inputs, [](const VerdictInput& input) { return input.name == "next_parameters"; });
}

std::string no_checkpoint_text(const Verdict& verdict) {
  if (changes_parameters(verdict))
    return " It continued with the parameters that it had: it has saved no checkpoint of this "
           "phase, where its schedule changes.";
  const bool follows = std::ranges::any_of(
      verdict.inputs, [](const VerdictInput& input) { return input.name == "donor"; });
  return follows ? " It continued: its rule would put a fork of a better member in its place, but "
                   "that one keeps no checkpoint of its latest report."
                 : " It continued: its rule would pause it, but it has saved no checkpoint to "
                   "resume from.";
}

std::string finishes_text(const Verdict& verdict) {
  const bool member = std::ranges::any_of(
      verdict.inputs, [](const VerdictInput& input) { return input.name == "forks_left"; });
  return member ? " It continued: after `hone stop` no fork takes the place of a member, and none "
                  "pauses for others."
                : " It continued: it leads its sweep, whose winner trains to the end.";
}

// The run's time, and that of the best complete trial.
std::string too_late_text(const Verdict& verdict, const SweepSpec& spec) {
  const auto time = [&](const char* name) {
    return time_text(spec, find_input(verdict.inputs, name).value_or(0));
  };
  return " It stopped: after " + time("time") +
         " it had not reached the bar, and the best complete trial reached it after " +
         time("best") + ".";
}

}  // namespace

Action recompute_too_late(const std::vector<VerdictInput>& inputs) {
  const auto time = find_input(inputs, "time"), best = find_input(inputs, "best");
  return time && best && *time >= *best ? Action::stop : Action::go_on;
}

std::string overruled_text(const Verdict& verdict, const SweepSpec& spec) {
  if (verdict.reason == VerdictReason::no_checkpoint) return no_checkpoint_text(verdict);
  if (verdict.reason == VerdictReason::finishes) return finishes_text(verdict);
  if (verdict.reason == VerdictReason::step_follows)
    return " It continued: its budget is reached, but a later step of its pipeline follows.";
  if (verdict.reason == VerdictReason::yields && changes_parameters(verdict))
    return " It was paused, to continue from its checkpoint with the next parameters of its "
           "schedule.";
  const auto cpus = find_input(verdict.inputs, "cpus");
  if (verdict.reason == VerdictReason::yields && cpus)
    return " It was paused, to continue from its checkpoint with " +
           counted(static_cast<std::int64_t>(*cpus), "slot") + ".";
  const auto with = find_input(verdict.inputs, "speeds_with");
  if (verdict.reason == VerdictReason::yields && with)
    return " It gave its slots back, as the runs of its worker are faster together without it: " +
           short_number_text(std::round(*with * 100) / 100) +
           " times the speed of one alone, and " +
           short_number_text(std::round(*find_input(verdict.inputs, "speeds_without") * 100) /
                             100) +
           " without it. It continues from its checkpoint when its turn comes.";
  if (verdict.reason == VerdictReason::yields)
    return " It gave its slots to another sweep, which had got less for its share, and continues "
           "from its checkpoint when its turn comes.";
  if (verdict.reason == VerdictReason::too_late) return too_late_text(verdict, spec);
  return "";
}

}  // namespace hone::api
