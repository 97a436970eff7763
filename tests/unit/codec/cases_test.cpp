// schemas/cases/*.json: bodies that must be read and bodies that must be refused, and where.
// tests/contract holds the JSON Schemas to the same rows.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/unit/codec/decoders.hpp"

namespace hone {
namespace {

// Read by the worker and by the SDKs, which have their own tests.
const std::set<std::string> read_elsewhere{"trial_line", "trial_answer", "run_file"};

void check_row(const Json& row) {
  SCOPED_TRACE(row.at("name").get<std::string>());
  const auto schema = row.at("schema").get<std::string>();
  if (read_elsewhere.contains(schema)) return;
  ASSERT_TRUE(decoders().contains(schema)) << "no decoder for " << schema;
  const auto error = decoders().at(schema)(row.at("value"));
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
  for (const auto& file : std::filesystem::directory_iterator(schemas_folder() / "cases")) {
    SCOPED_TRACE(file.path().filename().string());
    for (const auto& row : json_of(file.path())) {
      check_row(row);
      ++rows;
    }
  }
  EXPECT_GE(rows, 200U);
}

}  // namespace
}  // namespace hone
