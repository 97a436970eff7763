#include <cmath>
#include <nlohmann/json.hpp>

#include "server/api/render.hpp"
#include "server/api/role.hpp"
#include "server/api/routes.hpp"
#include "server/engine/counters.hpp"

namespace hone::api {
namespace {

double tenths(Duration time) { return std::round(static_cast<double>(time.us) / 1e5) / 10; }

void add_role(Json& json, const Role& role, Instant now) {
  json["role"] = role.is_follower() ? "follower" : "primary";
  if (!role.term().empty()) json["term"] = role.term();
  if (role.is_follower()) {
    json["follows"] = role.primary();
    json["lag_events"] = role.lag_events();
    json["lag_seconds"] = tenths(role.lag(now));
    json["missing_blobs"] = role.missing_blobs();
    if (const auto why = role.trouble(); !why.empty()) json["trouble"] = why;
  } else {
    json["standbys"] = role.standbys();
    json["confirmed"] = role.confirmed();
  }
}

}  // namespace

// GET /healthz
ReadResult health(const Request& request) {
  Json json;
  json["status"] = "ok";
  json["version"] = HONE_VERSION;
  json["seq"] = request.newest_seq;
  if (request.role != nullptr) add_role(json, *request.role, request.now);
  return json_response(json);
}

// GET /readyz: a follower is no place for a load balancer to send requests to.
ReadResult ready(const Request& request) {
  if (request.counters != nullptr && request.counters->leaving)
    return refuse(Code::unavailable, "this server is about to end: ask another, or try again");
  if (request.role != nullptr && request.role->is_follower())
    return refuse(Code::unavailable,
                  "this server is a standby of " + request.role->primary() + ": ask that one");
  Json json;
  json["ready"] = true;
  return json_response(json);
}

// GET /v1/version
ReadResult version(const Request&) {
  Json json;
  json["version"] = HONE_VERSION;
  json["api"] = "v1";
  return json_response(json);
}

}  // namespace hone::api
