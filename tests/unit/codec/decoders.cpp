#include "tests/unit/codec/decoders.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "schemas/codec/body.hpp"
#include "schemas/types/past.hpp"
#include "schemas/types/submit.hpp"
#include "schemas/types/wire.hpp"

namespace hone {
namespace {

template <auto decode>
std::optional<Error> fault_of(const Json& value) {
  auto decoded = decode(value);
  if (decoded.ok()) return std::nullopt;
  return std::move(decoded).error();
}

Result<Verdict> decode_bare_verdict(const Json& value) { return decode_verdict(value, ""); }

Result<Code> decode_known_problem(const Json& value) { return decode_problem(value).code; }

const std::map<std::string, Decoder> table{
    {"sweep", fault_of<decode_request<SweepSpec>>},
    {"submit", fault_of<decode_request<SubmitRequest>>},
    {"steer", fault_of<decode_request<SteerRequest>>},
    {"join", fault_of<decode_request<JoinRequest>>},
    {"acquire", fault_of<decode_request<AcquireRequest>>},
    {"report", fault_of<decode_request<ReportRequest>>},
    {"ask", fault_of<decode_request<AskRequest>>},
    {"tell", fault_of<decode_request<TellRequest>>},
    {"enqueue", fault_of<decode_request<EnqueueRequest>>},
    {"confirm", fault_of<decode_request<ConfirmRequest>>},
    {"note", fault_of<decode_request<NoteRequest>>},
    {"tags", fault_of<decode_request<TagRequest>>},
    {"archive", fault_of<decode_request<ArchiveRequest>>},
    {"pin", fault_of<decode_request<PinRequest>>},
    {"edit", fault_of<decode_request<EditRequest>>},
    {"import", fault_of<decode_request<ImportRequest>>},
    {"create_token", fault_of<decode_request<CreateTokenRequest>>},
    {"create_token_reply", fault_of<decode_reply<CreateTokenReply>>},
    {"save_artifact", fault_of<decode_request<SaveArtifactRequest>>},
    {"save_model", fault_of<decode_request<SaveModelRequest>>},
    {"metrics", fault_of<decode_request<MetricsRequest>>},
    {"end", fault_of<decode_request<EndRequest>>},
    {"record_code", fault_of<decode_request<RecordCodeRequest>>},
    {"evaluate", fault_of<decode_request<EvaluateRequest>>},
    {"evaluate_reply", fault_of<decode_reply<EvaluateReply>>},
    {"beat", fault_of<decode_request<BeatRequest>>},
    {"fleet", fault_of<decode_request<FleetRequest>>},
    {"fleet_spec", fault_of<decode_request<FleetSpec>>},
    {"fleet_reply", fault_of<decode_reply<FleetReply>>},
    {"lease_grant", fault_of<decode_reply<std::optional<LeaseGrant>>>},
    {"join_reply", fault_of<decode_reply<JoinReply>>},
    {"beat_reply", fault_of<decode_reply<BeatReply>>},
    {"ask_reply", fault_of<decode_reply<AskReply>>},
    {"enqueue_reply", fault_of<decode_reply<EnqueueReply>>},
    {"verdict", fault_of<decode_bare_verdict>},
    {"save_model_reply", fault_of<decode_reply<SaveModelReply>>},
    {"problem", fault_of<decode_known_problem>},
};

}  // namespace

const std::map<std::string, Decoder>& decoders() { return table; }

std::filesystem::path schemas_folder() {
  return std::filesystem::path(HONE_SOURCE_DIR) / "schemas";
}

Json json_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  auto parsed = parse_json(text.str());
  EXPECT_TRUE(parsed.ok()) << file << ": " << (parsed.ok() ? "" : parsed.error().detail);
  return parsed.ok() ? *parsed : Json::array();
}

}  // namespace hone
