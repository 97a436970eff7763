// Notes, tags, archives, pins, edits and imports.
#include <nlohmann/json.hpp>

#include "db/queries/about.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/array_items.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/types/event.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/limits.hpp"

namespace hone::api {

namespace {

// Reads the document event by event, so that its values are not in memory all at once. Nothing if
// it has a fault.
std::optional<ImportRequest> read_in_pieces(std::string_view text) {
  std::vector<Event> events;
  bool fine = true;
  ArrayItems items({"export", "events"});
  items.add(text, [&](const std::string& item) {
    if (!fine) return;
    const auto document = parse_json(item, limits::document_bytes_max);
    auto event = document ? decode_imported_event(*document) : Result<Event>(document.error());
    if (event) events.push_back(*std::move(event));
    fine = event.ok();
  });
  if (!fine || events.empty()) return std::nullopt;
  auto rest = parse_json(items.rest(), limits::document_bytes_max);
  if (!rest || rest->at("export").at("events").size() != events.size()) return std::nullopt;
  (*rest)["export"]["events"] = Json::array();
  auto import = decode_request<ImportRequest>(*rest);
  if (!import) return std::nullopt;
  import->past.events = std::move(events);
  return *std::move(import);
}

}  // namespace

// POST /v1/imports
Result<Command> parse_import(const Request& request) {
  if (auto import = read_in_pieces(request.body)) return Command(Import{*std::move(import)});
  auto import = body<ImportRequest>(request);  // for the place of its fault
  if (!import) return import.error();
  return Command(Import{*std::move(import)});
}

// GET /v1/about/{id}
ReadResult about(SQLite::Database& db, const Request& request) {
  const auto id = parse_object_id(request.ids.at(0));
  if (!id)
    return no_such_form("object", "sw_7, tr_42, rn_42.0, md_9, ds_3, wf_2, wk_1 or ev_3",
                        request.ids.at(0), "");
  const About about = read_about(db, *id);
  Json json;
  json["id"] = text(*id);
  json["tags"] = about.tags;
  json["notes"] = Json::array();
  for (const Note& note : about.notes)
    json["notes"].push_back(
        {{"text", note.text}, {"author", note.author}, {"at", rfc3339(note.at)}});
  return json_response(json);
}

}  // namespace hone::api
