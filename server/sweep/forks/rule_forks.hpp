// The forks that the rule `hone` starts itself: in place of some new trials, a run that is among
// the best is continued with other parameters (`terminator: {rule: hone, forks: SHARE}`).
#pragma once

#include <optional>

#include "server/search/terminators/terminator.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {

// Whether the rule may start forks.
bool starts_forks(const SweepSpec& spec);

// Refuses such a rule where runs cannot continue each other's checkpoints, or where the forks could
// inherit too many reports. error.at is relative to the spec.
Status check_rule_forks(const SweepSpec& spec);

// Returns where a fork of that run starts: from its checkpoint of that phase, or from that of the
// run from which it inherited the phase; nullopt if it is not kept.
std::optional<Origin> fork_origin(const Book& book, const Sweep& sweep, const Donor& donor);

// Returns the next trial of the sweep, a fork of that run; nullopt if it starts nowhere. A coin
// addressed by the number of the trial decides how its parameters differ: by the bandit of `pb2`,
// which learns from the gains of all runs between tenths, or as in `pbt`, which is also the way
// where a bandit has nothing to choose.
std::optional<LeaseCandidate> propose_fork(const Book& book, const Sweep& sweep,
                                           const Donor& donor);

}  // namespace hone
