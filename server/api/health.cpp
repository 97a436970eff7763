#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/engine/counters.hpp"

namespace hone::api {

// GET /healthz
ReadResult health(const Request& request) {
  Json json;
  json["status"] = "ok";
  json["version"] = HONE_VERSION;
  json["seq"] = request.newest_seq;
  return json_response(json);
}

// GET /readyz
ReadResult ready(const Request& request) {
  if (request.counters != nullptr && request.counters->leaving)
    return refuse(Code::unavailable, "this server is about to end: ask another, or try again");
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
