// Reads replies from the Book, so that a repeated command gets the same reply as the first one.
#include <algorithm>

#include "base/expect.hpp"
#include "schemas/types/submit.hpp"
#include "schemas/types/timing.hpp"
#include "server/fleet/rules.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/state/schedule.hpp"

namespace hone {
namespace {

// The parameters with which a run trains from a phase on: those of its trial's schedule and, with
// several instances, the run's instance.
Params params_of(const SweepSpec& spec, const Trial& trial, const Run& run, int phase) {
  Params params = params_at(trial, phase);
  if (!spec.replicates.instances) return params;
  const InstancesSpec& instances = *spec.replicates.instances;
  const auto i = static_cast<std::size_t>(run.id.replicate) % instances.values.size();
  params.push_back({instances.parameter, instances.values[i]});
  return params;
}

std::optional<LeaseGrant> grant_of(const Book& book, const AcquireRequest& request) {
  const auto found = book.leases_by_request.find(request.request_id);
  if (found == book.leases_by_request.end()) return std::nullopt;
  const Lease& lease = book.leases.at(found->second);
  const Sweep& sweep = book.sweeps.at(lease.sweep);
  const Run& run = *find_run(book, lease.attempt.run);
  const auto step = step_ref(sweep.spec, lease.step);
  const AttemptOrigin origin = origin_of(sweep.spec, run, lease.resume);
  return LeaseGrant{
      .lease = lease.id,
      .attempt = lease.attempt,
      .sweep = sweep.id,
      .sweep_name = sweep.spec.name,
      .objective = sweep.spec.objective,
      .trainer = step ? TrainerSpec(step_of(sweep.spec, lease.step)->command) : sweep.spec.trainer,
      .params = params_of(sweep.spec, *find_trial(book, run.id.trial), run, origin.phase),
      .seed = run.seed,
      .budget = budget_of(sweep.spec, lease.step, static_cast<int>(run.step_reports)),
      .resources = needs_of(sweep.spec, lease),
      .next_phase = static_cast<int>(run.reports.size()),
      .resume = lease.resume,
      .expires_at = lease.expires_at,
      .limits = time_limits_of(sweep, run),
      .step = step,
      .inputs = inputs_of(sweep.spec, run),
      .further_objectives = sweep.spec.further_objectives,
      .devices = lease.devices,
      .origin = origin};
}

LeaseStanding standing_of(const Book& book, WorkerId worker, LeaseId id) {
  const Lease* lease = find_live_lease(book, id);
  if (lease == nullptr || lease->worker != worker)
    return {id, Order::gone, {}, !lease_index(book, id)};
  return {id, book.sweeps.at(lease->sweep).order, lease->expires_at};
}

const Run& run_of_lease(const Book& book, LeaseId id) {
  return *find_run(book, book.run_of_lease.at(*lease_index(book, id)));
}

// The verdict on a told result: of the named phase, else of the newest report. A trial whose result
// is a failure stops.
Verdict last_verdict(const Trial& trial, const TellRequest& request) {
  if (request.told == Told::value) {
    for (auto run = trial.runs.rbegin(); run != trial.runs.rend(); ++run) {
      const int phase = request.phase.value_or(static_cast<int>(run->reports.size()) - 1);
      if (phase < 0 || phase >= static_cast<int>(run->reports.size())) continue;
      const RecordedReport& report = run->reports[static_cast<std::size_t>(phase)];
      if (report.score == request.score && report.verdict) return *report.verdict;
    }
  }
  return {Action::stop, VerdictReason::no_rule, {}};
}

Key key_of(const Token& token) {
  return {token.id, token.scopes, token.sha256, token.expires_at, token.revoked};
}

struct Answerer {
  const Book& book;

