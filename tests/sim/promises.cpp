// The promises: what must hold in every world.
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "db/ledger/ledger.hpp"
#include "db/queries/overview.hpp"
#include "schemas/codec/body.hpp"
#include "server/api/router.hpp"
#include "server/engine/book_archive.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/seeds/leaders.hpp"
#include "server/sweep/state/shape.hpp"
#include "tests/faultfs/life.hpp"
#include "tests/sim/honest.hpp"
#include "tests/sim/world.hpp"

namespace hone::sim {

namespace {

// What live leases have of each GPU, and what the Book holds as free, are its memory; a run that
// shares no GPU is alone on its own.
std::string check_gpus(const Book& book) {
  std::map<std::pair<WorkerId, int>, std::pair<std::int64_t, int>> taken;  // bytes, runs
  for (const auto& [id, lease] : book.leases) {
    const auto& memory = book.workers.at(lease.worker).gpu_memory;
    const ResourcesSpec of = resources_of(book.sweeps.at(lease.sweep).spec, lease.step);
    if (!memory.empty() && static_cast<int>(lease.devices.size()) != of.gpus)
      return "a lease of " + std::to_string(of.gpus) + " GPUs has " +
             std::to_string(lease.devices.size());
    for (const int device : lease.devices) {
      auto& [bytes, runs] = taken[{lease.worker, device}];
      const bool shares = of.gpu_memory > 0 && !lease.alone;
      bytes += shares ? of.gpu_memory : memory.at(static_cast<std::size_t>(device));
      if (++runs > 1 && !shares) return "a run that shares no GPU is not alone on it";
    }
  }
  for (const auto& [id, worker] : book.workers)
    for (std::size_t i = 0; i < worker.gpu_memory.size(); ++i) {
      const auto found = taken.find({id, static_cast<int>(i)});
      const std::int64_t bytes = found == taken.end() ? 0 : found->second.first;
      if (bytes > worker.gpu_memory[i]) return "runs have more of a GPU than its memory";
      if (worker.gpu_free[i] != worker.gpu_memory[i] - bytes)
        return "the free memory of a GPU is not what its leases leave";
    }
  return {};
}

}  // namespace

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
  return check_gpus(book);
}

// A worker's request for work may wait with an older offer, so only the free slots themselves show
// whether they idle.
void World::check_idle_slots() {
  constexpr Duration patience = seconds(1);
  const Book& book = server_.book();
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const worker::Agent* agent = workers_[i]->agent();
    const auto slots = agent != nullptr ? agent->free_slots() : worker::FreeSlots{};
    const bool there = slots.cpus > 0 && book.workers.contains(agent->worker());
    Acquire offer{
        {"slots", there ? agent->worker() : WorkerId{}, slots.cpus, slots.gpus, Duration{}}};
    offer.request.gpu_free = slots.gpu_free;
    const auto events = there ? decide(book, offer, book.last_at) : Result<Events>(Events{});
    const bool work = events.ok() && std::any_of(events->begin(), events->end(), [](const auto& e) {
                        return std::holds_alternative<LeaseGranted>(e);
                      });
    if (!work) {
      idle_since_[i].reset();
      continue;
    }
    if (!idle_since_[i]) ++tally_.offers, idle_since_[i] = agenda_.now();
    if (agenda_.now() - *idle_since_[i] > patience)
      broken_ = "free slots of worker " + std::to_string(i) + " idle while there is work for them";
  }
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

// No acknowledged report is lost or changed. A promoted run that saved no checkpoint trains its
// phases again under another lease; then the pause no longer counts.
std::string World::check_acknowledged() {
  const Book& book = server_.whole_book();
  for (const auto& [key, verdict] : acknowledged_) {
    const auto& [lease, phase] = key;
    const Run* run = find_run(book, book.run_of_lease.at(*lease_index(book, lease)));
    if (phase >= static_cast<int>(run->reports.size())) return "an acknowledged report is lost";
    const Verdict& recorded = *run->reports[static_cast<std::size_t>(phase)].verdict;
    const bool again = recorded.action == Action::pause && verdict.action == Action::go_on;
    if (recorded != verdict && !again) return "an acknowledged verdict is another";
  }
  return {};
}

