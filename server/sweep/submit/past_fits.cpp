#include "server/sweep/submit/past_fits.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "schemas/types/edit.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/reach.hpp"
#include "server/sweep/forks/forks.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone {
namespace {

Error event_refusal(const std::string& why) { return refuse(Code::invalid, why); }

Status require(bool holds, const char* why) {
  if (holds) return Done{};
  return event_refusal(why);
}

// Reports of a time hold it; others hold none.
bool fits_clock(const Objective& objective, std::optional<double> spent) {
  if (!measures_time(objective)) return !spent;
  return spent && *spent >= 0 && *spent <= time_max;
}

bool fits_shares(const RankPrior& prior) {
  return prior.tenths.size() == rank_prior_tenths &&
         std::ranges::all_of(prior.tenths, [](const auto& one) {
           return std::abs(one.tau) <= 1 && one.error >= 0;
         });
}

class CheckEvent {
 public:
  explicit CheckEvent(const Book& book) : book_(book) {}

  Status operator()(const SweepSubmitted& e) const {
    if (e.rank_prior && !fits_shares(*e.rank_prior))
      return event_refusal("has agreements of ranks outside [-1, 1], or not nine of them");
    if (auto sent = check_code(commands_of(e.spec)); !sent) return sent;
    return check_spec(e.spec, value_rule(e.rules));
  }
  Status operator()(const SweepSteered& e) const { return open(e.sweep); }
  Status operator()(const SweepEnded& e) const {
    const Sweep* sweep = find_sweep(book_, e.sweep);
    return require(sweep != nullptr && !is_end(sweep->state) && is_end(e.state) &&
                       e.state != SweepState::quarantined && sweep->open_runs == 0 &&
                       sweep->queue.empty(),
                   "ends a sweep that still has runs");
  }
  Status operator()(const TrialProposed& e) const {
    if (auto there = open(e.sweep); !there) return there;
    const Sweep& sweep = *find_sweep(book_, e.sweep);
    if (!std::cmp_equal(e.number, sweep.trials.size()))
      return event_refusal("proposes trials out of order");
    if (auto later = follows(sweep, e.schedule, e.origin.has_value()); !later) return later;
    if (!e.origin) return Done{};
    if (sweep.inherited + e.origin->phase >= imported_inherited_max)
      return event_refusal("is a fork too many: all forks of a document may inherit at most " +
                           std::to_string(imported_inherited_max) + " reports");
    return continues(sweep, *e.origin);
  }
  Status operator()(const TrialEnqueued& e) const {
    if (auto there = open(e.sweep); !there) return there;
    const Sweep& sweep = *find_sweep(book_, e.sweep);
    if (auto later = follows(sweep, e.schedule, e.origin.has_value()); !later) return later;
    if (auto given = entered_params(sweep.space, e.params); !given) return given.error();
    return e.origin ? continues(sweep, *e.origin) : Status(Done{});
  }
  Status operator()(const RunAdded& e) const {
    const Trial* trial = find_trial(book_, e.run.trial);
    return require(trial != nullptr && std::cmp_equal(e.run.replicate, trial->runs.size()) &&
                       open(book_.trials.at(e.run.trial).first).ok(),
                   "adds a run out of order");
  }
  Status operator()(const LeaseGranted& e) const {
    const Run* run = find_run(book_, e.attempt.run);
    if (run == nullptr || run->lease || e.attempt.number != run->attempts + 1 || !waits(*run) ||
        e.step != run->step)
      return event_refusal("leases a run that does not wait");
    return require(!e.resume || book_.models.contains(*e.resume),
                   "resumes a checkpoint that is gone");
  }
  Status operator()(const LeaseRenewed& e) const { return live(e.lease); }
  Status operator()(const RunStarted& e) const { return live(e.lease); }
  Status operator()(const ReportRecorded& e) const {
    const Run* run = find_run(book_, e.run);
    if (run == nullptr || !holds(e.lease, e.run)) return event_refusal("reports without a lease");
    const SweepSpec& spec = sweep_of(book_, e.run).spec;
    if (!fits_clock(spec.objective, e.spent))
      return event_refusal("reports a time that the objective does not have, or lacks its time");
    // A run that has reached the bar of an objective of time has no further report.
    const auto& record = sweep_of(book_, e.run).history.runs()[run->record];
    return require(std::cmp_equal(e.phase, run->reports.size()) && e.phase < spec.budget.phases &&
                       record.merits.size() == run->reports.size() &&
                       e.further.size() == spec.further_objectives.size(),
                   "reports a phase out of order");
  }
  Status operator()(const VerdictGiven& e) const {
    const Run* run = find_run(book_, e.run);
    return require(run != nullptr && e.phase >= 0 && std::cmp_less(e.phase, run->reports.size()) &&
                       !run->reports[static_cast<std::size_t>(e.phase)].verdict,
                   "judges what was not reported, or twice");
  }
  Status operator()(const RunPaused& e) const {
    return require(holds(e.lease, e.run), "pauses a run without a lease");
  }
  Status operator()(const RunReturned& e) const {
    return require(holds(e.lease, e.run), "returns a run without a lease");
  }
  Status operator()(const RunReady& e) const {
    const Run* run = find_run(book_, e.run);
    return require(run != nullptr && run->due.has_value(), "readies a run that did not rest");
  }
  Status operator()(const RunEnded& e) const {
    const Run* run = find_run(book_, e.run);
    return require(
        run != nullptr && is_end(e.state) && !is_end(run->state) && (run->lease || waits(*run)),
        "ends a run that is over");
  }
  Status operator()(const ModelSaved& e) const {
    return require(find_run(book_, e.run) != nullptr, "saves a checkpoint of no run");
  }
  Status operator()(const ArtifactSaved& e) const {
    return require(find_run(book_, e.run) != nullptr, "saves a file of no run");
  }
  Status operator()(const CodeRecorded& e) const {
    const Run* run = find_run(book_, e.run);
    return require(run != nullptr && run->attempts > 0 && run->last_lease == e.lease,
                   "names the code of a lease that its run did not have last");
  }
  Status operator()(const StepFinished& e) const {
    const Run* run = find_run(book_, e.run);
    return require(run != nullptr && holds(e.lease, e.run) && e.step == run->step &&
                       step_follows(sweep_of(book_, e.run), *run),
                   "finishes a step that does not run");
  }
  Status operator()(const TrialsExpected& e) const {
    if (auto there = open(e.sweep); !there) return there;
    const Sweep& sweep = *find_sweep(book_, e.sweep);
    std::set<TrialId> named;
    for (const ExpectedValue& one : e.trials)
      if (!std::ranges::binary_search(sweep.trials, one.trial) || !named.insert(one.trial).second)
        return event_refusal("expects values of trials that the sweep does not have, or twice");
    return require(e.noise >= 0 && e.noise <= 1, "has a share of noise outside [0, 1]");
  }
  Status operator()(const ModelEvaluated& e) const {
    return require(!e.info.values.empty(), "evaluates a model without a value");
  }
  Status operator()(const ModelDropped& e) const {
    const Run* run = find_run(book_, e.run);
    return require(run != nullptr && is_end(run->state) && book_.models.contains(e.model),
                   "drops a checkpoint that is not there");
  }
  Status operator()(const SweepEdited& e) const {
    const Sweep* sweep = find_sweep(book_, e.sweep);
    if (sweep == nullptr || (is_end(sweep->state) && !e.trials))
      return event_refusal("edits a sweep that is over");
    if (auto wider = check_widenings(sweep->spec, e.widened); !wider) return wider;
    if (auto fits = check_command(*sweep, e.command); !fits) return fits;
    SweepSpec spec = sweep->spec;
    apply(e, spec);
    if (auto sent = check_code(commands_of(spec)); !sent) return sent;
    return check_changed(spec, value_rule(sweep->rules));
  }
  Status operator()(const SweepArchived& e) const {
    return require(find_sweep(book_, e.sweep) != nullptr, "archives no sweep");
  }
  Status operator()(const TrialPinned& e) const {
    return require(find_trial(book_, e.trial) != nullptr, "pins no trial");
  }
  Status operator()(const NoteAdded&) const { return Done{}; }
  Status operator()(const TagsChanged&) const { return Done{}; }
  template <class Other>
  Status operator()(const Other&) const {
    return event_refusal("is not of a sweep");
  }

