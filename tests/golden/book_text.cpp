#include "tests/golden/book_text.hpp"

#include <concepts>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

using Line = nlohmann::ordered_json;

template <class T>
concept List = requires(const T& list) {
  list.begin();
  list.size();
}
&&!std::convertible_to<T, std::string_view>;

// An object of the members that are not as a new T has them.
class Members {
 public:
  template <class T>
  Members& operator()(const char* name, const T& value, const T& usual = {});
  [[nodiscard]] Line take() { return std::move(line_); }

 private:
  Line line_ = Line::object();
};

Line shown(bool value) { return value; }
Line shown(const std::string& text) { return text; }
Line shown(Instant time) { return time.us; }
Line shown(Duration time) { return time.us; }
template <class Number>
requires std::is_arithmetic_v<Number> Line shown(Number value) { return value; }
template <HasWords E>
Line shown(E value) {
  return std::string(word(value));
}
template <class Id>
requires requires(Id id) { text(id); }
Line shown(Id id) { return text(id); }
Line shown(const Score& score) {
  return score.is_diverged() ? Line("diverged") : Line(score.value());
}
Line shown(const Value& value) { return encode(value); }
Line shown(const Param& param) { return Line::array({param.name, shown(param.value)}); }
Line shown(Scopes scopes) { return words(scopes); }

template <class A, class B>
Line shown(const std::pair<A, B>& pair);
template <class T>
Line shown(const std::optional<T>& maybe);
template <List T>
Line shown(const T& list);

Line shown(const VerdictInput& input) { return Line::array({input.name, input.value}); }
Line shown(const FileRef& file) { return Line::array({file.name, file.sha256, file.bytes}); }
Line shown(const PhasePace& pace) { return Line::array({pace.phases, pace.sum}); }
// Kinds of runs are digests that another build may compute in another way.
Line shown(const RunOnWorker& run) { return text(run.lease); }
Line shown(const PaceAmong& pace) {
  return Members()("kinds", pace.kinds.size())("sum", pace.sum)("phases", pace.phases).take();
}
Line shown(const Neighbours& n) {
  return Members()("runs", n.runs)("speed", n.speed)("without", n.without)("with", n.with)(
             "measured", n.measured)("again", n.again)
      .take();
}
Line shown(const KeptFree& kept) {
  return Members()("sweep", kept.sweep)("neighbours", kept.neighbours).take();
}
Line shown(const KeptSlots& keep) {
  return Members()("worker", keep.worker)("cpus", keep.cpus)("until", keep.until).take();
}
Line shown(const ResourcesSpec& r) {
  return Members()("cpus", r.cpus, 0)("gpus", r.gpus)("memory", r.memory)("labels", r.labels)(
             "gpu_memory", r.gpu_memory)("cpus_max", r.cpus_max)
      .take();
}
Line shown(const Verdict& verdict) {
  return Line::array({word(verdict.action), word(verdict.reason), shown(verdict.inputs)});
}
Line shown(const RecordedReport& report) {
  return Members()("step", report.step)("score", report.score)("verdict", report.verdict)(
             "spent", report.spent)
      .take();
}
Line shown(const ModelRef& model) {
  return Members()("id", model.id)("sha256", model.sha256)("bytes", model.bytes)(
             "step", model.step)("phase", model.phase, -1)
      .take();
}
Line shown(const OriginRank& rank) { return Line::array({rank.place, rank.rivals}); }
Line shown(const Origin& origin) {
  return Members()("run", origin.run)("model", origin.model)("phase", origin.phase, -1)(
             "step", origin.step)("replaces", origin.replaces)("rank", origin.rank)
      .take();
}
Line shown(const ScheduleStage& stage) {
  return Members()("phase", stage.phase)("params", stage.params).take();
}
Line shown(const Enqueued& one) {
  return Members()("params", one.params)("from", one.from)("origin", one.origin)(
             "schedule", one.schedule)("creator", one.creator)
      .take();
}
Line shown(const WorkflowInfo& info) {
  return Members()("command", info.command)("cwd", info.cwd)("host", info.host)("user", info.user)(
             "git_commit", info.git_commit)("git_branch", info.git_branch)(
             "patch_sha256", info.patch_sha256)("hone_version", info.hone_version)(
             "environment_sha256", info.environment_sha256)("hone_commit", info.hone_commit)(
             "name", info.name)("version", info.version)("description", info.description)
      .take();
}
Line shown(const DatasetInfo& info) {
  return Members()("name", info.name)("version", info.version)("digest", info.digest)("location",
                                                                                      info.location)
      .take();
}
Line shown(const RankPrior& prior) {
  Line tenths = Line::array();
  for (const auto& [tau, error] : prior.tenths) tenths.push_back({tau, error});
  return {{"runs", prior.runs}, {"tenths", tenths}};
}
Line shown(const Pilot& pilot) {
  return Members()("id", pilot.id)("rule", pilot.rule)("state", pilot.state)(
             "state_at", pilot.state_at)("handle", pilot.handle)("worker", pilot.worker)(
             "canceled", pilot.canceled)
      .take();
}

