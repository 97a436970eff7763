// Notes, tags, archives, pins, edits and imports.
#include "db/queries/about.hpp"
#include "db/queries/queries.hpp"
#include "schemas/types/event.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"

namespace hone::api {

// POST /v1/imports
Result<Command> parse_import(const Request& request) {
  auto import = body<ImportRequest>(request);
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
