// Folds events into the Book. Total: an event that does not fit is our own mistake and ends the
// process.
#include <algorithm>

#include "base/expect.hpp"
#include "schemas/types/edit.hpp"
#include "server/fleet/rules.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/forks/forks.hpp"
#include "server/sweep/state/failures.hpp"
#include "server/sweep/state/outcome.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/state/run_seed.hpp"
#include "server/sweep/state/shape.hpp"
#include "server/sweep/submit/warm_start.hpp"
#include "server/sweep/verdict/expected.hpp"
#include "server/sweep/verdict/failure_limit.hpp"

namespace hone {
namespace {

class EventFolder {
 public:
  EventFolder(Book& book, Instant at, bool imported = false)
      : book_(book), at_(at), imported_(imported) {}

  // Workers kept training while the server was down: extend their leases.
  void operator()(const ServerStarted& e) {
    book_.lease_length = e.lease;
    if (e.epoch) book_.epochs.emplace(book_.last_lease = e.epoch, book_.run_of_lease.size());
    book_.lease_deadlines.clear();
    for (auto& [id, lease] : book_.leases) {
      if (lease.expires_at != never) lease.expires_at = at_ + e.lease;
      book_.lease_deadlines.emplace(lease.expires_at, id);
    }
    forget_phases(book_, at_);
  }

  void operator()(const WorkflowRecorded& e) {
    book_.workflows.emplace(e.info, e.workflow);
    book_.last_workflow = e.workflow.value;
  }
  void operator()(const DatasetRecorded& e) { book_.datasets.emplace_back(e.info, e.dataset); }

  void operator()(const SweepSubmitted& e) {
    Sweep sweep;
    sweep.id = e.sweep;
    sweep.spec = e.spec;
    sweep.request_id = e.request_id;
    sweep.submitted_at = sweep.limited_from = at_;
    sweep.rules = e.rules;
    sweep.rank_prior = e.rank_prior;
    equip(sweep);
    sweep.history = History{e.spec->objective.goal, sweep.space.dimensions().size(),
                            1 + e.spec->further_objectives.size(), replication_of(sweep)};
    sweep.workflow = e.workflow;
    sweep.dataset = e.dataset;
    if (e.spec->confirms && !imported_) confirm(e.spec->confirms, e.sweep);
    if (!imported_) warm_start(book_, *e.spec, e.rules, sweep.space, sweep.history);
    if (!imported_) book_.sweeps_by_request.emplace(e.request_id, e.sweep);
    sweep.service.used = least_service(book_, e.sweep, at_);
    book_.open_sweeps.insert(e.sweep);
    book_.sweeps.emplace(e.sweep, std::move(sweep));
    book_.last_sweep = e.sweep.value;
  }

  void operator()(const SweepSteered& e) {
    Sweep& sweep = book_.sweeps.at(e.sweep);
    sweep.reason = e.reason;
    switch (e.verb) {
      case Verb::pause:
        sweep.state = SweepState::paused;
        return;
      case Verb::resume:
        sweep.state = SweepState::running;
        return rejoin(book_, sweep, at_);
      case Verb::stop:
        sweep.state = SweepState::stopping;
        return;
      case Verb::cancel:
        sweep.state = SweepState::stopping;
        sweep.order = Order::cancel;
        return;
      case Verb::kill:
        sweep.state = SweepState::stopping;
        sweep.order = Order::kill;
        return;
    }
  }

  void operator()(const SweepEnded& e) {
    Sweep& sweep = book_.sweeps.at(e.sweep);
    expect(sweep.open_runs == 0 && sweep.queue.empty(), "a sweep ends after its runs");
    sweep.state = e.state;
    sweep.reason = e.reason;
    book_.open_sweeps.erase(e.sweep);
  }

  void operator()(const WorkerJoined& e) {
    add_worker(book_, e, at_);
    for (auto& [id, fleet] : book_.fleets) pilot_joined(fleet, e.pilot, e.worker, at_);
  }

