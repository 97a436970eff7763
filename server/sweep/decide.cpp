#include "server/sweep/decide.hpp"

#include <algorithm>

#include "base/expect.hpp"
#include "schemas/trainers/presets.hpp"
#include "schemas/trainers/trainers.hpp"
#include "schemas/types/submit.hpp"
#include "server/sweep/state/rules.hpp"
#include "server/sweep/submit/check.hpp"
#include "server/sweep/submit/warm_start.hpp"
#include "server/sweep/verdict/expected.hpp"
#include "server/sweep/verdict/failure_limit.hpp"
#include "server/sweep/verdict/retention.hpp"

namespace hone {

namespace {

Result<Events> decide_alone(const Book& book, const Command& command, Instant now) {
  struct Visitor {
    const Book& book;
    Instant now;
    Result<Events> operator()(const Start& c) const { return decide_start(book, c); }
    Result<Events> operator()(const Submit& c) const { return decide_submit(book, c); }
    Result<Events> operator()(const Steer& c) const { return decide_steer(book, c); }
    Result<Events> operator()(const Join& c) const { return decide_join(book, c); }
    Result<Events> operator()(const Acquire& c) const { return decide_acquire(book, c, now); }
    Result<Events> operator()(const Beat& c) const { return decide_beat(book, c, now); }
    Result<Events> operator()(const Report& c) const { return decide_report(book, c, now); }
    Result<Events> operator()(const SaveModel& c) const { return decide_save_model(book, c); }
    Result<Events> operator()(const LogMetrics& c) const { return decide_log_metrics(book, c); }
    Result<Events> operator()(const End& c) const { return decide_end(book, c, now); }
    Result<Events> operator()(const Ask& c) const { return decide_ask(book, c); }
    Result<Events> operator()(const Tell& c) const { return decide_tell(book, c, now); }
    Result<Events> operator()(const Enqueue& c) const { return decide_enqueue(book, c); }
    Result<Events> operator()(const Tick&) const { return decide_tick(book, now); }
    Result<Events> operator()(const Allow& c) const { return decide_allow(book, c); }
    Result<Events> operator()(const CreateToken& c) const {
      return decide_create_token(book, c, now);
    }
    Result<Events> operator()(const RevokeToken& c) const { return decide_revoke_token(book, c); }
    Result<Events> operator()(const Confirm& c) const { return decide_confirm(book, c); }
    Result<Events> operator()(const SaveArtifact& c) const { return decide_save_artifact(book, c); }
    Result<Events> operator()(const RecordCode& c) const { return decide_record_code(book, c); }
    Result<Events> operator()(const Evaluate& c) const { return decide_evaluate(book, c); }
    Result<Events> operator()(const AddNote& c) const { return decide_note(book, c); }
    Result<Events> operator()(const ChangeTags& c) const { return decide_tags(book, c); }
    Result<Events> operator()(const Archive& c) const { return decide_archive(book, c); }
    Result<Events> operator()(const Pin& c) const { return decide_pin(book, c); }
    Result<Events> operator()(const Edit& c) const { return decide_edit(book, c); }
    Result<Events> operator()(const Import& c) const { return decide_import(book, c); }
    Result<Events> operator()(const SetFleet& c) const { return decide_set_fleet(book, c); }
    Result<Events> operator()(const StopFleet& c) const { return decide_stop_fleet(book, c); }
    Result<Events> operator()(const ForgetFleet& c) const { return decide_forget_fleet(book, c); }
    Result<Events> operator()(const Reconcile& c) const { return decide_reconcile(book, c, now); }
  };
  return std::visit(Visitor{book, now}, command);
}

}  // namespace

Result<Events> decide(const Book& book, const Command& command, Instant now) {
  auto events = decide_alone(book, command, now);
  if (!events) return events;
  return with_dropped_models(book, *std::move(events));
}

WorkflowId record_workflow(const Book& book, const WorkflowInfo& info, Events& events) {
  if (const auto known = book.workflows.find(info); known != book.workflows.end())
    return known->second;
  std::int64_t last = book.last_workflow;
  for (const EventBody& event : events) {
    const auto* recorded = std::get_if<WorkflowRecorded>(&event);
    if (recorded == nullptr) continue;
    if (recorded->info == info) return recorded->workflow;
    last = recorded->workflow.value;
  }
  const WorkflowId id{last + 1};
  events.emplace_back(WorkflowRecorded{id, info});
  return id;
}

namespace {

DatasetInfo info_of(const DatasetSpec& spec) {
  return {spec.name, spec.version, spec.digest, spec.location};
}

}  // namespace

// The same content is the same dataset, wherever it was.
DatasetId record_dataset(const Book& book, const DatasetInfo& info, Events& events) {
  const auto same = [&](const DatasetInfo& known) {
    return known.name == info.name && known.version == info.version && known.digest == info.digest;
  };
  for (const auto& [known, id] : book.datasets)
    if (same(known)) return id;
  auto last = static_cast<std::int64_t>(book.datasets.size());
  for (const EventBody& event : events) {
    const auto* recorded = std::get_if<DatasetRecorded>(&event);
    if (recorded == nullptr) continue;
    if (same(recorded->info)) return recorded->dataset;
    last = recorded->dataset.value;
  }
  const DatasetId id{last + 1};
  events.emplace_back(DatasetRecorded{id, info});
  return id;
}

void record_datasets(const Book& book, const SweepSpec& spec, Events& events) {
  for (const DatasetSpec& one : spec.datasets) record_dataset(book, info_of(one), events);
}

namespace {

std::optional<DatasetInfo> first_to_train_on(const SweepSpec& spec) {
  for (const DatasetSpec& one : spec.datasets)
    if (one.role == DatasetRole::train) return info_of(one);
  return std::nullopt;
}

// What the runs train on, where the client or the sweep fixes it.
std::optional<DatasetInfo> dataset_of(const SubmitRequest& request) {
  if (request.dataset) return request.dataset;
  const auto* builtin = std::get_if<BuiltinTrainer>(&request.spec.trainer);
  const TrainerInfo* trainer = builtin == nullptr ? nullptr : find_trainer(builtin->name);
  if (trainer == nullptr) return first_to_train_on(request.spec);
  auto info = trainer->dataset(builtin->settings, request.spec.parameters);
  if (info.name.empty()) return std::nullopt;
  return info;
}

Error prefixed(Error error, const char* prefix) {
  error.at = prefix + error.at;
  return error;
}

}  // namespace

// The epoch follows every lease of the ledger, wherever the clock that it was made from has been
// set: its lower bits are random.
Result<Events> decide_start(const Book& book, const Start& command) {
  constexpr std::int64_t random_bits = (std::int64_t{1} << 30U) - 1;
  Epoch epoch = command.epoch;
  if (epoch && epoch <= book.last_lease)
    epoch = Epoch{book.last_lease.value + 1 + (epoch.value & random_bits)};
  return Events{ServerStarted{command.hone_version, command.lease, epoch}};
}

Status check_open_sweeps(const Book& book) {
  if (book.open_sweeps.size() < open_sweeps_max) return Done{};
  return refuse(Code::conflict, std::to_string(book.open_sweeps.size()) +
                                    " sweeps have not ended: end some of them with hone stop, or "
                                    "wait, before another one is opened");
}

// Returns what is recorded of a sweep that is submitted now. Whole numbers that are computed stay
// ints, and the seeds of commands are short. A fork resumes what its origin trained, and has the
// presets that its origin records.
SweepSpec recorded_spec(const SubmitRequest& request) {
  SweepSpec spec = request.spec;
  for (Parameter& parameter : spec.parameters)
    if (auto* derived = std::get_if<DerivedDomain>(&parameter.domain)) derived->keep_ints = true;
  if (auto* command = std::get_if<CommandTrainer>(&spec.trainer)) shorten_seeds(*command);
  if (auto* pipeline = std::get_if<PipelineTrainer>(&spec.trainer))
    for (StepSpec& step : pipeline->steps) shorten_seeds(step.command);
  if (!request.forked_from) trainers::choose_presets(spec);
  return spec;
}

Result<Events> decide_submit(const Book& book, const Submit& command) {
  const SubmitRequest& request = *command.request;
  if (book.sweeps_by_request.contains(request.request_id)) return Events{};
  if (auto fits = check_open_sweeps(book); !fits) return fits.error();
  if (auto fits = check_new(request.spec); !fits) return prefixed(fits.error(), "/spec");
  auto learned = check_warm_start(book, request.spec);
  if (!learned) return prefixed(learned.error(), "/spec");
  if (request.forked_from && find_sweep(book, *request.forked_from) == nullptr)
    return refuse(Code::not_found, "no sweep " + text(*request.forked_from), "/forked_from");
  Events events;
  const WorkflowId workflow = record_workflow(book, request.workflow, events);
  std::optional<DatasetId> dataset;
  if (const auto info = dataset_of(request)) dataset = record_dataset(book, *info, events);
  record_datasets(book, request.spec, events);
  events.emplace_back(SweepSubmitted{
      SweepId{book.last_sweep + 1}, request.request_id, recorded_spec(request), workflow, dataset,
      request.forked_from, rules_now, earlier_ranks(book, request.spec), *std::move(learned)});
  return events;
}

Result<Events> decide_join(const Book& book, const Join& command) {
  const JoinRequest& r = command.request;
  if (book.workers_by_request.contains(r.request_id)) return Events{};
  Events events;
  const auto pilot = joining_pilot(book, r.pilot);
  // One that was given up lives after all.
  if (pilot && !book.fleets.at(pilot->fleet).pilots.contains(pilot->pilot))
    events.emplace_back(*pilot);
  events.emplace_back(WorkerJoined{.worker = WorkerId{book.last_worker + 1},
                                   .request_id = r.request_id,
                                   .host = r.host,
                                   .pid = r.pid,
                                   .cpus = r.cpus,
                                   .gpus = r.gpus,
                                   .hone_version = r.hone_version,
                                   .token = command.by,
                                   .pilot = pilot ? pilot->pilot : PilotId{},
                                   .memory = r.memory,
                                   .labels = r.labels,
                                   .gpu_memory = r.gpu_memory});
  return events;
}

namespace {

Error cannot(const Sweep& sweep, const char* verb, const char* why) {
  return refuse(Code::conflict, std::string("cannot ") + verb + " " + text(sweep.id) + ": " + why);
}

Events steered(const Book& book, const Sweep& sweep, Verb verb, EndReason reason) {
  Events events;
  steer_sweep(book, sweep, verb, reason, events);
  return events;
}

Result<Events> steer_pause(const Book& book, const Sweep& sweep) {
  if (sweep.state == SweepState::paused) return Events{};
  if (sweep.state != SweepState::running)
    return cannot(sweep, "pause", "it is stopping or has ended");
  return steered(book, sweep, Verb::pause, EndReason::none);
}

Result<Events> steer_resume(const Book& book, const Sweep& sweep) {
  if (sweep.state == SweepState::running) return Events{};
  if (sweep.state == SweepState::stopping)
    return cannot(sweep, "resume", "it is stopping: wait for its end");
  if (sweep.state != SweepState::paused)
    return cannot(sweep, "resume",
                  "it has ended: continue it with more trials by hone edit --trials");
  return steered(book, sweep, Verb::resume, EndReason::none);
}

Result<Events> steer_stop(const Book& book, const Sweep& sweep) {
  if (is_end(sweep.state) || sweep.state == SweepState::stopping) return Events{};
  return steered(book, sweep, Verb::stop, EndReason::user_stop);
}

// cancel may follow stop, and kill may follow cancel, but not the reverse.
Result<Events> steer_end(const Book& book, const Sweep& sweep, Order order) {
  if (is_end(sweep.state) || sweep.order == order || sweep.order == Order::kill) return Events{};
  return order == Order::cancel ? steered(book, sweep, Verb::cancel, EndReason::user_cancel)
                                : steered(book, sweep, Verb::kill, EndReason::user_kill);
}

bool ends_running_runs(Verb verb) { return verb == Verb::cancel || verb == Verb::kill; }

// Runs leased through `ask` send no heartbeats, so they must be ended here.
std::vector<RunId> asked_runs(const Book& book, const Sweep& sweep) {
  std::vector<RunId> runs;
  for (const auto& [id, lease] : book.leases)
    if (lease.sweep == sweep.id && lease.expires_at == never) runs.push_back(lease.attempt.run);
  return runs;
}

}  // namespace

Result<Events> decide_steer(const Book& book, const Steer& command) {
  const Sweep* sweep = find_sweep(book, command.sweep);
  if (sweep == nullptr) return refuse(Code::not_found, "no sweep " + text(command.sweep));
  switch (command.request.verb) {
    case Verb::pause:
      return steer_pause(book, *sweep);
    case Verb::resume:
      return steer_resume(book, *sweep);
    case Verb::stop:
      return steer_stop(book, *sweep);
    case Verb::cancel:
      return steer_end(book, *sweep, Order::cancel);
    case Verb::kill:
      return steer_end(book, *sweep, Order::kill);
  }
  unreachable();
}

void steer_sweep(const Book& book, const Sweep& sweep, Verb verb, EndReason reason,
                 Events& events) {
  std::set<RunId> ended = ended_by(events);
  const auto end = [&](RunId id, RunState state) {
    if (!ended.insert(id).second) return;
    events.emplace_back(RunEnded{.run = id, .state = state, .reason = reason});
  };
  events.emplace_back(SweepSteered{sweep.id, verb, reason});
  if (verb == Verb::pause || verb == Verb::resume) return;
  std::vector<RunId> waiting(sweep.queue.begin(), sweep.queue.end());
  waiting.insert(waiting.end(), sweep.resting.begin(), sweep.resting.end());
  // After `stop`, a run that has already trained may finish.
  for (const RunId id : waiting)
    if (ends_running_runs(verb) || find_run(book, id)->attempts == 0) end(id, RunState::canceled);
  for (const RunId id : sweep.paused)
    end(id, ends_running_runs(verb) ? RunState::canceled : RunState::stopped);
  if (ends_running_runs(verb))
    for (const RunId id : asked_runs(book, sweep)) end(id, RunState::canceled);
  if (sweep.open_runs > static_cast<std::int64_t>(ended.size())) return;
  History history = foreseen(book, sweep, events);
  expect_at_end(sweep, history, events);
  if (reason == EndReason::failure_limit)
    events.emplace_back(
        SweepEnded{sweep.id, SweepState::failed, reason, failures_text(book, sweep, events)});
  else
    events.emplace_back(SweepEnded{
        sweep.id, ends_running_runs(verb) ? SweepState::canceled : SweepState::completed, reason});
  confirm_if_asked(book, sweep, history, events);
}

std::optional<Instant> time_limit(const Sweep& sweep) {
  if (!sweep.spec.limits.duration || sweep.order != Order::none || is_end(sweep.state))
    return std::nullopt;
  return sweep.limited_from + *sweep.spec.limits.duration;
}

std::optional<Instant> next_deadline(const Book& book) {
  std::optional<Instant> next;
  if (!book.lease_deadlines.empty() && book.lease_deadlines.begin()->first != never)
    next = book.lease_deadlines.begin()->first;
  const auto sooner = [&](Instant at) { next = next ? std::min(*next, at) : at; };
  if (!book.rests.empty()) sooner(book.rests.begin()->first);
  if (!book.asides.empty()) sooner(book.asides.begin()->first);
  for (const SweepId id : book.open_sweeps)
    if (const auto limit = time_limit(book.sweeps.at(id))) sooner(*limit);
  return next;
}

}  // namespace hone
