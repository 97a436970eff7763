#include "server/api/explain_verdict.hpp"

#include <algorithm>

#include "base/expect.hpp"

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
      return false;
  }
  unreachable();
}

namespace {

std::string no_checkpoint_text(const Verdict& verdict) {
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

}  // namespace

std::string overruled_text(const Verdict& verdict) {
  if (verdict.reason == VerdictReason::no_checkpoint) return no_checkpoint_text(verdict);
  if (verdict.reason == VerdictReason::finishes) return finishes_text(verdict);
  if (verdict.reason == VerdictReason::step_follows)
    return " It continued: its budget is reached, but a later step of its pipeline follows.";
  return "";
}

}  // namespace hone::api