  void operator()(const TrialProposed& e) {
    Sweep& sweep = book_.sweeps.at(e.sweep);
    expect(e.number == static_cast<std::int64_t>(sweep.trials.size()),
           "trials are proposed in order");
    const auto point = sweep.space.point_of(e.params);
    sweep.history.add_trial(point ? *point : Point(sweep.space.dimensions().size(), inactive),
                            e.origin && e.origin->replaces);
    sweep.trials.push_back(e.trial);
    if (e.origin && e.origin->replaces)
      ++sweep.successors;
    else if (!sweep.enqueued.empty())
      sweep.enqueued.pop_front();
    auto& [of, trial] = book_.trials[e.trial];
    of = e.sweep, trial = {e.trial, e.number, e.params, {}, false, e.origin, e.schedule};
    for (int replicate = 0; replicate < first_runs(sweep.spec); ++replicate) add_run(sweep, trial);
    if (e.origin) begin_as(book_, sweep, trial.runs.front(), *e.origin);
    book_.last_trial = e.trial.value;
  }

  void operator()(const TrialEnqueued& e) {
    Sweep& sweep = book_.sweeps.at(e.sweep);
    sweep.enqueued.push_back({e.params, e.from, e.origin, e.schedule, e.creator});
    sweep.enqueue_requests.insert(e.request_id);
  }

  void operator()(const RunAdded& e) {
    Trial& trial = book_.trials.at(e.run.trial).second;
    expect(e.run.replicate == static_cast<int>(trial.runs.size()), "runs are added in order");
    add_run(sweep_of_run(e.run), trial);
  }

  void operator()(const LeaseGranted& e) {
    Sweep& sweep = sweep_of_run(e.attempt.run);
    Run& run = run_of(e.attempt.run);
    expect((run.state == RunState::queued || run.state == RunState::paused) && !run.lease,
           "only a waiting run is leased");
    stop_waiting(book_, sweep, run);
    sweep.history.set_state(run.record, RunRecord::State::active);
    run.state = RunState::leased;
    run.attempts = e.attempt.number;
    run.lease = run.last_lease = e.lease;
    run.resumed_from = e.resume;
    run.phase_from = at_;
    run.saved_last.reset(), run.tally = {};
    ++sweep.live_leases;
    std::optional<ModelRef> resume;
    if (e.resume) resume = book_.models.at(*e.resume);
    expect(e.step == run.step, "a lease covers the step that waits");
    book_.leases.emplace(e.lease, Lease{e.lease,
                                        e.attempt,
                                        sweep.id,
                                        e.worker,
                                        e.request_id,
                                        resume,
                                        e.expires_at,
                                        at_,
                                        std::nullopt,
                                        e.step,
                                        {},
                                        1,
                                        e.devices,
                                        run.alone,
                                        e.width ? e.width->cpus : 0});
    book_.workers.at(e.worker).seen_at = at_;
    take_slots(book_, sweep, book_.leases.at(e.lease), e.turn, at_);
    join_neighbours(book_, book_.leases.at(e.lease), e.neighbours, at_);
    note_company(book_, book_.workers.at(e.worker));
    if (!imported_) book_.leases_by_request.emplace(e.request_id, e.lease);
    book_.lease_deadlines.emplace(e.expires_at, e.lease);
    note_lease(book_, e);
  }

  void operator()(const LeaseRenewed& e) {
    Lease& lease = book_.leases.at(e.lease);
    book_.lease_deadlines.erase({lease.expires_at, e.lease});
    lease.expires_at = e.expires_at;
    book_.workers.at(lease.worker).seen_at = at_;
    book_.lease_deadlines.emplace(e.expires_at, e.lease);
    clear_if_outlived(run_of(lease.attempt.run), lease, at_);
  }

  void operator()(const RunStarted& e) {
    run_of(book_.leases.at(e.lease).attempt.run).state = RunState::running;
  }

  void operator()(const ReportRecorded& e) {
    Run& run = run_of(e.run);
    expect(e.phase == static_cast<int>(run.reports.size()),
           "reports are recorded once and in order");
    run.reports.push_back({e.step, e.score, std::nullopt, e.spent.value_or(0)});
    run.setbacks = 0;
    run.workers_lost = 0;
    clear_suspects(book_, book_.leases.at(e.lease), at_);
    Sweep& sweep = sweep_of_run(e.run);
    note_width(sweep, run, book_.leases.at(e.lease), at_);
    if (!imported_) note_speed(book_, run, book_.leases.at(e.lease), e.phase_seconds, at_);
    note_phase(sweep, run, at_);
    if (e.seed_applied) run.seed_applied = e.seed_applied;
    add_report(sweep.history, sweep.spec, run.record, e);
    if (e.phase_seconds) sweep.history.add_seconds(run.record, *e.phase_seconds);
  }

