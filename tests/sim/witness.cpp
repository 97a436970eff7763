#include "tests/sim/witness.hpp"

#include <utility>

namespace hone::sim {

std::string Witness::see(const Event& event, Instant real) {
  now_ = real;
  if (event.seq != seq_ + 1) return "contiguous ledger: an event is missing";
  if (event.at < at_) return "time never goes backwards: an event is stamped before the last";
  seq_ = event.seq;
  at_ = event.at;
  return std::visit([this](const auto& body) { return look(body); }, event.body);
}

const SweepSpec& Witness::spec_of(RunId run) const { return sweeps_.at(trials_.at(run.trial)); }

std::string Witness::look(const SweepSubmitted& e) {
  sweeps_.emplace(e.sweep, e.spec);
  return {};
}

std::string Witness::look(const ServerStarted& e) {
  lease_length_ = e.lease;
  for (auto& [id, lease] : leases_) lease.fresh_at = now_;
  return {};
}

std::string Witness::look(const TrialProposed& e) {
  trials_.emplace(e.trial, e.sweep);
  if (e.origin) {  // it begins with reports of another run, whose verdicts were given there
    RunStory& fork = runs_[{e.trial, 0}];
    fork.phases = fork.verdicts = e.origin->phase + 1;
  }
  if (e.origin && e.origin->replaces) return {};  // of a population: it keeps its size
  if (++proposed_[e.sweep] > sweeps_.at(e.sweep).search.trials)
    return "budgets are kept: more trials than the sweep has";
  return {};
}

std::string Witness::look(const LeaseGranted& e) {
  RunStory& run = runs_[e.attempt.run];
  if (run.over) return "an ended run stays ended: it was leased again";
  if (run.live) return "no two live leases on a run";
  run.live = e.lease;
  leases_[e.lease] = {e.attempt.run, now_, e.expires_at == never};
  return {};
}

std::string Witness::look(const LeaseRenewed& e) {
  if (!leases_.contains(e.lease)) return "a lease that is over is not renewed";
  leases_[e.lease].fresh_at = now_;
  return {};
}

std::string Witness::look(const ReportRecorded& e) {
  RunStory& run = runs_[e.run];
  if (run.over) return "an ended run stays ended: it reported";
  if (run.live != e.lease) return "only the live lease reports: another one did";
  if (e.phase != run.phases)
    return "phases are contiguous, none counted twice: phase " + std::to_string(e.phase) +
           " after " + std::to_string(run.phases) + " reports";
  if (++run.phases > spec_of(e.run).budget.phases)
    return "budgets are kept: more phases than the run has";
  return {};
}

std::string Witness::look(const VerdictGiven& e) {
  RunStory& run = runs_[e.run];
  if (e.phase != run.verdicts || ++run.verdicts != run.phases)
    return "verdicts are immutable: one for each report, once";
  return {};
}

std::string Witness::release(RunId run, LeaseId lease) {
  RunStory& story = runs_[run];
  if (lease && story.live != lease) return "only the live lease ends: another one did";
  leases_.erase(std::exchange(story.live, LeaseId{}));
  return {};
}

std::string Witness::look(const RunPaused& e) { return release(e.run, e.lease); }

// The server's clock may run at 1.5 times the speed while it catches up with the wall clock.
std::string Witness::look(const RunReturned& e) {
  const auto lease = leases_.find(e.lease);
  const bool expired = e.reason == EndReason::worker_lost && lease != leases_.end();
  const Duration waited = expired ? now_ - lease->second.fresh_at : Duration{};
  if (expired && !lease->second.asked && waited.us < lease_length_.us * 2 / 3 - 10'000)
    return "no lease expires by a step of the clock: one lasted " +
           std::to_string(waited.us / 1000) + " ms";
  return release(e.run, e.lease);
}

std::string Witness::look(const RunEnded& e) {
  if (runs_[e.run].over) return "an ended run stays ended: it ended again";
  runs_[e.run].over = true;
  return release(e.run, {});
}

std::string Witness::look(const SweepEnded& e) {
  if (!ended_.insert(e.sweep).second) return "a sweep ends once";
  for (const auto& [run, story] : runs_)
    if (trials_.at(run.trial) == e.sweep && !story.over)
      return "every run ends: a sweep ended before " + text(run);
  return {};
}

}  // namespace hone::sim
