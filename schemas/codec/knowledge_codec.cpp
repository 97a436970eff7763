// What users say of things and change of sweeps: the requests and the ledger's bodies of them.
#include "schemas/codec/body.hpp"
#include "schemas/codec/event_parts.hpp"
#include "schemas/codec/parts.hpp"

namespace hone {
namespace codec {
namespace {

constexpr std::size_t note_bytes_max = 16 * 1024;
constexpr std::size_t tags_max = 32;

// Without blanks and signs of the filter language, so that a tag needs no quotes anywhere.
std::string read_tag(const Spot& spot) {
  std::string tag = Line{1, 64}(spot);
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.' || c == '/' || static_cast<unsigned char>(c) >= 0x80;
  };
  for (const char c : tag)
    if (!fits(c)) {
      spot.refuse("a tag is made of letters, digits and - _ . /, not " + in_quotes({&c, 1}));
      break;
    }
  return tag;
}

ObjectId read_object(const Spot& spot) {
  const auto* words = spot.json.get_ptr<const std::string*>();
  const auto id = words == nullptr ? std::nullopt : parse_object_id(*words);
  if (!id) spot.refuse("must be an id such as \"sw_7\" or \"tr_42\", not " + described(spot.json));
  return id.value_or(ObjectId{});
}

Json write_widening(const Widening& widening) {
  Json json = object_with("name", widening.name);
  if (widening.min) json["min"] = *widening.min;
  if (widening.max) json["max"] = *widening.max;
  if (widening.values.empty()) return json;
  json["values"] = Json::array();
  for (const Value& value : widening.values) json["values"].push_back(encode(value));
  return json;
}

Json write_widenings(const std::vector<Widening>& widenings) {
  Json json = Json::array();
  for (const Widening& widening : widenings) json.push_back(write_widening(widening));
  return json;
}

Widening read_widening(const Spot& spot) {
  Fields fields(spot);
  Widening widening;
  widening.name = fields.need("name", Line{1, name_max});
  widening.min = fields.optional("min", Real{});
  widening.max = fields.optional("max", Real{});
  widening.values = fields.maybe("values", ListOf{read_value}, std::vector<Value>{});
  fields.done();
  return widening;
}

Json write_event(const Event& event) {
  Json json = Json::object();
  json["at_us"] = event.at.us;
  json["kind"] = kind(event.body);
  json["body"] = encode(event.body);
  return json;
}

// As it stands in a ledger, without its number.
Event read_event(const Spot& spot) {
  Fields fields(spot);
  Event event;
  event.at = fields.need("at_us", LedgerTime{});
  const std::string kind = fields.need("kind", Text{});
  const Json* body = fields.find("body");
  if (!fields.done()) return event;
  if (body == nullptr) {
    fields.refuse("body", "is missing");
    return event;
  }
  auto decoded = decode_event(kind, *body, EventSource::elsewhere);
  if (decoded)
    event.body = *std::move(decoded);
  else
    fields.refuse("body", decoded.error().detail);
  return event;
}

NoteRequest read_note(const Spot& spot) {
  Fields fields(spot);
  NoteRequest request;
  request.request_id = fields.need("request_id", read_request_id);
  request.on = fields.need("on", read_object);
  request.text = fields.need("text", Text{note_bytes_max});
  request.author = fields.maybe("author", Line{0, 255}, std::string());
  if (fields.done() && request.text.empty()) fields.refuse("text", "must not be empty");
  return request;
}

TagRequest read_tags(const Spot& spot) {
  Fields fields(spot);
  TagRequest request;
  request.on = fields.need("on", read_object);
  request.add = fields.maybe("add", ListOf{read_tag, tags_max}, request.add);
  request.remove = fields.maybe("remove", ListOf{read_tag, tags_max}, request.remove);
  if (fields.done() && request.add.empty() && request.remove.empty())
    fields.refuse("add", "name at least one tag to add or to remove");
  return request;
}

ArchiveRequest read_archive(const Spot& spot) {
  Fields fields(spot);
  const ArchiveRequest request{fields.need("archived", Truth{})};
  fields.done();
  return request;
}

PinRequest read_pin(const Spot& spot) {
  Fields fields(spot);
  const PinRequest request{fields.need("pinned", Truth{})};
  fields.done();
  return request;
}

EditRequest read_edit(const Spot& spot) {
  Fields fields(spot);
  EditRequest request;
  request.request_id = fields.need("request_id", read_request_id);
  request.trials = fields.optional("trials", Count{1, 1'000'000});
  request.concurrency = fields.optional("concurrency", SmallInteger{0, concurrency_max});
  request.widen = fields.maybe("widen", ListOf{read_widening}, request.widen);
  if (fields.done() && !request.trials && !request.concurrency && request.widen.empty())
    fields.refuse("trials", "name what to change: trials, concurrency or widen");
  return request;
}

Series read_series(const Spot& spot) {
  Fields fields(spot);
  Series series;
  series.run = fields.need("run", IdOf<RunId>{});
  series.name = fields.need("name", Line{1, name_max});
  constexpr std::size_t points_max = 100'000'000;
  const auto integers = ListOf{Integer{}, points_max};
  const auto steps = fields.need("steps", integers);
  const auto values = fields.need("values", ListOf{Real{}, points_max});
  const auto times = fields.need("at_us", integers);
  if (!fields.done()) return series;
  if (steps.size() != values.size() || steps.size() != times.size()) {
    fields.refuse("values", "steps, values and at_us must be equally long");
    return series;
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    series.points.push_back({steps[i], values[i], Instant{times[i]}});
  return series;
}

Json write_series(const Series& series) {
  Json json = object_with("run", text(series.run));
  json["name"] = series.name;
  for (const char* column : {"steps", "values", "at_us"}) json[column] = Json::array();
  for (const SeriesPoint& point : series.points) {
    json["steps"].push_back(point.step);
    json["values"].push_back(point.value);
    json["at_us"].push_back(point.at.us);
  }
  return json;
}

// What a joined worker was, for the past of a sweep.
JoinRequest read_past_worker(const Spot& spot) {
  Fields fields(spot);
  JoinRequest worker;
  worker.host = fields.need("host", Text{});
  worker.pid = fields.need("pid", Integer{});
  worker.cpus = fields.need("cpus", SmallInteger{});
  worker.gpus = fields.need("gpus", SmallInteger{});
  worker.hone_version = fields.need("hone_version", Text{});
  fields.done();
  return worker;
}

Json write_past_worker(const JoinRequest& worker) {
  Json json = object_with("host", worker.host);
  json["pid"] = worker.pid;
  json["cpus"] = worker.cpus;
  json["gpus"] = worker.gpus;
  json["hone_version"] = worker.hone_version;
  return json;
}

SweepPast read_past(const Spot& spot) {
  Fields fields(spot);
  constexpr std::size_t events_max = 100'000'000;
  SweepPast past;
  const int version = fields.need("hone_export", SmallInteger{});
  past.workflow = fields.need("workflow", read_workflow);
  past.dataset = fields.optional("dataset", read_dataset);
  past.workers = fields.need("workers", ListOf{read_past_worker, events_max});
  past.events = fields.need("events", ListOf{read_event, events_max});
  past.metrics = fields.need("metrics", ListOf{read_series, events_max});
  if (fields.done() && version != 1)
    fields.refuse("hone_export", "is " + std::to_string(version) + "; this hone reads version 1");
  return past;
}

ImportRequest read_import(const Spot& spot) {
  Fields fields(spot);
  ImportRequest request;
  request.request_id = fields.need("request_id", read_request_id);
  request.past = fields.need("export", read_past);
  fields.done();
  return request;
}

}  // namespace

Json write(const NoteAdded& event) {
  Json json = object_with("on", text(event.on));
  json["request_id"] = event.request_id;
  json["text"] = event.text;
  json["author"] = event.author;
  return json;
}
NoteAdded read_note_added(Fields& fields) {
  NoteAdded event;
  event.on = fields.need("on", read_object);
  event.request_id = fields.need("request_id", Text{});
  event.text = fields.need("text", Text{});
  event.author = fields.need("author", Text{});
  return event;
}

Json write(const TagsChanged& event) {
  Json json = object_with("on", text(event.on));
  json["added"] = event.added;
  json["removed"] = event.removed;
  return json;
}
TagsChanged read_tags_changed(Fields& fields) {
  return {fields.need("on", read_object), fields.need("added", ListOf{Text{}}),
          fields.need("removed", ListOf{Text{}})};
}

Json write(const SweepArchived& event) {
  Json json = object_with("sweep", text(event.sweep));
  json["archived"] = event.archived;
  return json;
}
SweepArchived read_sweep_archived(Fields& fields) {
  return {fields.need("sweep", IdOf<SweepId>{}), fields.need("archived", Truth{})};
}

Json write(const TrialPinned& event) {
  Json json = object_with("trial", text(event.trial));
  json["pinned"] = event.pinned;
  return json;
}
TrialPinned read_trial_pinned(Fields& fields) {
  return {fields.need("trial", IdOf<TrialId>{}), fields.need("pinned", Truth{})};
}

Json write(const SweepEdited& event) {
  Json json = object_with("sweep", text(event.sweep));
  json["request_id"] = event.request_id;
  if (event.trials) json["trials"] = *event.trials;
  if (event.concurrency) json["concurrency"] = *event.concurrency;
  if (!event.widened.empty()) json["widened"] = write_widenings(event.widened);
  return json;
}
SweepEdited read_sweep_edited(Fields& fields) {
  SweepEdited event;
  event.sweep = fields.need("sweep", IdOf<SweepId>{});
  event.request_id = fields.need("request_id", Text{});
  event.trials = fields.optional("trials", Integer{});
  event.concurrency = fields.optional("concurrency", SmallInteger{});
  event.widened = fields.maybe("widened", ListOf{read_widening}, event.widened);
  return event;
}

Json write(const SweepImported& event) {
  Json json = object_with("sweep", text(event.sweep));
  json["request_id"] = event.request_id;
  json["past"] = Json::array();
  for (const Event& one : event.past) json["past"].push_back(write_event(one));
  return json;
}
SweepImported read_sweep_imported(Fields& fields) {
  constexpr std::size_t events_max = 100'000'000;
  return {fields.need("sweep", IdOf<SweepId>{}), fields.need("request_id", Text{}),
          fields.need("past", ListOf{read_event, events_max})};
}

}  // namespace codec

Result<NoteRequest> decode_note_request(const Json& document) {
  return codec::decode_with(document, codec::read_note);
}
Result<TagRequest> decode_tag_request(const Json& document) {
  return codec::decode_with(document, codec::read_tags);
}
Result<ArchiveRequest> decode_archive_request(const Json& document) {
  return codec::decode_with(document, codec::read_archive);
}
Result<PinRequest> decode_pin_request(const Json& document) {
  return codec::decode_with(document, codec::read_pin);
}
Result<EditRequest> decode_edit_request(const Json& document) {
  return codec::decode_with(document, codec::read_edit);
}
Result<ImportRequest> decode_import_request(const Json& document) {
  return codec::decode_with(document, codec::read_import);
}

Json encode(const NoteRequest& request) {
  Json json = codec::object_with("request_id", request.request_id);
  json["on"] = text(request.on);
  json["text"] = request.text;
  json["author"] = request.author;
  return json;
}

Json encode(const TagRequest& request) {
  Json json = codec::object_with("on", text(request.on));
  json["add"] = request.add;
  json["remove"] = request.remove;
  return json;
}

Json encode(const EditRequest& request) {
  Json json = codec::object_with("request_id", request.request_id);
  if (request.trials) json["trials"] = *request.trials;
  if (request.concurrency) json["concurrency"] = *request.concurrency;
  if (!request.widen.empty()) json["widen"] = codec::write_widenings(request.widen);
  return json;
}

Json encode(const SweepPast& past) {
  Json json = codec::object_with("hone_export", 1);
  json["workflow"] = encode(past.workflow);
  json["dataset"] = past.dataset ? encode(*past.dataset) : Json(nullptr);
  for (const char* list : {"workers", "events", "metrics"}) json[list] = Json::array();
  for (const auto& worker : past.workers)
    json["workers"].push_back(codec::write_past_worker(worker));
  for (const Event& event : past.events) json["events"].push_back(codec::write_event(event));
  for (const Series& series : past.metrics) json["metrics"].push_back(codec::write_series(series));
  return json;
}

}  // namespace hone
