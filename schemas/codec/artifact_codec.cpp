// Files that runs leave.
#include "base/files.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"

namespace hone {
namespace codec {

std::string read_artifact_name(const Spot& spot) {
  constexpr std::size_t artifact_name_max = 300;
  auto name = Line{1, artifact_name_max}(spot);
  if (!is_inner_path(name))
    spot.refuse_rule("must be a relative path without empty parts, '.' and '..'");
  return name;
}

namespace {

SaveArtifactRequest read_save_artifact(const Spot& spot) {
  Fields fields(spot);
  SaveArtifactRequest request;
  request.name = fields.need("name", read_artifact_name);
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
