// The rules of asked trials, which are evaluated outside hone, and of enqueued parameter sets.
#include <algorithm>
#include <string>
#include <vector>

#include "base/expect.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "schemas/values/member.hpp"
#include "server/sweep/forks/forks.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone {

std::string asker_request(const std::string& asker) { return "ask/" + asker; }

std::string ask_request(SweepId sweep, const std::string& asker) {
  return "ask/" + text(sweep) + "/" + asker;
}

Result<Events> decide_ask(const Book& book, const Ask& command) {
  const Sweep* sweep = find_sweep(book, command.sweep);
  if (sweep == nullptr) return refuse(Code::not_found, "no sweep " + text(command.sweep));
  const std::string request_id = ask_request(sweep->id, command.request.asker);
  if (book.leases_by_request.contains(request_id)) return Events{};
  if (is_end(sweep->state)) return refuse(Code::conflict, text(sweep->id) + " has ended");
  auto candidate = find_lease_candidate(book, *sweep, WorkerId{});
  if (!candidate)
    return refuse(Code::conflict, text(sweep->id) +
                                      " has nothing to ask for now: it is paused or stopping, or "
                                      "every trial is proposed and waits for its result");
  Events events;
  const auto known = book.workers_by_request.find(asker_request(command.request.asker));
  WorkerId worker{book.last_worker + 1};
  if (known != book.workers_by_request.end())
    worker = known->second;
  else
    events.emplace_back(WorkerJoined{.worker = worker,
                                     .request_id = asker_request(command.request.asker),
                                     .host = command.request.asker,
                                     .pid = 0,
                                     .cpus = 0,
                                     .gpus = 0,
                                     .hone_version = {},
                                     .token = command.by});
  for (EventBody& body : candidate->events) events.push_back(std::move(body));
  const LeaseId lease{book.last_lease.value + 1};
  events.emplace_back(LeaseGranted{lease, AttemptId{candidate->run, candidate->attempts + 1},
                                   worker, request_id, candidate->resume, never});
  return events;
}

namespace {

// The run of the trial that is asked for and not yet told.
const Run* pending_run(const Book& book, const Trial& trial) {
  for (const Run& run : trial.runs) {
    const Lease* lease = find_live_lease(book, run.lease);
    if (lease != nullptr && lease->expires_at == never) return &run;
  }
  return nullptr;
}

// Whether a tell repeats one whose reply was lost: the same value for a phase that already has one.
bool repeats(const Trial& trial, const TellRequest& request) {
  return std::any_of(trial.runs.begin(), trial.runs.end(), [&](const Run& run) {
    if (request.told != Told::value) return run.state == RunState::failed;
    const int phase = request.phase.value_or(static_cast<int>(run.reports.size()) - 1);
    return phase >= 0 && phase < static_cast<int>(run.reports.size()) &&
           run.reports[static_cast<std::size_t>(phase)].score == request.score;
  });
}

// Whether the epoch that a tell names is one in which the trial was asked for.
Status check_asked(const Book& book, const Trial& trial, const Run* pending, Epoch named) {
  const auto asked_in = [&](const Run& run) {
    return run.last_lease ? epoch_of(book, run.last_lease) : Epoch{};
  };
  if (pending != nullptr) return check_epoch(named, asked_in(*pending), text(trial.id));
  Epoch ours;
  for (const Run& run : trial.runs)
    if (const Epoch one = asked_in(run); ours != named) ours = one;
  return check_epoch(named, ours, text(trial.id));
}

EndReason reason_of(Told told) {
  switch (told) {
    case Told::failed:
      return EndReason::told_failed;
    case Told::infeasible:
      return EndReason::infeasible;
    case Told::value:
      break;
  }
  unreachable();
}

// A report is recorded once. Another value for its phase would be lost, and the program told to
// stop.
Status check_told(const Run& run, int phase, const TellRequest& request) {
  if (phase < 0 || phase >= static_cast<int>(run.reports.size())) return Done{};
  const RecordedReport& report = run.reports[static_cast<std::size_t>(phase)];
  if (report.score == request.score) return Done{};
  return refuse(
      Code::conflict,
      "phase " + std::to_string(phase + 1) + " of " + text(run.id) +
          " has another report already, " +
          (report.score.is_diverged() ? "diverged" : short_number_text(report.score.value())),
      "/phase");
}

}  // namespace

Result<Events> decide_tell(const Book& book, const Tell& command, Instant now) {
  const Trial* trial = find_trial(book, command.trial);
  if (trial == nullptr) return refuse(Code::not_found, "no trial " + text(command.trial));
  const TellRequest& request = command.request;
  const Run* run = pending_run(book, *trial);
  if (auto ours = check_asked(book, *trial, run, request.epoch); !ours) return ours.error();
  if (run == nullptr) {
    if (repeats(*trial, request)) return Events{};
    return refuse(Code::conflict, text(command.trial) +
                                      " waits for no result: it has another one, or was never "
                                      "asked for");
  }
  Events events;
  const Lease& lease = *find_live_lease(book, run->lease);
  if (request.told != Told::value) {
    end_run(book, book.sweeps.at(lease.sweep),
            {.run = run->id,
             .state = RunState::failed,
             .reason = reason_of(request.told),
             .detail = request.detail},
            events);
    return events;
  }
  const int phase = request.phase.value_or(static_cast<int>(run->reports.size()));
  if (auto new_or_equal = check_told(*run, phase, request); !new_or_equal)
    return new_or_equal.error();
  ReportRequest as_report{phase, request.step, request.score, request.further};
  as_report.phase_seconds = request.phase_seconds;
  if (auto done = record_report(book, lease, as_report, now, events); !done) return done.error();
  return events;
}

