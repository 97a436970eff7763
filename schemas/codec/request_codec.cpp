// What clients and workers ask. Unknown fields are refused: a misspelled one would be a silent
// default.
#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "schemas/codec/parts.hpp"

namespace hone {
namespace codec {

constexpr Integer slots{0, slots_max};
constexpr ListOf further_values{OfType{}, objectives_max};

void fields(auto& f, Of<SubmitRequest> auto& r) {
  f("request_id", r.request_id, read_request_id)("spec", r.spec).maybe("workflow", r.workflow);
  f.some("forked_from", r.forked_from).some("dataset", r.dataset);
}

void fields(auto& f, Of<SteerRequest> auto& r) { f("verb", r.verb); }

void fields(auto& f, Of<JoinRequest> auto& r) {
  f("request_id", r.request_id, read_request_id)("host", r.host, Line{1, 255});
  f("pid", r.pid, Integer{0, exact_max})("cpus", r.cpus, slots).maybe("gpus", r.gpus, slots);
  f("hone_version", r.hone_version, Line{0, name_max}).some("pilot", r.pilot, Line{0, name_max});
  f.some("memory", r.memory, Integer{0, exact_max});
  f.some("labels", r.labels, ListOf{read_label, labels_max});
  f.some("gpu_memory", r.gpu_memory, bytes_of_gpus);
}

double read_share(const Spot& spot) {
  const double share = read_real(spot);
  if (share < 0 || share > 1) spot.refuse("must be a share from 0 to 1");
  return share;
}

double read_cores(const Spot& spot) {
  const double cores = read_real(spot);
  if (cores <= 0 || cores > machine_cores_max)
    spot.refuse("must be a number of cores, more than 0 and at most 1000000");
  return cores;
}

void fields(auto& f, Of<MachineSample> auto& s) {
  constexpr Integer bytes{0, exact_max};
  f("age", s.age).some("cpu", s.cpu, read_share).some("memory", s.memory, bytes);
  f.some("cpu_pressure", s.cpu_pressure, read_share);
  f.some("memory_pressure", s.memory_pressure, read_share);
  f.some("io_pressure", s.io_pressure, read_share);
  f.some("gpu", s.gpu, read_share).some("gpu_memory", s.gpu_memory, bytes);
}

void fields(auto& f, Of<MachineSamples> auto& m) {
  f("cores", m.cores, read_cores).some("memory", m.memory, Integer{0, exact_max});
  f("samples", m.samples, ListOf{OfType{}, machine_samples_max});
}

void fields(auto& f, Of<AcquireRequest> auto& r) {
  f("request_id", r.request_id, read_request_id)("worker", r.worker)("cpus", r.cpus, slots);
  f.maybe("gpus", r.gpus, slots).maybe("wait", r.wait).some("epoch", r.epoch);
  f.some("time_left", r.time_left).some("steps", r.steps);
  f.some("gpu_free", r.gpu_free, bytes_of_gpus).some("machine", r.machine);
}

// A time whose sum over all attempts of a run stays finite.
double read_run_time(const Spot& spot) {
  Length{}(spot);
  return spot.json.is_number() ? spot.json.get<double>() : 0;
}

void fields(auto& f, Of<ReportRequest> auto& r) {
  f("phase", r.phase, phase_number)("step", r.step, step_number)("value", r.score);
  f.some("further", r.further, further_values).some("seed_applied", r.seed_applied);
  f.some("resumable", r.resumable).some("seconds", r.seconds, read_run_time);
  f.some("cpu_seconds", r.cpu_seconds, read_run_time);
  f.some("phase_seconds", r.phase_seconds, read_run_time);
}

void fields(auto& f, Of<ConfirmRequest> auto& r) {
  f("request_id", r.request_id, read_request_id);
  f.maybe("top", r.top, Integer{1, confirm_top_max}).maybe("seeds", r.seeds, Integer{2, seeds_max});
}

void fields(auto& f, Of<AskRequest> auto& r) { f("asker", r.asker, Line{1, 128}); }

template <class F>
void fields(F& f, Of<TellRequest> auto& r) {
  std::optional<Score> value;
  if (r.told == Told::value && !reads<F>) value = r.score;
  f.maybe("told", r.told).some("phase", r.phase, phase_number).maybe("step", r.step, step_number);
  f.some("value", value).some("further", r.further, further_values).some("detail", r.detail);
  f.some("epoch", r.epoch).some("phase_seconds", r.phase_seconds, read_run_time);
  if constexpr (reads<F>) r.score = value.value_or(Score::diverged());
}
void check(Reader& reader, const TellRequest& request) {
  if ((reader.find("value") != nullptr) != (request.told == Told::value))
    reader.refuse("value", "a result has a value; a trial that failed or is infeasible has none");
}

void fields(auto& f, Of<ForkRequest> auto& r) {
  f("run", r.run).some("phase", r.phase, phase_number);
}
void fields(auto& f, Of<EnqueueRequest> auto& r) {
  f("request_id", r.request_id, read_request_id)("params", r.params).some("from", r.from);
  f.some("fork", r.fork);
}

void fields(auto& f, Of<CreateTokenRequest> auto& r) {
  f("request_id", r.request_id, read_request_id)("name", r.name, name_rule)("scopes", r.scopes);
  f("sha256", r.sha256, Digest{}).some("expires_in", r.lifetime, Length{seconds(1)});
}

void fields(auto&, Of<Done> auto&) {}

void fields(auto& f, Of<SaveModelRequest> auto& r) {
  f("sha256", r.sha256, Digest{})("bytes", r.bytes, Integer{0, exact_max});
  f("step", r.step, step_number)("phase", r.phase, phase_number);
}

void fields(auto& f, Of<MetricPoint> auto& p) {
  f("name", p.name, name_rule)("step", p.step, step_number)("value", p.value);
}
void fields(auto& f, Of<MetricsRequest> auto& r) { f("points", r.points); }

// What a worker can have seen. The other reasons are the server's own conclusions.
EndReason read_seen_reason(const Spot& spot) {
  using enum EndReason;
  constexpr std::array seen{budget_reached,    exited_early, evicted,      diverged,   no_report,
                            exit_code,         signal,       cannot_start, infeasible, user_cancel,
                            requeue_requested, user_kill,    time_limit,   disk_limit};
  const auto reason = read<EndReason>(spot);
  if (std::ranges::find(seen, reason) == seen.end())
    spot.refuse_rule(in_quotes(word(reason)) + " is not for a worker to say");
  return reason;
}

void fields(auto& f, Of<EndRequest> auto& r) {
  f("reason", r.reason, read_seen_reason).maybe("exit_code", r.exit_code).maybe("detail", r.detail);
  f.maybe("log_tail", r.log_tail).some("failure", r.failure).some("gpu_full", r.gpu_full);
  f.some("worker_killed", r.worker_killed);
}

void fields(auto& f, Of<RecordCodeRequest> auto& r) { f("workflow", r.workflow); }

void fields(auto& f, Of<EvaluateRequest> auto& r) {
  f("request_id", r.request_id, read_request_id);
  fields(f, r.evaluation);
}

void fields(auto& f, Of<BeatRequest> auto& r) {
  f("leases", r.leases).some("epoch", r.epoch).some("machine", r.machine);
}

// Without blanks and signs of the filter language, so that a tag needs no quotes anywhere.
std::string read_tag(const Spot& spot) {
  std::string tag = Line{1, 64}(spot);
  for (const char& c : tag)
    if (!is_plain({&c, 1}, "-_./") && static_cast<unsigned char>(c) < 0x80)
      spot.refuse("a tag is made of letters, digits and - _ . /, not " + in_quotes({&c, 1}));
  return tag;
}

void fields(auto& f, Of<NoteRequest> auto& r) {
  f("request_id", r.request_id, read_request_id)("on", r.on)("text", r.text,
                                                             Text{16 * 1024, false});
  f.maybe("author", r.author, Line{0, 255});
}

void fields(auto& f, Of<TagRequest> auto& r) {
  constexpr std::size_t tags_max = 32;
  f("on", r.on).maybe("add", r.add, ListOf{read_tag, tags_max});
  f.maybe("remove", r.remove, ListOf{read_tag, tags_max});
}
void check(Reader& reader, const TagRequest& request) {
  if (request.add.empty() && request.remove.empty())
    reader.refuse("add", "name at least one tag to add or to remove");
}

void fields(auto& f, Of<ArchiveRequest> auto& r) { f("archived", r.archived); }

void fields(auto& f, Of<PinRequest> auto& r) { f("pinned", r.pinned); }

void fields(auto& f, Of<EditRequest> auto& r) {
  f("request_id", r.request_id, read_request_id);
  changes_of_edit(f, r, "widen", r.widen);
}
void check(Reader& reader, const EditRequest& request) {
  if (!request.trials && !request.concurrency && request.widen.empty() && !request.share &&
      !request.slots && !request.by && !request.command)
    reader.refuse("trials",
                  "name what to change: trials, concurrency, widen, share, slots, by or command");
}

// One column each: an export is smaller for it.
template <class F>
void fields(F& f, Of<Series> auto& s) {
  std::vector<std::int64_t> steps, times;
  std::vector<double> values;
  if constexpr (!reads<F>)
    for (const SeriesPoint& point : s.points) {
      steps.push_back(point.step);
      values.push_back(point.value);
      times.push_back(point.at.us);
    }
  constexpr ListOf column{OfType{}, past_max};
  f("run", s.run)("name", s.name, name_rule);
  f("steps", steps, column)("values", values, column)("at_us", times, column);
  if constexpr (reads<F>) {
    if (!f.done()) return;
    if (steps.size() != values.size() || steps.size() != times.size())
      return f.refuse("values", "steps, values and at_us must be equally long");
    for (std::size_t i = 0; i < steps.size(); ++i)
      s.points.push_back({steps[i], values[i], Instant{times[i]}});
  }
}

// What a joined worker was, for the past of a sweep.
struct PastWorker : JoinRequest {};
void fields(auto& f, Of<PastWorker> auto& w) {
  f("host", w.host)("pid", w.pid)("cpus", w.cpus)("gpus", w.gpus)("hone_version", w.hone_version);
}
struct PastWorkers {
  JoinRequest operator()(const Spot& spot) const { return read_object<PastWorker>(spot); }
  [[nodiscard]] Json json(const JoinRequest& worker) const {
    return write_object(PastWorker{worker});
  }
};

void fields(auto& f, Of<Retrained> auto& r) { f("trial", r.trial)("of", r.of); }

void fields(auto& f, Of<PastConfirmed> auto& c) {
  f("submitted_at_us", c.submitted_at, Microseconds{})("seed", c.seed, seed_rule);
  // `hone confirm` trains a hundred at most; users may enqueue more of them.
  constexpr std::size_t confirmed_max = 10'000;
  f("trials", c.trials, ListOf{OfType{}, confirmed_max});
}

void fields(auto& f, Of<SweepPast> auto& p) {
  int version = 1;
  f("hone_export", version)("workflow", p.workflow).maybe("dataset", p.dataset);
  f.some("workflows", p.workflows, ListOf{OfType{}, past_max});
  f("workers", p.workers, ListOf{PastWorkers{}, past_max});
  f("events", p.events, ListOf{OfType{}, past_max});
  f("metrics", p.metrics, ListOf{OfType{}, past_max});
  f.some("confirms", p.confirms).some("ledger", p.ledger, Line{0, 100});
}
void check(Reader& reader, const SweepPast&) {
  reader.at("hone_export", [&](const Spot& spot) {
    const int version = read<int>(spot);
    if (version != 1) spot.refuse("is " + std::to_string(version) + "; this hone reads version 1");
  });
}

void fields(auto& f, Of<ImportRequest> auto& r) {
  f("request_id", r.request_id, read_request_id)("export", r.past);
}

void fields(auto& f, Of<FleetRequest> auto& r) {
  f("request_id", r.request_id, read_request_id).some("fleet", r.fleet)("spec", r.spec);
}

template struct Requests<SubmitRequest, SteerRequest, JoinRequest, AcquireRequest, ReportRequest,
                         AskRequest, TellRequest, EnqueueRequest, ConfirmRequest,
                         CreateTokenRequest, Done, SaveModelRequest, SaveArtifactRequest,
                         MetricPoint, MetricsRequest, EndRequest, NoteRequest, TagRequest,
                         ArchiveRequest, PinRequest, EditRequest, ImportRequest, BeatRequest,
                         FleetRequest, FleetSpec, RecordCodeRequest, EvaluateRequest>;

}  // namespace codec

template Json encode(const SweepPast&);
template Json encode(const Series&);

}  // namespace hone