template <class A, class B>
Line shown(const std::pair<A, B>& pair) {
  return Line::array({shown(pair.first), shown(pair.second)});
}
template <class T>
Line shown(const std::optional<T>& maybe) {
  return maybe ? shown(*maybe) : Line(nullptr);
}
template <List T>
Line shown(const T& list) {
  Line all = Line::array();
  for (const auto& item : list) all.push_back(shown(item));
  return all;
}

template <class T>
Members& Members::operator()(const char* name, const T& value, const T& usual) {
  Line line = shown(value);
  if (line != shown(usual)) line_[name] = std::move(line);
  return *this;
}

Line line_of(const Run& run) {
  return Members()("run", run.id)("seed", run.seed)("state", run.state)("reason", run.reason)(
             "attempts", run.attempts)("losses", run.losses)("lease", run.lease)(
             "last_lease", run.last_lease)("reports", run.reports)("checkpoint", run.checkpoint)(
             "resumed_from", run.resumed_from)("saved_last", run.saved_last)(
             "setbacks", run.setbacks)("failures", run.failures)("avoid", run.avoid)(
             "due", run.due)("blamed", run.blamed)("trained", run.trained)(
             "seed_applied", run.seed_applied)("artifacts", run.artifacts)(
             "phase_from", run.phase_from)("step", run.step)("step_reports", run.step_reports)(
             "checkpoint_step", run.checkpoint_step)("files", run.files)("alone", run.alone)(
             "keep", run.keep)("pace", run.pace)("pace_cpus", run.pace_cpus)("paces", run.paces)(
             "paces_on", run.paces_on)("separated_at", run.separated_at)
      .take();
}

Line line_of(SweepId sweep, const Trial& trial) {
  return Members()("trial", trial.id)("sweep", sweep)("number", trial.number, std::int64_t{-1})(
             "params", trial.params)("pinned", trial.pinned)("origin", trial.origin)("schedule",
                                                                                     trial.schedule)
      .take();
}

// How the rules see a trial: what they judge by.
Line outcome_of(const Sweep& sweep, std::size_t trial) {
  const TrialOutcome& outcome = sweep.history.outcome(trial);
  return Members()("trial", trial)("phase", outcome.phase, -1)("merit", outcome.merit)(
             "further", outcome.further)("values", outcome.values)("error", outcome.error)(
             "expected", sweep.history.expected(trial))
      .take();
}

Line line_of(const RunRecord& record) {
  return Members()("merits", record.merits)("ended", record.state == RunRecord::State::ended)(
             "completed", record.completed)("counts", record.counts, true)(
             "evicted", record.evicted)("inherited", record.inherited)
      .take();
}

Line line_of(const Sweep& sweep) {
  return Members()("sweep", sweep.id)("request_id", sweep.request_id)("state", sweep.state)(
             "reason", sweep.reason)("order", sweep.order)("submitted_at", sweep.submitted_at)(
             "trials", sweep.spec.search.trials)("concurrency", sweep.spec.limits.concurrency)(
             "share", sweep.spec.share)("slots_min", sweep.spec.slots.min)(
             "slots_max", sweep.spec.slots.max)("queue", sweep.queue)("resting", sweep.resting)(
             "paused", sweep.paused)("enqueued", sweep.enqueued)(
             "enqueue_requests", sweep.enqueue_requests)("open_runs", sweep.open_runs)(
             "live_leases", sweep.live_leases)("workflow", sweep.workflow)(
             "dataset", sweep.dataset)("confirmed_by", sweep.confirmed_by)(
             "archived", sweep.archived)("phase_times", sweep.phase_times)("rules", sweep.rules)(
             "limited_from", sweep.limited_from)("failed", sweep.failing.runs)(
             "latest_failure", sweep.failing.latest)("failed_in_a_row", sweep.failing.in_a_row)(
             "failed_only", sweep.failing.only, true)("errors", sweep.failing.errors)(
             "successors", sweep.successors)("inherited", sweep.inherited)(
             "used", sweep.service.used)("held", sweep.service.held)("least", sweep.widths.least)(
             "wide", sweep.widths.wide)("starts", sweep.widths.starts)("rank_prior",
                                                                       sweep.rank_prior)
      .take();
}

