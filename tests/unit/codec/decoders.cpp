#include "tests/unit/codec/decoders.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "schemas/codec/body.hpp"

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
    {"sweep", fault_of<decode_sweep_spec>},
    {"submit", fault_of<decode_submit_request>},
    {"steer", fault_of<decode_steer_request>},
    {"join", fault_of<decode_join_request>},
    {"acquire", fault_of<decode_acquire_request>},
    {"report", fault_of<decode_report_request>},
    {"ask", fault_of<decode_ask_request>},
    {"tell", fault_of<decode_tell_request>},
    {"enqueue", fault_of<decode_enqueue_request>},
    {"confirm", fault_of<decode_confirm_request>},
    {"note", fault_of<decode_note_request>},
    {"tags", fault_of<decode_tag_request>},
    {"archive", fault_of<decode_archive_request>},
    {"pin", fault_of<decode_pin_request>},
    {"edit", fault_of<decode_edit_request>},
    {"import", fault_of<decode_import_request>},
    {"create_token", fault_of<decode_create_token_request>},
    {"create_token_reply", fault_of<decode_create_token_reply>},
    {"save_artifact", fault_of<decode_save_artifact_request>},
    {"save_model", fault_of<decode_save_model_request>},
    {"metrics", fault_of<decode_metrics_request>},
    {"end", fault_of<decode_end_request>},
    {"record_code", fault_of<decode_record_code_request>},
    {"evaluate", fault_of<decode_evaluate_request>},
    {"evaluate_reply", fault_of<decode_evaluate_reply>},
    {"beat", fault_of<decode_beat_request>},
    {"fleet", fault_of<decode_fleet_request>},
    {"fleet_spec", fault_of<decode_fleet_spec>},
    {"fleet_reply", fault_of<decode_fleet_reply>},
    {"lease_grant", fault_of<decode_acquire_reply>},
    {"join_reply", fault_of<decode_join_reply>},
    {"beat_reply", fault_of<decode_beat_reply>},
    {"ask_reply", fault_of<decode_ask_reply>},
    {"enqueue_reply", fault_of<decode_enqueue_reply>},
    {"verdict", fault_of<decode_bare_verdict>},
    {"save_model_reply", fault_of<decode_save_model_reply>},
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
