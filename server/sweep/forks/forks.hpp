// Runs that continue from another run's checkpoint with their own parameters: a user's
// (`hone enqueue --from`), and those of a population. Pure, like all rules.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/sweep/state/command.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

// Returns whether a run of the sweep may resume with another value of the parameter: what the
// trainer's table or `command.may_change` declares.
bool may_change(const SweepSpec& spec, std::string_view parameter);

// The names of those parameters.
std::vector<std::string> changeable_parameters(const Sweep& sweep);
// Whether a fork may get another value of the parameter, and whether a bandit can choose it.
bool is_explored(const SweepSpec& spec, const Parameter& parameter);
bool bandit_chooses(const SweepSpec& spec, const Parameter& parameter);

// Refuses a population whose search method and rule differ, or whose members could not continue
// each other's checkpoints. error.at is relative to the spec.
Status check_population(const SweepSpec& spec);

// Returns the checkpoint from which a fork of a run of this sweep starts. Refuses a run of another
// sweep, a phase that it has not reported, and one whose checkpoint is not kept.
Result<Origin> find_origin(const Book& book, const Sweep& sweep, const ForkRequest& request);

// Returns the checkpoint of the run's report of the phase; nullopt if none is kept.
std::optional<Origin> origin_after(const Book& book, const Run& run, int phase);

// Returns the parameters of the origin with those of `given` in their place. Parameters that become
// active by the change have the middle of their range.
Params forked_params(const Book& book, const Sweep& sweep, const Origin& origin,
                     const Params& given);

// Refuses to change a parameter that may not change, also where the change follows from that of
// another: of a derived parameter, or of one whose condition begins or ceases to hold.
Status check_forked(const Book& book, const Sweep& sweep, const Origin& origin,
                    const Params& given);

// Returns what takes the place of a run that ends with `verdict` on its report of `phase`; nullopt:
// nothing does.
std::optional<Origin> find_successor(const Book& book, const Sweep& sweep, const Run& run,
                                     int phase, const Verdict& verdict);

// Returns why a member trains on although its rule would replace or pause it; nullopt: it does not.
// After `stop` no fork starts and no paused member is continued, so that those that train finish;
// before, the better member may keep no checkpoint.
std::optional<VerdictReason> why_member_continues(const Book& book, const Sweep& sweep,
                                                  const Run& run, int phase,
                                                  const Verdict& verdict);

// Whether the run's report of the phase reached the bar of an objective of time: it ends the run.
bool reached_bar(const Sweep& sweep, const Run& run, int phase);

// Appends the trial that takes that place, and is queued.
void propose_successor(const Book& book, const Sweep& sweep, const Origin& origin, Events& events);

// Folds the start of a fork: it begins with the reports and the checkpoint of its origin. The
// verdicts on these reports were on that run.
void begin_as(const Book& book, Sweep& sweep, Run& run, const Origin& origin);
// Folds that the run no longer needs the checkpoint that it started from, if it is a fork.
void forget_start(Sweep& sweep, const Run& run);

// The checkpoints from which runs start that have none themselves, while one command is decided.
// Counts them once, however many runs the command ends.
class ForkStarts {
 public:
  // Borrows the book.
  explicit ForkStarts(const Book& book) : book_(book) {}

  // Call for each event of the command, in order.
  void add(const EventBody& body);
  // Whether such a run starts from the checkpoint, or will, after the events so far.
  bool contains(const Sweep& sweep, ModelId model);

 private:
  void over(RunId id);
  std::int64_t& counted(const Sweep& sweep, ModelId model);

  const Book& book_;
  std::map<ModelId, std::int64_t> counts_;
  std::set<RunId> over_;
  std::set<ModelId> started_;
  std::map<SweepId, std::set<ModelId>> waiting_;  // of enqueued forks
};

// Reports that the forks of one sweep may inherit: rows of the query tables. With the default
// quantile the forks of a population inherit a tenth of what check_population counts. An import
// folds all of them at once, in some seconds.
inline constexpr std::int64_t inherited_reports_max = 10'000'000;
inline constexpr std::int64_t imported_inherited_max = 1'000'000;

}  // namespace hone