  void operator()(const VerdictGiven& e) {
    auto& report = run_of(e.run).reports.at(static_cast<std::size_t>(e.phase));
    expect(!report.verdict, "a verdict is given once");
    report.verdict = e.verdict;
  }

  void operator()(const ModelSaved& e) {
    Run& run = run_of(e.run);
    const ModelRef model{e.model, e.sha256, e.bytes, e.step, e.phase};
    book_.models.emplace(e.model, model);
    book_.models_by_content.emplace(std::tuple{e.run, e.step, e.sha256}, e.model);
    book_.last_model = e.model.value;
    if (run.last_lease == e.lease) run.saved_last = e.model, ++run.tally.models;
    // A later step of a pipeline may count from 0 again.
    if (!run.checkpoint || run.checkpoint_step != run.step || run.checkpoint->step <= e.step)
      forget_start(sweep_of_run(e.run), run), run.checkpoint = model,
                                              run.checkpoint_step = run.step;
  }

  void operator()(const ModelDropped& e) {
    Run& run = run_of(e.run);
    expect(is_end(run.state), "a run keeps its checkpoints until it is over");
    book_.models.erase(e.model);
    if (run.checkpoint && run.checkpoint->id == e.model) run.checkpoint.reset();
  }

  void operator()(const RunReturned& e) {
    Run& run = run_of(e.run);
    Sweep& sweep = sweep_of_run(e.run);
    const bool lost = e.workers_lost > 0;
    if (!e.alone) note_failure(run, e.failure, lost ? EndReason::worker_lost : e.reason);
    note_lost_worker(run, e, book_.leases.at(run.lease), at_);
    release(run);
    run.state = RunState::queued;
    if (e.alone)
      run.alone = true;
    else if ((lost || e.reason != EndReason::requeue_requested) && e.failure != Failure::preempted)
      ++run.losses;
    run.avoid = e.avoid;
    run.keep = e.keep;
    if (e.separated) run.separated_at = at_;
    if (e.keep) set_due(book_, run, e.keep->until);
    if (!e.not_before) return sweep.queue.push_front(e.run);
    sweep.resting.insert(e.run);
    set_due(book_, run, *e.not_before);
  }

  void operator()(const RunReady& e) {
    Run& run = run_of(e.run);
    Sweep& sweep = sweep_of_run(e.run);
    if (sweep.resting.erase(e.run) != 0) sweep.queue.push_front(e.run);
    clear_due(book_, run);
    if (e.reserved_until)
      set_due(book_, run, *e.reserved_until);
    else
      run.avoid.reset(), run.keep.reset();
  }

  void operator()(const WorkerSeen& e) { note_seen(book_.workers.at(e.worker), e, at_); }
  void operator()(const WorkerSetAside& e) { set_aside(book_, e); }
  void operator()(const WorkerAllowed& e) { allow(book_, e); }

  void operator()(const RunPaused& e) {
    Run& run = run_of(e.run);
    Sweep& sweep = sweep_of_run(e.run);
    release(run);
    run.state = RunState::paused;
    sweep.paused.insert(e.run);
    sweep.history.set_state(run.record, RunRecord::State::paused);
    note_success(sweep.failing);
  }

  void operator()(const RunEnded& e) {
    Run& run = run_of(e.run);
    Sweep& sweep = sweep_of_run(e.run);
    expect(!is_end(run.state), "a run ends once");
    note_failure(run, e.failure, e.reason);
    if (run.lease)
      release(run);
    else
      stop_waiting(book_, sweep, run);
    forget_start(sweep, run);
    run.paces = {};
    run.state = e.state;
    run.reason = e.reason;
    --sweep.open_runs;
    sweep.history.end_run(run.record, completes(e), informs(e), closes(e));
    note_end(sweep.failing, e, run.reports.size());
  }

  void operator()(const TokenCreated& e) { add_token(book_, e); }
  void operator()(const TokenRevoked& e) {
    book_.tokens.at(static_cast<std::size_t>(e.token.value - 1)).revoked = true;
  }
  void operator()(const ArtifactSaved& e) { keep_file(book_, run_of(e.run), e); }
  void operator()(const StepFinished& e) {
    Run& run = run_of(e.run);
    Sweep& sweep = sweep_of_run(e.run);
    clear_suspects(book_, book_.leases.at(e.lease), at_);
    run.workers_lost = 0;
    release(run);
    begin_next_step(sweep, run, e);
    sweep.queue.push_front(e.run);
  }

