// The leaderboard and a confirmation on screens of 80 and 140 columns.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/output.hpp"
#include "tests/unit/cli/given.hpp"

namespace hone::cli {
namespace {

// As GET /v1/sweeps/{sweep}/best and the command return it for people.
std::vector<Json> best_items(bool several) {
  std::vector<Json> items;
  for (int i = 1; i <= 3; ++i) {
    Json item = {{"rank", i},
                 {"id", "tr_" + std::to_string(9 + i)},
                 {"value", 500.0 - i},
                 {"confirmed", nullptr},
                 {"seeds", nullptr},
                 {"best_report", 500.0},
                 {"run", "rn_9.0"},
                 {"state", "completed"},
                 {"best_phase", 9},
                 {"model", "md_12"},
                 {"params", {{"learning_rate", 0.0015 * i}, {"gamma", 0.99}, {"t_max", 8 * i}}}};
    item["shown"] = {{"interval", ""}, {"ranks", ""}};
    if (several) {
      item["seeds"] = 3;
      item["expected"] = 490.5;
      item["shown"] = {{"interval", "437.1 .. 512.4"}, {"ranks", "1 .. 3"}};
    }
    items.push_back(std::move(item));
  }
  return items;
}

Fields shown(Fields fields) {
  std::erase_if(fields, [](const Field& field) { return field.where == Where::data_only; });
  return fields;
}

// At 80 columns, empty columns cost 24 characters and the parameters were cut to "learnin…".
TEST(LeaderboardScreen, shows_the_parameters_at_eighty_columns) {
  for (const bool several : {false, true})
    for (const int columns : {80, 140}) {
      const auto table =
          table_text(shown(best_columns()), best_items(several), {columns, false, false, true});
      const auto lines = lines_of(table);
      ASSERT_EQ(lines.size(), 4U) << table;
      for (const std::string& line : lines) EXPECT_LE(display_width(line), columns) << table;
      for (const char* words : {"learning_rate", "0.0045", "gamma", "0.99", "t_max"})
        EXPECT_NE(table.find(words), std::string::npos) << words << " in\n" << table;
      EXPECT_EQ(table.find("95 % interval") != std::string::npos, several) << table;
      EXPECT_EQ(table.find("ranks") != std::string::npos, several && columns == 140) << table;
    }
}

TEST(LeaderboardScreen, of_single_seeds_has_no_empty_columns) {
  const auto lines =
      lines_of(table_text(shown(best_columns()), best_items(false), {80, false, false, true}));
  EXPECT_EQ(lines.at(0).substr(0, 17), "rank  trial  valu");
  EXPECT_EQ(lines.at(0).find("  n  "), std::string::npos) << lines.at(0);
}

// Every row of a confirmation wrapped on a screen of 80 columns.
TEST(ConfirmationScreen, wraps_no_row) {
  std::vector<Json> items;
  for (int i = 1; i <= 3; ++i)
    items.push_back(
        {{"rank", i},
         {"of", "tr_26"},
         {"iqm", 500.0},
         {"seeds", 6},
         {"mean", 466.1},
         {"min", 296.6},
         {"failed", 0},
         {"tuned_value", 440.5},
         {"tuned_expected", 426.3},
         {"tuned_rank", 3},
         {"optimism", -59.45},
         {"model", "md_9"},
         {"shown",
          {{"interval", "370.3 .. 500"}, {"near", "83 %"}, {"chance", "61 %"}, {"beaten", "50 %"}}},
         {"params", {{"learning_rate", 0.0062}, {"t_max", 2}}}});
  for (const int columns : {80, 140}) {
    const auto table =
        table_text(shown(confirmation_columns()), items, {columns, false, false, true});
    for (const std::string& line : lines_of(table))
      EXPECT_LE(display_width(line), columns) << table;
    for (const char* words : {"learning_rate", "0.0062", "296.6", "466.1"})
      EXPECT_NE(table.find(words), std::string::npos) << words << " in\n" << table;
  }
}

}  // namespace
}  // namespace hone::cli
