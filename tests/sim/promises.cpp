// What must hold in every world.
#include <SQLiteCpp/Statement.h>

#include "server/search/sampler.hpp"
#include "tests/sim/world.hpp"

namespace hone::sim {

std::string World::check_leases() const {
  const Book& book = server_.book();
  for (const auto& [id, lease] : book.leases) {
    const Run* run = find_run(book, lease.attempt.run);
    if (run == nullptr || run->lease != id) return "a run has two live leases";
    if (run->state != RunState::leased && run->state != RunState::running)
      return "a lease on a run that does not run";
    const auto asked = book.leases_by_request.find(lease.request_id);
    if (asked == book.leases_by_request.end() || asked->second != id)
      return "one request holds two live leases";
    if (!book.lease_deadlines.contains({lease.expires_at, id})) return "a lease without a deadline";
  }
  if (book.lease_deadlines.size() != book.leases.size()) return "a deadline without a lease";
  return {};
}

std::string World::ledger_text() {
  SQLite::Statement rows(server_.database(), "SELECT seq, at, kind, body FROM event ORDER BY seq");
  std::string text;
  while (rows.executeStep())
    text += "{\"seq\":" + rows.getColumn(0).getString() +
            ",\"at\":" + rows.getColumn(1).getString() + ",\"kind\":\"" +
            rows.getColumn(2).getString() + "\",\"body\":" + rows.getColumn(3).getString() + "}\n";
  return text;
}

// No acknowledged report is lost, and none changed. A promoted run that saved no checkpoint trains
// its phases again under another lease: there, what paused it is over.
std::string World::check_acknowledged() const {
  const Book& book = server_.book();
  for (const auto& [key, verdict] : acknowledged_) {
    const auto& [lease, phase] = key;
    const Run* run =
        find_run(book, book.run_of_lease.at(static_cast<std::size_t>(lease.value - 1)));
    if (phase >= static_cast<int>(run->reports.size())) return "an acknowledged report is lost";
    const Verdict& recorded = *run->reports[static_cast<std::size_t>(phase)].verdict;
    const bool again = recorded.action == Action::pause && verdict.action == Action::go_on;
    if (recorded != verdict && !again) return "an acknowledged verdict is another";
  }
  return {};
}

// Every run ended, for a reason, within its budget; what it reported is what its process computed.
std::string World::check_runs() const {
  const Book& book = server_.book();
  for (const auto& [id, entry] : book.trials) {
    const auto& [sweep_id, trial] = entry;
    const SweepSpec& spec = book.sweeps.at(sweep_id).spec;
    if (trial.number >= spec.search.trials) return "more trials than the budget has";
    for (const Run& run : trial.runs) {
      if (!is_end(run.state) || run.reason == EndReason::none) return "a run that did not end";
      if (static_cast<int>(run.reports.size()) > spec.budget.phases)
        return "more phases than the budget has";
      for (const RecordedReport& report : run.reports)
        if (!report.verdict) return "a report without a verdict";
      int pauses = 0;
      for (std::size_t i = 0; i + 1 < run.reports.size(); ++i) {
        if (run.reports[i].verdict->action == Action::stop) return "a run went on after a stop";
        if (run.reports[i].verdict->action == Action::pause) ++pauses;
      }
      if (pauses >= run.attempts && pauses > 0) return "a run went on after a pause by itself";
      const bool paused_last =
          !run.reports.empty() && run.reports.back().verdict->action == Action::pause;
      if (run.reason == EndReason::not_promoted && !paused_last)
        return "a run that was not paused ended for want of promotion";
    }
  }
  return {};
}

// The parameters depend on the sweep's seed and the trial's number, on nothing that happened.
std::string World::check_proposals() const {
  const Book& book = server_.book();
  for (const auto& [id, sweep] : book.sweeps)
    for (const TrialId trial_id : sweep.trials) {
      const Trial& trial = *find_trial(book, trial_id);
      const History nothing(Goal::maximize, sweep.space.dimensions().size());
      const Draw draw{sweep.spec.seed, trial.number};
      const auto point = sweep.sampler->propose(sweep.space, nothing, draw);
      if (!point || sweep.space.params_at(*point) != trial.params)
        return "a trial's parameters depend on what happened";
    }
  return {};
}

// Every verdict follows from its recorded inputs, by a rule that a reader makes from the spec.
std::string World::check_verdicts() const {
  const Book& book = server_.book();
  for (const auto& [id, entry] : book.trials) {
    const SweepSpec& spec = book.sweeps.at(entry.first).spec;
    const Plan plan{spec.search.trials, spec.seeds, spec.budget.phases};
    const auto rule = std::move(make_terminator(spec.terminator, plan)).value();
    for (const Run& run : entry.second.runs)
      for (const RecordedReport& report : run.reports) {
        const Verdict& verdict = *report.verdict;
        const bool by_rule = verdict.reason != VerdictReason::last_phase &&
                             verdict.reason != VerdictReason::diverged;
        if (by_rule && rule->recompute(verdict.inputs) != verdict.action)
          return "a verdict does not follow from its inputs";
      }
  }
  return {};
}

// Counted from the ledger, not from the Book's own counter.
std::string World::check_retries() {
  SQLite::Statement rows(server_.database(),
                         "SELECT body ->> '$.run', count(*) FROM event WHERE kind = 'run_returned'"
                         " AND body ->> '$.reason' <> 'requeue_requested' GROUP BY 1");
  while (rows.executeStep()) {
    const auto run = parse_id<RunId>(rows.getColumn(0).getString());
    const int retries_max = sweep_of(server_.book(), *run).spec.limits.max_retries;
    if (rows.getColumn(1).getInt() > retries_max) return "more retries than allowed";
  }
  return {};
}

// The ledger alone tells the same story, each report once, and its projection is what a rebuild
// gives.
std::string World::check_ledger() {
  if (digest(replayed(server_.database())) != digest(server_.book()))
    return "replay differs from the live state";
  const auto count = [&](const char* sql) {
    SQLite::Statement query(server_.database(), sql);
    query.executeStep();
    return query.getColumn(0).getInt64();
  };
  tally_.reports = count("SELECT count(*) FROM event WHERE kind = 'report_recorded'");
  tally_.attempts = count("SELECT count(*) FROM event WHERE kind = 'lease_granted'");
  tally_.promoted = count(
      "SELECT count(*) FROM event AS later WHERE kind = 'run_paused' AND EXISTS (SELECT 1 FROM"
      " event WHERE event.seq > later.seq AND event.kind = 'report_recorded' AND"
      " event.body ->> '$.run' = later.body ->> '$.run')");
  std::int64_t in_book = 0;
  for (const auto& [id, entry] : server_.book().trials)
    for (const Run& run : entry.second.runs)
      in_book += static_cast<std::int64_t>(run.reports.size());
  if (tally_.reports != in_book) return "a report was counted twice";
  if (count("SELECT count(*) FROM event WHERE kind = 'verdict_given'") != in_book)
    return "reports and verdicts differ";
  if (count("SELECT max(seq) - count(*) FROM event") != 0) return "the ledger has gaps";
  return check_retries();
}

}  // namespace hone::sim