namespace {

// A fork has the reports of the run that it continues, from a checkpoint of that run.
std::string false_origin(const Book& book, const Trial& trial) {
  if (!trial.origin) return {};
  const Origin& origin = *trial.origin;
  const Run* from = find_run(book, origin.run);
  const Run& run = trial.runs.front();
  const auto count = static_cast<std::size_t>(origin.phase + 1);
  if (from == nullptr || from->reports.size() < count || run.reports.size() < count)
    return "a fork without the reports of its origin";
  for (std::size_t i = 0; i < count; ++i)
    if (run.reports[i].step != from->reports[i].step ||
        !(run.reports[i].score == from->reports[i].score) || run.reports[i].verdict)
      return "a fork has other reports than its origin";
  if (from->reports[count - 1].step != origin.step) return "a fork starts at another step";
  if (!origin.replaces) return {};
  const Run* replaced = find_run(book, *origin.replaces);
  if (replaced == nullptr || !is_end(replaced->state)) return "a fork replaces what still trains";
  return {};
}

}  // namespace

// Every run ended, with a reason, within its budget, and has the reports that its process computed.
std::string World::check_runs() {
  const Book& book = server_.whole_book();
  std::map<SweepId, std::int64_t> proposed;
  for (const auto& [id, entry] : book.trials) {
    const auto& [sweep_id, trial] = entry;
    const SweepSpec& spec = book.sweeps.at(sweep_id).spec;
    // Forks that take the place of members come on top.
    const bool succeeds = trial.origin && trial.origin->replaces;
    if (!succeeds && ++proposed[sweep_id] > spec.search.trials)
      return "more trials than the budget has";
    if (auto lie = false_origin(book, trial); !lie.empty()) return lie;
    const auto inherited = static_cast<std::size_t>(trial.origin ? trial.origin->phase + 1 : 0);
    for (const Run& run : trial.runs) {
      if (!is_end(run.state) || run.reason == EndReason::none) return "a run that did not end";
      if (static_cast<int>(run.reports.size()) > spec.budget.phases)
        return "more phases than the budget has";
      for (std::size_t i = inherited; i < run.reports.size(); ++i)
        if (!run.reports[i].verdict) return "a report without a verdict";
      int pauses = 0;
      for (std::size_t i = inherited; i + 1 < run.reports.size(); ++i) {
        if (run.reports[i].verdict->action == Action::stop) return "a run continued after a stop";
        if (run.reports[i].verdict->action == Action::pause) ++pauses;
      }
      if (pauses >= run.attempts && pauses > 0) return "a run continued after a pause by itself";
      const bool paused_last =
          run.reports.size() > inherited && run.reports.back().verdict->action == Action::pause;
      if (run.reason == EndReason::not_promoted && !paused_last)
        return "a run that was not paused ended for want of promotion";
    }
  }
  return {};
}

namespace {

// Whether a fork's parameters follow from those of its origin, the sweep's seed and its number.
bool explores(const Book& book, const Sweep& sweep, const Trial& trial) {
  const std::vector<std::string> changeable{"x", "y"};
  const Params& of = find_trial(book, trial.origin->run.trial)->params;
  const Rng rng(sweep.spec.seed, Purpose::explore, static_cast<std::uint64_t>(trial.number));
  const auto population = read_population(sweep.spec.search);
  return population.ok() && explore(sweep.space, of, changeable, *population, rng) == trial.params;
}

}  // namespace

// The parameters depend on the sweep's seed and the trial's number only; those of a fork also on
// its origin's. Methods that learn take them from reports too: a replay repeats those.
std::string World::check_proposals() {
  const Book& book = server_.whole_book();
  for (const auto& [id, sweep] : book.sweeps) {
    if (sweep.spec.confirms) continue;  // it repeats the proposals of another sweep
    if (sweep.spec.search.method == "dehb") continue;
    for (const TrialId trial_id : sweep.trials) {
      const Trial& trial = *find_trial(book, trial_id);
      if (trial.origin) {
        const bool learns = sweep.spec.search.method == "pb2" || trial.origin->rank;
        if (!learns && !explores(book, sweep, trial))
          return "a fork's parameters depend on what happened";
        continue;
      }
      const History nothing(Goal::maximize, sweep.space.dimensions().size());
      const Draw draw{sweep.spec.seed, trial.number};
      const auto point = sweep.sampler->propose(sweep.space, nothing, draw);
      if (!point || sweep.space.params_at(*point) != trial.params)
        return "a trial's parameters depend on what happened";
    }
  }
  return {};
}

