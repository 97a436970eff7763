// The ledger's bodies. Every later version reads what is written here: fields may be added
// (with f.some or f.maybe, for older ledgers), never renamed or removed.
#include "schemas/codec/event_codec.hpp"

#include <algorithm>

#include "schemas/codec/default_methods.hpp"
#include "schemas/codec/parts.hpp"
#include "schemas/codec/turns.hpp"
#include "schemas/types/origin.hpp"

namespace hone {
namespace codec {

constexpr Microseconds us;
constexpr std::size_t creator_bytes_max = 255;

void fields(auto& f, Of<ServerStarted> auto& e) {
  f("hone_version", e.hone_version)("lease_us", e.lease, us).some("epoch", e.epoch);
}
void fields(auto& f, Of<WorkflowRecorded> auto& e) { f("workflow", e.workflow)("info", e.info); }
void fields(auto& f, Of<DatasetRecorded> auto& e) { f("dataset", e.dataset)("info", e.info); }
void fields(auto& f, Of<RankAgreement> auto& a) { f("tau", a.tau)("error", a.error); }
void fields(auto& f, Of<RankPrior> auto& p) {
  f("runs", p.runs, Integer{0, exact_max})("tenths", p.tenths, ListOf{OfType{}, rank_prior_tenths});
}
void fields(auto& f, Of<Learned> auto& l) {
  f("sweep", l.sweep)("used", l.used)("trials", l.trials);
}
void fields(auto& f, Of<SweepSubmitted> auto& e) {
  f("sweep", e.sweep)("request_id", e.request_id)("spec", e.spec);
  f.maybe("workflow", e.workflow).maybe("dataset", e.dataset).some("forked_from", e.forked_from);
  f.some("rules", e.rules).some("rank_prior", e.rank_prior).some("learned", e.learned);
}
void fields(auto& f, Of<SweepSteered> auto& e) {
  f("sweep", e.sweep)("verb", e.verb)("reason", e.reason);
}
void fields(auto& f, Of<SweepEnded> auto& e) {
  f("sweep", e.sweep)("state", e.state)("reason", e.reason).some("detail", e.detail);
}
void fields(auto& f, Of<WorkerJoined> auto& e) {
  constexpr Integer slots{0, slots_max};
  f("worker", e.worker)("request_id", e.request_id)("host", e.host);
  f("pid", e.pid, Integer{0, exact_max})("cpus", e.cpus, slots)("gpus", e.gpus, slots);
  f("hone_version", e.hone_version).some("token", e.token).some("pilot", e.pilot);
  f.some("memory", e.memory, Integer{0, exact_max}).some("labels", e.labels);
  f.some("gpu_memory", e.gpu_memory, bytes_of_gpus);
}
void fields(auto& f, Of<OriginRank> auto& r) {
  f("place", r.place, Integer{1, trials_max})("rivals", r.rivals, Integer{1, trials_max});
}
void fields(auto& f, Of<Origin> auto& o) {
  f("run", o.run)("model", o.model)("phase", o.phase, phase_number)("step", o.step, step_number);
  f.some("replaces", o.replaces).some("rank", o.rank);
}
void fields(auto& f, Of<ScheduleStage> auto& s) {
  f("phase", s.phase, Integer{1, phases_max})("params", s.params);
}
void fields(auto& f, Of<ProposalCost> auto& c) {
  f("phase_seconds", c.phase_seconds)("weight", c.weight);
}
void fields(auto& f, Of<TrialProposed> auto& e) {
  f("trial", e.trial)("sweep", e.sweep)("number", e.number, Integer{0, exact_max});
  f("params", e.params);
  f.some("from", e.from).some("origin", e.origin).some("schedule", e.schedule);
  f.some("creator", e.creator, Text{creator_bytes_max}).some("cost", e.cost);
}
void fields(auto& f, Of<LeaseGranted> auto& e) {
  f("lease", e.lease)("attempt", e.attempt)("worker", e.worker)("request_id", e.request_id);
  f.maybe("resume", e.resume)("expires_at_us", e.expires_at, us);
  f.some("step", e.step, Integer{0, steps_max - 1}).some("turn", e.turn);
  f.some("devices", e.devices, device_numbers).some("width", e.width);
  f.some("neighbours", e.neighbours);
}
void fields(auto& f, Of<LeaseRenewed> auto& e) {
  f("lease", e.lease)("expires_at_us", e.expires_at, us);
}
void fields(auto& f, Of<RunStarted> auto& e) { f("lease", e.lease); }
void fields(auto& f, Of<ReportRecorded> auto& e) {
  f("lease", e.lease)("run", e.run)("phase", e.phase, phase_number);
  f("step", e.step, step_number)("value", e.score);
  f.some("further", e.further).some("seed_applied", e.seed_applied);
  f.some("resumable", e.resumable).some("spent", e.spent);
  f.some("phase_seconds", e.phase_seconds);
}
void fields(auto& f, Of<VerdictGiven> auto& e) {
  f("run", e.run)("phase", e.phase, phase_number);
  fields(f, e.verdict);
}
void fields(auto& f, Of<ModelSaved> auto& e) {
  f("model", e.model)("lease", e.lease)("run", e.run)("sha256", e.sha256, Digest{});
  f("bytes", e.bytes, Integer{0, exact_max})("step", e.step, step_number);
  f("phase", e.phase, phase_number).maybe("parent", e.parent);
}
void fields(auto& f, Of<KeptSlots> auto& k) {
  f("worker", k.worker)("cpus", k.cpus, Integer{1, slots_max})("until_us", k.until, us);
}
void fields(auto& f, Of<RunReturned> auto& e) {
  f("lease", e.lease)("run", e.run)("reason", e.reason)("detail", e.detail);
  f.some("failure", e.failure).some("not_before_us", e.not_before, us).some("avoid", e.avoid);
  f.some("alone", e.alone).some("keep", e.keep).some("separated", e.separated);
  f.some("workers_lost", e.workers_lost, Integer{0, exact_max});
}
void fields(auto& f, Of<RunEnded> auto& e) {
  f("run", e.run)("state", e.state)("reason", e.reason)("exit_code", e.exit_code);
  f("detail", e.detail)("log_tail", e.log_tail).some("failure", e.failure);
}
void fields(auto& f, Of<TrialEnqueued> auto& e) {
  f("sweep", e.sweep)("request_id", e.request_id)("params", e.params).some("from", e.from);
  f.some("origin", e.origin).some("schedule", e.schedule);
  f.some("creator", e.creator, Text{creator_bytes_max});
}
void fields(auto& f, Of<RunAdded> auto& e) { f("run", e.run); }
void fields(auto& f, Of<RunPaused> auto& e) { f("lease", e.lease)("run", e.run); }
void fields(auto& f, Of<ModelDropped> auto& e) { f("model", e.model)("run", e.run); }
void fields(auto& f, Of<RunReady> auto& e) {
  f("run", e.run).some("reserved_until_us", e.reserved_until, us);
}
void fields(auto& f, Of<WorkerSeen> auto& e) {
  f("worker", e.worker).some("kept_free", e.kept_free);
}
void fields(auto& f, Of<WorkerSetAside> auto& e) {
  f("worker", e.worker)("until_us", e.until, us)("detail", e.detail);
}
void fields(auto& f, Of<WorkerAllowed> auto& e) { f("worker", e.worker)("by_user", e.by_user); }
void fields(auto& f, Of<TokenCreated> auto& e) {
  f("token", e.token)("request_id", e.request_id)("name", e.name)("scopes", e.scopes);
  f("sha256", e.sha256).some("expires_at_us", e.expires_at, us).some("by", e.by);
}
void fields(auto& f, Of<TokenRevoked> auto& e) { f("token", e.token).some("by", e.by); }
void fields(auto& f, Of<ArtifactSaved> auto& e) {
  f("lease", e.lease)("run", e.run)("name", e.name, read_artifact_name);
  f("sha256", e.sha256, Digest{})("bytes", e.bytes, Integer{0, exact_max});
}
void fields(auto& f, Of<NoteAdded> auto& e) {
  f("on", e.on)("request_id", e.request_id)("text", e.text)("author", e.author);
}
void fields(auto& f, Of<TagsChanged> auto& e) {
  f("on", e.on)("added", e.added)("removed", e.removed);
}
void fields(auto& f, Of<SweepArchived> auto& e) { f("sweep", e.sweep)("archived", e.archived); }
void fields(auto& f, Of<TrialPinned> auto& e) { f("trial", e.trial)("pinned", e.pinned); }
void fields(auto& f, Of<SweepEdited> auto& e) {
  f("sweep", e.sweep)("request_id", e.request_id);
  changes_of_edit(f, e, "widened", e.widened);
}
void fields(auto& f, Of<TakenIds> auto& e) {
  constexpr auto last_max = std::numeric_limits<std::int64_t>::max() - past_max;
  f("after", e.after, Integer{0, last_max})("count", e.count, Integer{0, past_max});
}
void fields(auto& f, Of<ImportedIds> auto& e) {
  f("trials", e.trials)("leases", e.leases)("models", e.models)("evaluations", e.evaluations);
}
void fields(auto& f, Of<SweepImported> auto& e) {
  f("sweep", e.sweep)("request_id", e.request_id)("past", e.past, ListOf{OfType{}, past_max});
  f.some("confirms", e.confirms).some("ids", e.ids).some("part", e.part);
  f.some("ledger", e.ledger);
}
void fields(auto& f, Of<CodeRecorded> auto& e) {
  f("lease", e.lease)("run", e.run)("workflow", e.workflow);
}
void fields(auto& f, Of<ModelEvaluated> auto& e) {
  f("evaluation", e.evaluation)("request_id", e.request_id)("model", e.model);
  fields(f, e.info);
}

void fields(auto& f, Of<StepFinished> auto& e) {
  f("lease", e.lease)("run", e.run)("step", e.step, Integer{0, steps_max - 1});
  f.some("files", e.files, ListOf{OfType{}, files_max});
}

void fields(auto& f, Of<ExpectedValue> auto& e) {
  f("trial", e.trial)("value", e.value)("low", e.low)("high", e.high);
}
void fields(auto& f, Of<TrialsExpected> auto& e) {
  f("sweep", e.sweep)("noise", e.noise);
  f("trials", e.trials, ListOf{OfType{}, expected_trials_max});
}

void fields(auto& f, Of<FleetSet> auto& e) {
  f("fleet", e.fleet)("request_id", e.request_id)("mark", e.mark)("spec", e.spec).some("by", e.by);
}
void fields(auto& f, Of<FleetSteered> auto& e) {
  f("fleet", e.fleet)("state", e.state).some("detail", e.detail);
}
void fields(auto& f, Of<FleetDecided> auto& e) {
  f("fleet", e.fleet)("want", e.want)("rule", e.rule).some("detail", e.detail);
}
void fields(auto& f, Of<PilotWanted, PilotEnded> auto& e) {
  f("pilot", e.pilot)("fleet", e.fleet)("rule", e.rule).some("detail", e.detail);
}
void fields(auto& f, Of<PilotSeen> auto& e) {
  f("pilot", e.pilot)("fleet", e.fleet)("state", e.state).some("handle", e.handle);
  f.some("detail", e.detail);
}
void fields(auto& f, Of<PilotCanceled> auto& e) {
  f("pilot", e.pilot)("fleet", e.fleet)("rule", e.rule);
}

namespace {

// In the order of EventBody.
constexpr auto kinds = word_table(
    "server_started", "workflow_recorded", "dataset_recorded", "sweep_submitted", "sweep_steered",
    "sweep_ended", "worker_joined", "trial_proposed", "lease_granted", "lease_renewed",
    "run_started", "report_recorded", "verdict_given", "model_saved", "run_returned", "run_ended",
    "trial_enqueued", "run_added", "run_paused", "model_dropped", "run_ready", "worker_seen",
    "worker_set_aside", "worker_allowed", "token_created", "token_revoked", "artifact_saved",
    "note_added", "tags_changed", "sweep_archived", "trial_pinned", "sweep_edited",
    "sweep_imported", "fleet_set", "fleet_steered", "fleet_decided", "pilot_wanted", "pilot_seen",
    "pilot_canceled", "pilot_ended", "code_recorded", "model_evaluated", "step_finished",
    "trials_expected");
static_assert(kinds.size() == std::variant_size_v<EventAlternatives>);

EventBody read_body(std::string_view kind, const Spot& spot) {
  const auto known = std::ranges::find(kinds, kind);
  if (known == kinds.end()) {
    spot.refuse("the ledger holds an event of kind " + in_quotes(kind) +
                " that this version of hone does not know; start a newer one");
    return {};
  }
  Reader reader(spot);
  const auto index = static_cast<std::size_t>(known - kinds.begin());
  return read_alternative<EventBody, EventAlternatives>(reader, index);
}

struct BodyOf {
  const std::string& kind;
  EventBody operator()(const Spot& spot) const {
    return kind.empty() ? EventBody() : read_body(kind, spot);
  }
  [[nodiscard]] Json json(const EventBody& body) const { return encode(body); }
};

}  // namespace

// As it stands in a ledger, without its number.
void fields(auto& f, Of<Event> auto& e) {
  std::string kind(hone::kind(e.body));
  f("at_us", e.at, us)("kind", kind)("body", e.body, BodyOf{kind});
}

template <>
Event read(const Spot& spot) {
  return read_object<Event>(spot);
}

template <>
Json write(const Event& event) {
  return write_object(event);
}

}  // namespace codec

template Json encode(const Turn&);
template Json encode(const Width&);
template Json encode(const Neighbours&);
template Json encode(const KeptFree&);
Result<Neighbours> decode_neighbours(const Json& document) {
  return codec::decode_as<Neighbours>(document, {}, codec::Fault::of_reply());
}
Result<KeptFree> decode_kept_free(const Json& document) {
  return codec::decode_as<KeptFree>(document, {}, codec::Fault::of_reply());
}
Result<Width> decode_width(const Json& document) {
  return codec::decode_as<Width>(document, {}, codec::Fault::of_reply());
}
Result<Turn> decode_turn(const Json& document) {
  return codec::decode_as<Turn>(document, {}, codec::Fault::of_reply());
}
Result<std::int64_t> decode_size(const Json& document, const std::string& at) {
  codec::Fault fault = codec::Fault::of_request();
  auto bytes = codec::read_size(codec::Spot{document, codec::Place(at), fault});
  return fault.settle(std::move(bytes));
}
Result<std::vector<std::string>> decode_labels(const Json& document, const std::string& at) {
  codec::Fault fault = codec::Fault::of_request();
  auto labels =
      codec::read_by<std::vector<std::string>>(codec::Spot{document, codec::Place(at), fault},
                                               codec::ListOf{codec::read_label, codec::labels_max});
  return fault.settle(std::move(labels));
}

Result<Event> decode_imported_event(const Json& document) {
  return codec::decode_as<Event>(document);
}

std::string body_text(const EventBody& body) {
  const auto* imported = std::get_if<SweepImported>(&body);
  if (imported == nullptr) return to_text(encode(body));
  SweepImported frame{imported->sweep,  imported->request_id, {},           imported->confirms,
                      imported->ledger, imported->part,       imported->ids};
  const std::string text = to_text(encode(EventBody(std::move(frame))));
  constexpr std::string_view empty = "\"past\":[]";  // no text of JSON holds a bare quote
  const auto cut = text.find(empty) + empty.size() - 1;
  std::string whole = text.substr(0, cut);
  for (const Event& event : imported->past) {
    if (&event != &imported->past.front()) whole += ',';
    whole += to_text(encode(event));
  }
  return whole += text.substr(cut);
}

std::string_view kind(const EventBody& body) { return codec::kinds[body.index()]; }

Json encode(const Event& event) { return codec::write(event); }

Result<Event> decode_past_event(const Json& document) {
  return codec::decode_as<Event>(document, {}, codec::Fault::of_reply());
}

Json encode(const EventBody& body) {
  return std::visit([](const auto& event) { return codec::write_object(event); }, body);
}

Result<EventBody> decode_event(std::string_view kind, const Json& document) {
  auto fault = codec::Fault::of_ledger();
  auto body = codec::read_body(kind, {document, codec::Place(""), fault});
  return fault.settle(std::move(body));
}

}  // namespace hone
