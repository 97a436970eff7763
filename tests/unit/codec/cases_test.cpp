// schemas/cases/*.json: bodies that must be read and bodies that must be refused, and where.
// tests/contract holds the JSON Schemas to the same rows.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "schemas/codec/body.hpp"

namespace hone {
namespace {

// nullopt: read without fault.
using Check = std::optional<Error> (*)(const Json&);

template <auto decode>
std::optional<Error> fault_of(const Json& value) {
  auto decoded = decode(value);
  if (decoded.ok()) return std::nullopt;
  return std::move(decoded).error();
}

Result<Verdict> decode_bare_verdict(const Json& value) { return decode_verdict(value, ""); }

Result<Code> decode_known_problem(const Json& value) { return decode_problem(value).code; }

const std::map<std::string, Check> checks{
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
    {"beat", fault_of<decode_beat_request>},
    {"lease_grant", fault_of<decode_acquire_reply>},
    {"join_reply", fault_of<decode_join_reply>},
    {"beat_reply", fault_of<decode_beat_reply>},
    {"ask_reply", fault_of<decode_ask_reply>},
    {"enqueue_reply", fault_of<decode_enqueue_reply>},
    {"verdict", fault_of<decode_bare_verdict>},
    {"save_model_reply", fault_of<decode_save_model_reply>},
    {"problem", fault_of<decode_known_problem>},
};

// Read by the worker and by the SDKs, which have their own tests.
const std::set<std::string> read_elsewhere{"trial_line", "trial_answer", "run_file"};

std::filesystem::path folder() {
  return std::filesystem::path(HONE_SOURCE_DIR) / "schemas" / "cases";
}

Json rows_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  auto parsed = parse_json(text.str());
  EXPECT_TRUE(parsed.ok()) << file << ": " << (parsed.ok() ? "" : parsed.error().detail);
  return parsed.ok() ? *parsed : Json::array();
}

void check_row(const Json& row) {
  SCOPED_TRACE(row.at("name").get<std::string>());
  const auto schema = row.at("schema").get<std::string>();
  if (read_elsewhere.contains(schema)) return;
  ASSERT_TRUE(checks.contains(schema)) << "no decoder for " << schema;
  const auto error = checks.at(schema)(row.at("value"));
  if (row.contains("ok")) {
    EXPECT_FALSE(error) << error->detail << " at " << error->at;
    return;
  }
  ASSERT_TRUE(error) << "was not refused";
  EXPECT_EQ(error->at, row.at("error_at").get<std::string>()) << error->detail;
  const auto says = row.value("error_says", std::string{});
  EXPECT_NE(error->detail.find(says), std::string::npos)
      << "'" << error->detail << "' lacks '" << says << "'";
}

TEST(Cases, every_row_is_read_or_refused_where_it_says) {
  std::size_t rows = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder())) {
    SCOPED_TRACE(file.path().filename().string());
    for (const auto& row : rows_of(file.path())) {
      check_row(row);
      ++rows;
    }
  }
  EXPECT_GE(rows, 200U);
}

}  // namespace
}  // namespace hone