namespace {

bool has_input(const Verdict& verdict, std::string_view name) {
  return std::ranges::any_of(verdict.inputs,
                             [&](const VerdictInput& input) { return input.name == name; });
}

// Not by the sweep's rule: the run is over, its slots go to another sweep, or its schedule changes.
bool is_outside_the_rule(const Verdict& verdict) {
  return verdict.reason == VerdictReason::last_phase || verdict.reason == VerdictReason::diverged ||
         verdict.reason == VerdictReason::yields || has_input(verdict, "next_parameters");
}

}  // namespace

// Every verdict follows from its recorded inputs, by a rule that is built from the spec.
std::string World::check_verdicts() {
  const Book& book = server_.whole_book();
  for (const auto& [id, entry] : book.trials) {
    const SweepSpec& spec = book.sweeps.at(entry.first).spec;
    const auto rule = std::move(make_terminator(spec.terminator, sweep_shape(spec))).value();
    std::unique_ptr<Terminator> unpausing;  // for runs without a checkpoint
    if (const auto other = without_pauses(spec.terminator))
      unpausing = std::move(make_terminator(*other, sweep_shape(spec))).value();
    for (const Run& run : entry.second.runs)
      for (const RecordedReport& report : run.reports) {
        if (!report.verdict) continue;  // of the fork's origin
        const Verdict& verdict = *report.verdict;
        if (is_outside_the_rule(verdict)) continue;
        const bool replaced = unpausing && has_input(verdict, "no_checkpoint");
        const bool overruled = verdict.reason == VerdictReason::no_checkpoint ||
                               verdict.reason == VerdictReason::finishes;
        const Action judged = (replaced ? *unpausing : *rule).recompute(verdict.inputs);
        const bool follows = has_input(verdict, "donor");
        const Action wanted = follows && judged == Action::stop ? Action::stop : Action::pause;
        if (judged != (overruled ? wanted : verdict.action))
          return "a verdict does not follow from its inputs";
      }
  }
  return {};
}

// Counted from the ledger, not from the Book's own counter.
std::string World::check_retries() {
  SQLite::Statement rows(server_.database(),
                         "SELECT body ->> '$.run', count(*) FROM event WHERE kind = 'run_returned'"
                         " AND body ->> '$.reason' <> 'requeue_requested'"
                         " AND coalesce(body ->> '$.failure', '') <> 'preempted'"
                         " AND coalesce(body ->> '$.alone', 0) = 0 GROUP BY 1");
  while (rows.executeStep()) {
    const auto run = parse_id<RunId>(rows.getColumn(0).getString());
    const int retries_max = sweep_of(server_.whole_book(), *run).spec.limits.max_retries;
    if (rows.getColumn(1).getInt() > retries_max) return "more retries than allowed";
  }
  return {};
}

std::string World::check_widths() { return greedy_width(server_.database(), tally_.widths); }
std::string World::check_aggregates() { return dishonest_aggregate(server_.whole_book()); }
std::string World::check_confirmations() { return dishonest_confirmation(server_.whole_book()); }
std::string World::check_patience() { return waited_for_ever(server_.whole_book()); }

// The reply to `hone best`, from query tables, agrees with what the rules use.
std::string World::check_best() {
  for (const auto& [id, sweep] : server_.whole_book().sweeps) {
    if (!sweep.history.replication().multi_seed()) continue;
    auto request = *api::parse_target(api::Method::get, "/v1/sweeps/" + text(id) + "/best");
    const auto match = api::find_route(request.method, request.path);
    request.ids = match.ids;
    const auto told = api::answer_read(*match.route, server_.database(), request);
    const auto body = parse_json(told.body);
    if (told.status != 200 || !body.ok()) return "no answer of the best of " + text(id);
    const auto leaders = find_leaders(sweep.history, body->at("items").size());
    for (std::size_t i = 0; i < body->at("items").size(); ++i) {
      const Json& item = body->at("items")[i];
      if (i >= leaders.size()) return text(id) + " has a trial too many";
      const TrialOutcome& known = sweep.history.outcome(leaders[i]);
      if (!item.at("confirmed").is_null()) break;  // confirmations decide the order
      if (item.at("id") != text(sweep.trials[leaders[i]])) return text(id) + " has another order";
      if (item.at("seeds") != known.values) return text(id) + " counts other seeds";
    }
  }
  return {};
}

// Compares every bit of the Book.
std::string World::check_replay() {
  const Book told = replayed(server_.database());
  return archive_book(told) == archive_book(server_.whole_book()) ? "" : "their bytes differ";
}

