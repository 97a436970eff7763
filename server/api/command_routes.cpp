#include "server/api/command_routes.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/words.hpp"

namespace hone::api {

Response render(const Done&) { return json_response(Json::object()); }

Response render(const Submitted& submitted) {
  Json json;
  json["sweep"] = text(submitted.sweep);
  return json_response(json, submitted.known ? 200 : 201);
}

Response render(const Steered& steered) {
  Json json;
  json["sweep"] = text(steered.sweep);
  json["state"] = word(steered.state);
  return json_response(json);
}

Response render(const Key& key) {
  return json_response(encode(CreateTokenReply{key.token, key.expires_at}), 201);
}

Response render(const FleetReply& made) { return json_response(encode(made), 201); }

Response render_done(const Reply&) { return render(Done{}); }

}  // namespace hone::api