  void operator()(const NoteAdded& e) { book_.known_requests.insert(e.request_id); }
  void operator()(const TagsChanged&) {}
  void operator()(const TrialsExpected& e) { fold_expected(book_.sweeps.at(e.sweep), e); }
  void operator()(const SweepArchived& e) { book_.sweeps.at(e.sweep).archived = e.archived; }
  void operator()(const TrialPinned& e) { book_.trials.at(e.trial).second.pinned = e.pinned; }

  void operator()(const SweepEdited& e) {
    Sweep& sweep = book_.sweeps.at(e.sweep);
    if (is_end(sweep.state))
      book_.open_sweeps.insert(sweep.id), reopen(sweep, at_), rejoin(book_, sweep, at_);
    const SearchSpace before = std::move(sweep.space);
    apply(e, sweep.spec);
    equip(sweep);
    if (!e.widened.empty()) move_points(before, sweep);
    book_.known_requests.insert(e.request_id);
  }
  void operator()(const CodeRecorded& e) { note_code(book_, run_of(e.run), e); }
  void operator()(const ModelEvaluated& e) {
    if (!imported_) book_.evaluations_by_request.emplace(e.request_id, e.evaluation);
    book_.last_evaluation = e.evaluation.value;
  }

  template <class E>
  requires IsOfFleet<E>
  void operator()(const E& e) { fold_fleet(book_, e, at_); }

  // Folds the past as if it had happened here, at its own times, but without warm starts.
  void operator()(const SweepImported& e) {
    Book& into = begin_import(book_, e);
    for (const Event& event : e.past) std::visit(EventFolder{into, event.at, true}, event.body);
    if (end_import(book_, e) && e.confirms) confirm(*e.confirms, e.sweep);
  }

 private:
  // Not a sweep that is quarantined.
  void confirm(SweepId confirmed, SweepId by) {
    if (const auto found = book_.sweeps.find(confirmed); found != book_.sweeps.end())
      found->second.confirmed_by.push_back(by);
  }
  Run& run_of(RunId id) {
    return book_.trials.at(id.trial).second.runs.at(static_cast<std::size_t>(id.replicate));
  }
  Sweep& sweep_of_run(RunId id) { return book_.sweeps.at(book_.trials.at(id.trial).first); }
  static void add_run(Sweep& sweep, Trial& trial) {
    Run run;
    run.id = {trial.id, static_cast<std::int32_t>(trial.runs.size())};
    run.seed = run_seed(sweep.spec, trial.number, run.id.replicate);
    run.record = sweep.history.add_run(history_index(sweep, trial.number));
    sweep.runs.push_back(run.id);
    sweep.queue.push_back(run.id);
    ++sweep.open_runs;
    trial.runs.push_back(std::move(run));
  }

  // Call before the run's lease is released.
  void note_failure(Run& run, Failure failure, EndReason reason) {
    if (failure == Failure::none || !run.lease) return;
    ++run.setbacks;
    ++run.failures[failure];
    if (!blames_worker(failure, reason)) return;
    blame(book_.workers.at(book_.leases.at(run.lease).worker), run, at_);
  }

  void release(Run& run) {
    const Lease& lease = book_.leases.at(run.lease);
    Sweep& sweep = sweep_of_run(run.id);
    --sweep.live_leases;
    give_slots_back(book_, sweep, lease, at_);
    run.trained = run.trained + (at_ - lease.granted_at);
    book_.lease_deadlines.erase({lease.expires_at, lease.id});
    if (const auto known = book_.leases_by_request.find(lease.request_id);
        known != book_.leases_by_request.end() && known->second == lease.id)
      book_.leases_by_request.erase(known);
    book_.leases.erase(run.lease);
    run.lease = {};
  }

  Book& book_;
  Instant at_;
  bool imported_;
};

}  // namespace

void evolve(Book& book, const Event& event) {
  book.last_at = event.at;
  std::visit(EventFolder{book, event.at}, event.body);
}

}  // namespace hone
