#include <filesystem>
#include <fstream>

#include "base/hex.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/words.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/api/workers/fleet_troubles.hpp"
#include "server/limits.hpp"

namespace hone::api {
namespace {

constexpr std::size_t mark_bytes = 4;  // 8 digits: few servers share an account of an engine

Error no_fleet(FleetId id) { return refuse(Code::not_found, "no fleet " + text(id)); }

// Where the log of a pilot is, if this server does not have it.
Error no_log(SQLite::Database& db, PilotId id) {
  const auto pilot = find_pilot(db, id);
  if (!pilot)
    return refuse(Code::not_found,
                  "no pilot " + text(id) + "; hone fleet show lists those of a fleet");
  const auto fleet = find_fleet(db, pilot->fleet);
  const Json spec = fleet ? stored_json(fleet->spec) : Json::object();
  const auto slash = pilot->handle.find('/');
  if (spec.value("engine", "") == "ssh" && slash != std::string::npos) {
    const std::string folder = spec.value("folder", "");
    return refuse(Code::not_found,
                  "the log of " + text(id) + " is on its host; read it with: ssh " +
                      pilot->handle.substr(0, slash) + " cat '" +
                      (folder.empty() ? "/tmp" : folder) + "/hone-*-" + text(id) + "/log'");
  }
  return refuse(Code::not_found,
                text(id) + " has no log on this server: " +
                    (pilot->handle.empty() ? "it has not started" : "its engine keeps it"));
}

Json render_trouble(const std::optional<FleetTrouble>& trouble) {
  if (!trouble) return nullptr;
  Json json;
  json["detail"] = trouble->detail;
  json["since"] = rfc3339(trouble->since);
  return json;
}

Json fleet_json(const FleetRow& row, const FleetTroubles* troubles) {
  return row::write(row,
                    {render_trouble(troubles != nullptr ? troubles->of(row.id) : std::nullopt)});
}

}  // namespace

// POST /v1/fleets
Result<Command> parse_fleet(const Request& request) {
  auto fleet = body<FleetRequest>(request);
  if (!fleet) return fleet.error();
  return Command(SetFleet{*std::move(fleet), random_hex(mark_bytes), request.speaker.token});
}

// GET /v1/fleets
ReadResult fleets(SQLite::Database& db, const Request& request) {
  const auto page = page_query(request);
  if (!page) return page.error();
  const auto rows = list_fleets(db, *page);
  if (!rows) return rows.error();
  Json body;
  body["items"] = Json::array();
  for (const FleetRow& row : rows->items)
    body["items"].push_back(fleet_json(row, request.troubles));
  body["next"] = rows->next ? Json(*rows->next) : Json(nullptr);
  return json_response(body);
}

// GET /v1/fleets/{fleet}
ReadResult fleet(SQLite::Database& db, const Request& request) {
  const auto id = path_id<FleetId>(request);
  if (!id) return id.error();
  const auto row = find_fleet(db, *id);
  if (!row) return no_fleet(*id);
  return json_response(fleet_json(*row, request.troubles));
}

// GET /v1/fleets/{fleet}/pilots
ReadResult pilots(SQLite::Database& db, const Request& request) {
  const auto id = path_id<FleetId>(request);
  if (!id) return id.error();
  const auto page = page_query(request);
  if (!page) return page.error();
  if (!find_fleet(db, *id)) return no_fleet(*id);
  return render_pages(list_pilots(db, *id, *page));
}

// GET /v1/pilots/{pilot}/log: its last lines, where the engine writes them to the data folder.
ReadResult pilot_log(SQLite::Database& db, const Request& request) {
  const auto id = parse_pilot_id(request.ids.at(0));
  if (!id) return no_such_form("pilot", "pi_42", request.ids.at(0), "");
  const auto folder = std::filesystem::path(db.getFilename()).parent_path() / "fleets" / "logs";
  std::ifstream file(folder / (text(*id) + ".log"), std::ios::binary | std::ios::ate);
  if (!file) return no_log(db, *id);
  const std::streamoff size = file.tellg();
  const auto bytes = std::min(size, static_cast<std::streamoff>(limits::pilot_log_bytes_max));
  file.seekg(size - bytes);
  std::string log(static_cast<std::size_t>(bytes), ' ');
  file.read(log.data(), bytes);
  Json json;
  json["pilot"] = text(*id);
  json["log"] = std::move(log);
  json["cut"] = bytes < size;
  return json_response(json);
}

}  // namespace hone::api