 private:
  [[nodiscard]] Status continues(const Sweep& sweep, const Origin& origin) const {
    const Run* run = find_run(book_, origin.run);
    return require(run != nullptr && book_.trials.at(origin.run.trial).first == sweep.id &&
                       steps_of(sweep.spec) == 1 && origin.phase >= 0 &&
                       std::cmp_less(origin.phase, run->reports.size()) &&
                       !reached_bar(sweep, *run, origin.phase) &&
                       origin.phase + 1 < sweep.spec.budget.phases &&
                       book_.models.contains(origin.model) && most_runs(sweep.spec) == 1 &&
                       sweep.spec.further_objectives.empty(),
                   "continues a run without its reports or its checkpoint");
  }
  // A schedule begins from nothing, and has a stage for each phase at which parameters change.
  [[nodiscard]] static Status follows(const Sweep& sweep, const std::vector<ScheduleStage>& stages,
                                      bool is_fork) {
    int last = 0;
    bool ascend = true;
    for (const ScheduleStage& stage : stages) {
      ascend = ascend && stage.phase > last;
      last = stage.phase;
    }
    return require(stages.empty() || (ascend && last < sweep.spec.budget.phases && !is_fork &&
                                      steps_of(sweep.spec) == 1),
                   "changes parameters at phases out of order, or of a fork or a pipeline");
  }
  [[nodiscard]] Status open(SweepId id) const {
    const Sweep* sweep = find_sweep(book_, id);
    return require(sweep != nullptr && !is_end(sweep->state), "happens to a sweep that is over");
  }
  // A client that submits or edits takes the snapshot; no server can.
  [[nodiscard]] static Status check_code(const std::vector<const CommandTrainer*>& commands) {
    return require(std::ranges::none_of(commands,
                                        [](const CommandTrainer* one) {
                                          return one->code && one->code->sha256.empty();
                                        }),
                   "names a snapshot of code that was not taken");
  }
  // What the server adds to the command of an edit was recorded with it.
  [[nodiscard]] static Status check_command(const Sweep& sweep,
                                            const std::optional<CommandTrainer>& command) {
    if (!command) return Done{};
    const auto settled = settled_command(sweep.spec, *command);
    if (!settled) return settled.error();
    return require(*settled == *command, "edits a command and leaves out its columns");
  }
  [[nodiscard]] bool waits(const Run& run) const {
    const Sweep& sweep = sweep_of(book_, run.id);
    return run.state == RunState::paused || sweep.resting.contains(run.id) ||
           std::ranges::find(sweep.queue, run.id) != sweep.queue.end();
  }
  [[nodiscard]] Status live(LeaseId id) const {
    return require(find_live_lease(book_, id) != nullptr, "is of a lease that is over");
  }
  [[nodiscard]] bool holds(LeaseId lease, RunId run) const {
    const Lease* live = find_live_lease(book_, lease);
    return live != nullptr && live->attempt.run == run;
  }

  const Book& book_;
};

}  // namespace

Status fits(const Book& book, const EventBody& body) { return std::visit(CheckEvent{book}, body); }

}  // namespace hone
