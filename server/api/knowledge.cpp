// Notes, tags, archives, pins, edits and imports.
#include "db/queries/about.hpp"
#include "db/queries/queries.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// POST /v1/notes
Result<Command> parse_note(const Request& request) {
  auto note = body(request, decode_note_request);
  if (!note) return note.error();
  return Command(AddNote{*std::move(note)});
}

// POST /v1/tags
Result<Command> parse_tags(const Request& request) {
  auto tags = body(request, decode_tag_request);
  if (!tags) return tags.error();
  return Command(ChangeTags{*std::move(tags)});
}

// POST /v1/sweeps/{sweep}/archive
Result<Command> parse_archive(const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  const auto archive = body(request, decode_archive_request);
  if (!archive) return archive.error();
  return Command(Archive{*id, *archive});
}

// POST /v1/trials/{trial}/pin
Result<Command> parse_pin(const Request& request) {
  const auto id = path_id<TrialId>(request);
  if (!id) return id.error();
  const auto pin = body(request, decode_pin_request);
  if (!pin) return pin.error();
  return Command(Pin{*id, *pin});
}

// POST /v1/sweeps/{sweep}/edit
Result<Command> parse_edit(const Request& request) {
  const auto id = path_id<SweepId>(request);
  if (!id) return id.error();
  auto edit = body(request, decode_edit_request);
  if (!edit) return edit.error();
  return Command(Edit{*id, *std::move(edit)});
}

// POST /v1/imports
Result<Command> parse_import(const Request& request) {
  auto import = body(request, decode_import_request);
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
