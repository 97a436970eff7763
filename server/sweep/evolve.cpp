// Folds events into the Book. Total: an event that does not fit is our own mistake and ends the
// process.
#include <algorithm>

#include "schemas/types/expect.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/run_seed.hpp"

namespace hone {
namespace {

class Folder {
 public:
  Folder(Book& book, Instant at) : book_(book), at_(at) {}

  // Workers kept training while the server was away: their leases run on from here.
  void operator()(const ServerStarted& e) {
    book_.lease_length = e.lease;
    book_.lease_deadlines.clear();
    for (auto& [id, lease] : book_.leases) {
      lease.expires_at = at_ + e.lease;
      book_.lease_deadlines.emplace(lease.expires_at, id);
    }
  }

  void operator()(const WorkflowRecorded& e) { book_.workflows.emplace_back(e.info, e.workflow); }
  void operator()(const DatasetRecorded& e) { book_.datasets.emplace_back(e.info, e.dataset); }

  void operator()(const SweepSubmitted& e) {
    Sweep sweep;
    sweep.id = e.sweep;
    sweep.spec = e.spec;
    sweep.request_id = e.request_id;
    sweep.submitted_at = at_;
    auto sampler = make_sampler(e.spec.search);
    auto terminator = make_terminator(e.spec.terminator,
                                      {e.spec.search.trials * e.spec.seeds, e.spec.budget.phases});
    expect(sampler.ok() && terminator.ok(), "a submitted sweep was checked");
    sweep.sampler = std::move(*sampler);
    sweep.terminator = std::move(*terminator);
    sweep.history = History{e.spec.objective.goal};
    book_.sweeps_by_request.emplace(e.request_id, e.sweep);
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
        return;
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
    book_.workers.emplace(e.worker, WorkerState{e.worker, e.request_id, e.host});
    book_.workers_by_request.emplace(e.request_id, e.worker);
    book_.last_worker = e.worker.value;
  }

  void operator()(const TrialProposed& e) {
    Sweep& sweep = book_.sweeps.at(e.sweep);
    expect(e.number == static_cast<std::int64_t>(sweep.trials.size()),
           "trials are proposed in order");
    Trial trial{e.trial, e.number, e.params, {}};
    for (int replicate = 0; replicate < sweep.spec.seeds; ++replicate) {
      Run run;
      run.id = {e.trial, replicate};
      run.seed = run_seed(sweep.spec.seed, e.number, replicate);
      trial.runs.push_back(std::move(run));
      sweep.queue.push_back({e.trial, replicate});
    }
    sweep.open_runs += sweep.spec.seeds;
    sweep.trials.push_back(e.trial);
    sweep.history.add_trial(e.params);
    book_.trials.emplace(e.trial, std::pair{e.sweep, std::move(trial)});
    book_.last_trial = e.trial.value;
  }

  void operator()(const LeaseGranted& e) {
    Sweep& sweep = sweep_of_run(e.attempt.run);
    Run& run = run_of(e.attempt.run);
    expect(run.state == RunState::queued && !run.lease, "only a queued run is leased");
    dequeue(sweep, run.id);
    run.state = RunState::leased;
    run.attempts = e.attempt.number;
    run.lease = run.last_lease = e.lease;
    run.resumed_from = e.resume;
    ++sweep.live_leases;
    std::optional<ModelRef> resume;
    if (e.resume) resume = book_.models.at(*e.resume);
    book_.leases.emplace(
        e.lease, Lease{e.lease, e.attempt, sweep.id, e.worker, e.request_id, resume, e.expires_at});
    book_.leases_by_request.emplace(e.request_id, e.lease);
    book_.lease_deadlines.emplace(e.expires_at, e.lease);
    book_.run_of_lease.push_back(e.attempt.run);
    expect(static_cast<std::int64_t>(book_.run_of_lease.size()) == e.lease.value,
           "leases are minted in order");
  }

  void operator()(const LeaseRenewed& e) {
    Lease& lease = book_.leases.at(e.lease);
    book_.lease_deadlines.erase({lease.expires_at, e.lease});
    lease.expires_at = e.expires_at;
    book_.lease_deadlines.emplace(e.expires_at, e.lease);
  }

  void operator()(const RunStarted& e) {
    run_of(book_.leases.at(e.lease).attempt.run).state = RunState::running;
  }

  void operator()(const ReportRecorded& e) {
    Run& run = run_of(e.run);
    expect(e.phase == static_cast<int>(run.reports.size()),
           "reports are recorded once and in order");
    run.reports.push_back({e.step, e.score, std::nullopt});
    sweep_of_run(e.run).history.add_report(trial_index(e.run), e.phase, e.score);
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
    if (!run.checkpoint || run.checkpoint->step <= e.step) run.checkpoint = model;
  }

  void operator()(const RunReturned& e) {
    Run& run = run_of(e.run);
    release(run);
    run.state = RunState::queued;
    if (e.reason != EndReason::requeue_requested) ++run.losses;
    sweep_of_run(e.run).queue.push_front(e.run);
  }

  void operator()(const RunEnded& e) {
    Run& run = run_of(e.run);
    Sweep& sweep = sweep_of_run(e.run);
    expect(!is_end(run.state), "a run ends once");
    if (run.lease)
      release(run);
    else
      dequeue(sweep, run.id);
    run.state = e.state;
    run.reason = e.reason;
    --sweep.open_runs;
    const auto& runs = book_.trials.at(e.run.trial).second.runs;
    if (std::all_of(runs.begin(), runs.end(), [](const Run& one) { return is_end(one.state); }))
      sweep.history.end_trial(trial_index(e.run));
  }

 private:
  Run& run_of(RunId id) {
    return book_.trials.at(id.trial).second.runs.at(static_cast<std::size_t>(id.replicate));
  }
  Sweep& sweep_of_run(RunId id) { return book_.sweeps.at(book_.trials.at(id.trial).first); }
  std::size_t trial_index(RunId id) const {
    return static_cast<std::size_t>(book_.trials.at(id.trial).second.number);
  }

  static void dequeue(Sweep& sweep, RunId id) {
    const auto found = std::find(sweep.queue.begin(), sweep.queue.end(), id);
    expect(found != sweep.queue.end(), "a queued run is in its sweep's queue");
    sweep.queue.erase(found);
  }

  void release(Run& run) {
    const Lease& lease = book_.leases.at(run.lease);
    --sweep_of_run(run.id).live_leases;
    book_.lease_deadlines.erase({lease.expires_at, lease.id});
    book_.leases_by_request.erase(lease.request_id);
    book_.leases.erase(run.lease);
    run.lease = {};
  }

  Book& book_;
  Instant at_;
};

}  // namespace

void evolve(Book& book, const Event& event) {
  book.last_at = event.at;
  std::visit(Folder{book, event.at}, event.body);
}

}  // namespace hone