Result<Params> entered_params(const SearchSpace& space, const Params& given) {
  std::vector<std::string_view> known;
  for (const Dimension& dimension : space.dimensions()) known.push_back(dimension.name);
  Params entered;
  for (const Param& param : given) {
    const std::string at = "/params/" + param.name;
    const auto found = std::ranges::find(space.parameters(), param.name, &Parameter::name);
    if (found == space.parameters().end())
      return refuse(
          Code::invalid,
          "the sweep has no parameter '" + param.name + "'" + did_you_mean(param.name, known), at);
    if (std::find(known.begin(), known.end(), param.name) == known.end())
      return refuse(Code::invalid, "'" + param.name + "' is fixed or computed: leave it out", at);
    const auto index = static_cast<std::size_t>(found - space.parameters().begin());
    auto value = space.entered(index, param.value);
    if (!value) return refuse(Code::invalid, not_a_member(found->domain, param.value), at);
    entered.push_back({param.name, *std::move(value)});
  }
  return entered;
}

namespace {

// Every given parameter must be active with the other values, and the set must satisfy the
// constraints.
Status check_settled(const SearchSpace& space, const Params& given, const Params& params) {
  for (const Param& param : given)
    if (find(params, param.name) == nullptr)
      return refuse(Code::invalid, "its condition does not hold with the other values",
                    "/params/" + param.name);
  if (!space.feasible(params))
    return refuse(Code::invalid, "it breaks a constraint of the sweep", "/params");
  return Done{};
}

}  // namespace

Status check_set(const SearchSpace& space, const Params& given, std::uint64_t seed) {
  const auto entered = entered_params(space, given);
  if (!entered) return entered.error();
  const Rng rng(seed, Purpose::witness, 1);
  return check_settled(space, *entered, completed(space, *entered, rng));
}

namespace {

// Waiting sets are in memory, some 100 bytes a parameter, and every one of them is looked at when a
// fork ends.
Status check_waiting(const Sweep& sweep) {
  constexpr std::size_t values_max = 1'000'000;
  const std::size_t each = std::max<std::size_t>(1, sweep.space.parameters().size());
  if ((sweep.enqueued.size() + 1) * each <= values_max) return Done{};
  return refuse(Code::conflict,
                std::to_string(sweep.enqueued.size()) + " parameter sets of " + text(sweep.id) +
                    " wait for a worker already: enqueue more when some of them are proposed");
}

// A fork has the reports of its origin: a few bytes that a client sends become up to 10,000 rows.
Status check_inheritance(const Sweep& sweep, const Origin& origin) {
  std::int64_t inherited = sweep.inherited + origin.phase + 1;
  for (const Enqueued& waiting : sweep.enqueued)
    if (waiting.origin) inherited += waiting.origin->phase + 1;
  if (inherited <= inherited_reports_max) return Done{};
  return refuse(Code::conflict,
                "the forks of " + text(sweep.id) + " would inherit " + std::to_string(inherited) +
                    " reports, more than " + std::to_string(inherited_reports_max) +
                    ": fork after an earlier phase, or submit a new sweep",
                "/fork/phase");
}

}  // namespace

Result<Events> decide_enqueue(const Book& book, const Enqueue& command) {
  const Sweep* sweep = find_sweep(book, command.sweep);
  if (sweep == nullptr) return refuse(Code::not_found, "no sweep " + text(command.sweep));
  const EnqueueRequest& request = command.request;
  if (sweep->enqueue_requests.contains(request.request_id)) return Events{};
  if (is_end(sweep->state) || sweep->state == SweepState::stopping)
    return refuse(Code::conflict, text(sweep->id) + " has ended or is stopping");
  if (proposals_left(*sweep) <= static_cast<std::int64_t>(sweep->enqueued.size()))
    return refuse(Code::conflict, "all " + std::to_string(sweep->spec.search.trials) +
                                      " trials of " + text(sweep->id) +
                                      " are proposed or enqueued already");
  if (auto fits = check_waiting(*sweep); !fits) return fits.error();
  const auto given = entered_params(sweep->space, request.params);
  if (!given) return given.error();
  std::optional<Origin> origin;
  if (request.fork) {
    auto found = find_origin(book, *sweep, *request.fork);
    if (!found) return found.error();
    if (auto fits = check_inheritance(*sweep, *found); !fits) return fits.error();
    if (auto fits = check_forked(book, *sweep, *found, *given); !fits) return fits.error();
    origin = *found;
  }
  const Rng rng(sweep->spec.seed, Purpose::witness, 1);
  const Params params =
      origin ? forked_params(book, *sweep, *origin, *given) : completed(sweep->space, *given, rng);
  if (auto fits = check_settled(sweep->space, *given, params); !fits) return fits.error();
  if (request.from && find_trial(book, *request.from) == nullptr)
    return refuse(Code::not_found, "no trial " + text(*request.from), "/from");
  const Token* token = find_token(book, command.by);
  return Events{TrialEnqueued{sweep->id,
                              request.request_id,
                              *given,
                              request.from,
                              origin,
                              {},
                              token != nullptr ? token->name : std::string()}};
}

}  // namespace hone
