// Files that runs leave.
#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"

namespace hone {
namespace codec {
namespace {

constexpr std::size_t artifact_name_max = 300;

// A path that stays inside the folder it is read in.
std::string artifact_name(const Spot& spot) {
  const auto name = Line{1, artifact_name_max}(spot);
  const std::string framed = "/" + name + "/";
  if (framed.find("//") != std::string::npos || framed.find("/../") != std::string::npos ||
      framed.find("/./") != std::string::npos)
    spot.refuse_rule("must be a relative path without empty parts, '.' and '..'");
  return name;
}

SaveArtifactRequest read_save_artifact(const Spot& spot) {
  Fields fields(spot);
  SaveArtifactRequest request;
  request.name = fields.need("name", artifact_name);
  request.sha256 = fields.need("sha256", Digest{});
  request.bytes = fields.need("bytes", Integer{0});
  fields.done();
  return request;
}

}  // namespace
}  // namespace codec

Result<SaveArtifactRequest> decode_save_artifact_request(const Json& document) {
  return codec::decode_with(document, codec::read_save_artifact);
}

Json encode(const SaveArtifactRequest& request) {
  Json json = Json::object();
  json["name"] = request.name;
  json["sha256"] = request.sha256;
  json["bytes"] = request.bytes;
  return json;
}

}  // namespace hone