  Reply operator()(const Submit& c) const {
    return Submitted{book.sweeps_by_request.at(c.request->request_id)};
  }
  Reply operator()(const Steer& c) const { return Steered{c.sweep, book.sweeps.at(c.sweep).state}; }
  Reply operator()(const Join& c) const {
    // Five heartbeats for each lease: four may be lost.
    const WorkerId worker = book.workers_by_request.at(c.request.request_id);
    return JoinReply{worker,
                     book.lease_length,
                     heartbeat_period(book.lease_length),
                     book.workers.at(worker).epoch,
                     true,
                     true};
  }
  Reply operator()(const Acquire& c) const { return grant_of(book, c.request); }
  Reply operator()(const Beat& c) const {
    BeatReply reply;
    for (const LeaseId id : c.request.leases)
      reply.leases.push_back(standing_of(book, c.worker, id));
    return reply;
  }
  Reply operator()(const Report& c) const {
    const auto& report =
        run_of_lease(book, c.lease).reports.at(static_cast<std::size_t>(c.request.phase));
    // A fork has no verdicts on the reports of its origin: it trains on. Imported reports may lack
    // theirs in ledgers of early versions.
    if (!report.verdict)
      return ReportReply{{find_live_lease(book, c.lease) ? Action::go_on : Action::stop,
                          VerdictReason::no_rule,
                          {}}};
    // A promoted run without a checkpoint trains its phases again: the pause no longer applies.
    const bool again = report.verdict->action == Action::pause && find_live_lease(book, c.lease);
    if (again) return ReportReply{{Action::go_on, VerdictReason::promoted, {}}};
    return ReportReply{*report.verdict};
  }
  Reply operator()(const SaveModel& c) const {
    return SaveModelReply{book.models_by_content.at(
        {run_of_lease(book, c.lease).id, c.request.step, c.request.sha256})};
  }
  Reply operator()(const Ask& c) const {
    const auto lease = book.leases_by_request.at(ask_request(c.sweep, c.request.asker));
    const Run& run = run_of_lease(book, lease);
    const Trial& trial = *find_trial(book, run.id.trial);
    const SweepSpec& spec = book.sweeps.at(c.sweep).spec;
    // Not what the lease began with: an asker that crashed gets the same lease again.
    std::optional<ModelRef> resume;
    if (const auto model = checkpoint_to_resume(book, run)) resume = book.models.at(*model);
    return AskReply{.trial = trial.id,
                    .number = trial.number,
                    .lease = lease,
                    .params = params_of(spec, trial, run, 0),
                    .seed = run.seed,
                    .next_phase = static_cast<int>(run.reports.size()),
                    .epoch = epoch_of(book, lease),
                    .resume = resume,
                    .origin = origin_of(spec, run, resume)};
  }
  Reply operator()(const Tell& c) const {
    const Trial& trial = *find_trial(book, c.trial);
    return TellReply{last_verdict(trial, c.request)};
  }
  Reply operator()(const Enqueue& c) const {
    return EnqueueReply{static_cast<std::int64_t>(book.sweeps.at(c.sweep).enqueued.size())};
  }
  Reply operator()(const CreateToken& c) const {
    const auto made = std::ranges::find(book.tokens, c.request.request_id, &Token::request_id);
    return key_of(*made);
  }
  Reply operator()(const Confirm& c) const {
    return Submitted{book.sweeps_by_request.at(c.request.request_id)};
  }
  Reply operator()(const SetFleet& c) const {
    return FleetReply{book.fleets_by_request.at(c.request.request_id)};
  }
  Reply operator()(const Reconcile&) const {
    std::vector<FleetOrder> orders;
    for (const auto& [id, fleet] : book.fleets) orders.push_back(order_of(fleet));
    return orders;
  }
  Reply operator()(const RevokeToken& c) const { return key_of(*find_token(book, c.token)); }
  Reply operator()(const Import& c) const {
    return Submitted{book.sweeps_by_request.at(c.request->request_id)};
  }
  Reply operator()(const Evaluate& c) const {
    return EvaluateReply{book.evaluations_by_request.at(c.request.request_id)};
  }
  template <class T>
  Reply operator()(const T&) const {
    static_assert(std::is_same_v<typename T::Answer, Done>, "write the answer of this command");
    return Done{};
  }
};

}  // namespace

Reply answer(const Book& book, const Command& command) {
  return std::visit(Answerer{book}, command);
}

}  // namespace hone