std::string World::check_curves() {
  SQLite::Database& db = server_.database();
  for (const auto& [id, sweep] : server_.whole_book().sweeps) {
    std::vector<std::pair<RunId, PackedPoint>> reports, packed;
    each_report(db, id, [&](const ReportView& one) {
      const auto diverged = std::numeric_limits<double>::infinity();
      const auto value = static_cast<float>(one.value.value_or(diverged));
      reports.push_back({{one.trial, one.replicate}, {one.step, one.phase, value}});
    });
    each_curve(db, id, [&](const RunMark& mark, std::span<const PackedPoint> points) {
      for (const PackedPoint& point : points) packed.emplace_back(mark.run, point);
    });
    if (packed != reports) return text(id) + " has curves other than its reports";
  }
  return {};
}

std::string World::check_counts() {
  const auto count = [&](const char* sql) { return server_.database().execAndGet(sql).getInt64(); };
  tally_.reports = count("SELECT count(*) FROM event WHERE kind = 'report_recorded'");
  tally_.attempts = count("SELECT count(*) FROM event WHERE kind = 'lease_granted'");
  tally_.promoted = count(
      "SELECT count(*) FROM event AS later WHERE kind = 'run_paused' AND EXISTS (SELECT 1 FROM"
      " event WHERE event.seq > later.seq AND event.kind = 'report_recorded' AND"
      " event.body ->> '$.run' = later.body ->> '$.run')");
  std::int64_t in_book = 0;
  for (const auto& [id, entry] : server_.whole_book().trials)
    for (const Run& run : entry.second.runs) {
      in_book += static_cast<std::int64_t>(run.reports.size());
      if (run.id.replicate == 0 && entry.second.origin) in_book -= entry.second.origin->phase + 1;
    }
  if (tally_.reports != in_book) return "the ledger has other reports than the book";
  if (count("SELECT count(*) FROM event WHERE kind = 'verdict_given'") != in_book)
    return "reports and verdicts differ";
  return count("SELECT max(seq) - count(*) FROM event") == 0 ? "" : "the ledger has gaps";
}

std::string World::check_projection() {
  SQLite::Database& db = server_.database();
  const std::string before = faultfs::projection_text(db);
  rebuild_projection(db);
  return faultfs::projection_text(db) == before ? "" : "a query table changed";
}

std::string World::check_file() {
  const auto said = server_.database().execAndGet("PRAGMA quick_check(1)").getString();
  return said == "ok" ? "" : said;
}

std::span<const Promise> promises() {
  static constexpr Promise table[] = {
      {"no two live leases on a run", "every step", nullptr},
      {"only the live lease reports for a run", "every event", nullptr},
      {"an ended run stays ended", "every event", nullptr},
      {"phases are contiguous, none counted twice", "every event", nullptr},
      {"verdicts are immutable: one for each report", "every event and reply", nullptr},
      {"budgets are kept", "every event", nullptr},
      {"no lease expires by a step of the clock", "every event", nullptr},
      {"time never goes backwards", "every event", nullptr},
      {"nothing committed is lost", "every step", nullptr},
      {"a worker waits only when there is no work for it", "every step", nullptr},
      {"free slots get the work that fits them within 1 s", "every step after the faults", nullptr},
      {"a worker that exits after TERM holds no lease", "every exit, where messages arrive",
       nullptr},
      {"every question is answered", "1 step of 32", nullptr},
      {"a snapshot and the events since give the book", "every boot", nullptr},
      {"no acknowledged report is lost", "the end", &World::check_acknowledged},
      {"every run ends, for a reason", "the end", &World::check_runs},
      {"parameters follow from seed and number alone", "the end", &World::check_proposals},
      {"a verdict follows from its inputs", "the end", &World::check_verdicts},
      {"replay equals the live state", "the end, 1 step of 64", &World::check_replay},
      {"the ledger has no gaps and counts no report twice", "the end", &World::check_counts},
      {"retries are kept", "the end", &World::check_retries},
      {"no run has slots that another waits for, or too many", "the end", &World::check_widths},
      {"aggregates are honest, whatever became of seeds", "the end, 1 step of 64",
       &World::check_aggregates},
      {"a confirmation trains the tuned sets on new seeds", "the end", &World::check_confirmations},
      {"no trial waits permanently for a missing seed", "the end", &World::check_patience},
      {"the reported best of a sweep are those of the rules", "the end", &World::check_best},
      {"curves equal the reports", "the end", &World::check_curves},
      {"query tables equal a rebuild", "the end", &World::check_projection},
      {"the file is sound", "the end", &World::check_file},
      {"every sweep ends once the faults are over", "the end", nullptr},
  };
  return table;
}

}  // namespace hone::sim