Line line_of(const Lease& lease) {
  return Members()("lease", lease.id)("attempt", lease.attempt)("sweep", lease.sweep)(
             "worker", lease.worker)("request_id", lease.request_id)("resume", lease.resume)(
             "expires_at", lease.expires_at)("granted_at", lease.granted_at)(
             "workflow", lease.workflow)("step", lease.step)("files", lease.files)(
             "weight", lease.weight, 1.0)("devices", lease.devices)("alone", lease.alone)(
             "cpus", lease.cpus)
      .take();
}

Line line_of(const WorkerState& worker) {
  return Members()("worker", worker.id)("request_id", worker.request_id)("host", worker.host)(
             "cpus", worker.cpus)("gpus", worker.gpus)("leased", worker.leased)(
             "seen_at", worker.seen_at)("suspects", worker.suspects)(
             "suspect_at", worker.suspect_at)("aside_until", worker.aside_until)(
             "times_aside", worker.times_aside)("token", worker.token)("epoch", worker.epoch.value)(
             "memory", worker.memory)("labels", worker.labels)("gpu_memory", worker.gpu_memory)(
             "gpu_free", worker.gpu_free)("runs", worker.runs)("runs_since", worker.runs_since)(
             "kept_free", worker.kept_free)("tried_again_at", worker.tried_again_at)
      .take();
}

Line line_of(const Token& token) {
  return Members()("token", token.id)("request_id", token.request_id)("name", token.name)(
             "scopes", token.scopes)("sha256", token.sha256)("expires_at", token.expires_at)(
             "revoked", token.revoked)
      .take();
}

Line line_of(const Fleet& fleet) {
  return Members()("fleet", fleet.id)("mark", fleet.mark)("name", fleet.spec.name)(
             "engine", fleet.spec.engine)("min", fleet.spec.min)("max", fleet.spec.max)(
             "state", fleet.state)("pilots", fleet.pilots)("want", fleet.want)("rule", fleet.rule)(
             "decided_at", fleet.decided_at)("failures", fleet.failures)(
             "failed_at", fleet.failed_at)("failure", fleet.failure)("limit", fleet.limit)(
             "limited_at", fleet.limited_at)
      .take();
}

Line line_of(const Book& book) {
  return Members()("book", true)("lease_length", book.lease_length)("last_at", book.last_at)(
             "sweeps_by_request", book.sweeps_by_request)("workers_by_request",
                                                          book.workers_by_request)(
             "leases_by_request", book.leases_by_request)("open_sweeps", book.open_sweeps)(
             "run_of_lease", book.run_of_lease)("worker_of_lease", book.worker_of_lease)(
             "lease_deadlines", book.lease_deadlines)("rests", book.rests)("asides", book.asides)(
             "workflows", book.workflows)("datasets", book.datasets)(
             "known_requests", book.known_requests)("fleets_by_request", book.fleets_by_request)(
             "last_fleet", book.last_fleet)("last_pilot", book.last_pilot)(
             "last_trial", book.last_trial)("last_model", book.last_model)(
             "last_worker", book.last_worker)("last_sweep", book.last_sweep)(
             "last_workflow", book.last_workflow)("last_evaluation", book.last_evaluation)(
             "evaluations_by_request", book.evaluations_by_request)("last_lease", book.last_lease)(
             "epochs", book.epochs)
      .take();
}

class Text {
 public:
  void add(const Line& line) { text_ += line.dump() + "\n"; }
  void add(const Sweep& sweep) {
    add(line_of(sweep));
    add(Line{{"space of", text(sweep.id)},
             {"parameters", Line::parse(to_text(encode_space(sweep.spec.parameters)))}});
    for (std::size_t trial = 0; trial < sweep.history.trials().size(); ++trial)
      add(outcome_of(sweep, trial));
    for (const RunRecord& record : sweep.history.runs()) add(line_of(record));
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string book_text(const Book& book) {
  Text all;
  all.add(line_of(book));
  for (const auto& [id, sweep] : book.sweeps) all.add(sweep);
  for (const auto& [id, entry] : book.trials) {
    all.add(line_of(entry.first, entry.second));
    for (const Run& run : entry.second.runs) all.add(line_of(run));
  }
  for (const auto& [id, lease] : book.leases) all.add(line_of(lease));
  for (const auto& [id, worker] : book.workers) all.add(line_of(worker));
  for (const auto& [id, model] : book.models) all.add(shown(model));
  for (const Token& token : book.tokens) all.add(line_of(token));
  for (const auto& [id, fleet] : book.fleets) all.add(line_of(fleet));
  for (const auto& [host, pairs] : book.neighbours)
    all.add(Line{{"neighbours on", host}, {"at", pairs.at.us}, {"pairs", pairs.newest.size()}});
  return all.take();
}

}  // namespace hone
