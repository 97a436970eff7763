#include "sdk/cli/render/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "sdk/cli/render/markup_table.hpp"
#include "sdk/cli/render/tree.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

Screen screen_of(int columns) { return {columns, false, false, true}; }

Table leaderboard() {
  Table table;
  table.columns = {{"rank", Align::right},
                   {"trial"},
                   {"value", Align::right},
                   {"run", Align::left, 0, true},
                   {"parameters", Align::left, 8}};
  table.rows = {{{"1"}, {"tr_42"}, {"471.5"}, {"rn_42.0"}, {"learning_rate=0.001234 t_max=8"}},
                {{"10"}, {"tr_7"}, {"98"}, {"rn_7.0"}, {"learning_rate=0.01 t_max=100"}}};
  return table;
}

int widest_line(const std::string& text) {
  int widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(CliTable, aligns_numbers_right_and_words_left) {
  EXPECT_EQ(render(leaderboard(), screen_of(80)),
            "rank  trial  value  run      parameters\n"
            "   1  tr_42  471.5  rn_42.0  learning_rate=0.001234 t_max=8\n"
            "  10  tr_7      98  rn_7.0   learning_rate=0.01 t_max=100\n");
}

TEST(CliTable, cuts_the_flexible_column_to_fit) {
  EXPECT_EQ(render(leaderboard(), screen_of(45)),
            "rank  trial  value  run      parameters\n"
            "   1  tr_42  471.5  rn_42.0  learning_rate=0…\n"
            "  10  tr_7      98  rn_7.0   learning_rate=0…\n");
}

TEST(CliTable, leaves_out_optional_columns_when_cutting_is_not_enough) {
  const std::string text = render(leaderboard(), screen_of(30));
  EXPECT_EQ(text.find("rn_42.0"), std::string::npos);
  EXPECT_NE(text.find("tr_42"), std::string::npos);
}

TEST(CliTable, fits_every_width_it_can) {
  for (int columns = 29; columns <= 90; ++columns)
    EXPECT_LE(widest_line(render(leaderboard(), screen_of(columns))), columns) << columns;
}

TEST(CliTable, has_no_blanks_at_line_ends) {
  Table table = leaderboard();
  table.rows.push_back({{"11"}, {"tr_8"}, {"-"}, {""}, {""}});
  std::istringstream lines(render(table, screen_of(80)));
  for (std::string line; std::getline(lines, line);) EXPECT_NE(line.back(), ' ') << line;
}

TEST(CliTable, paints_only_on_a_screen_with_colour) {
  Table table;
  table.columns = {{"state"}};
  table.rows = {{{"failed", Ink::bad}}};
  EXPECT_EQ(render(table, screen_of(80)), "state\nfailed\n");
  Screen color = screen_of(80);
  color.color = true;
  EXPECT_EQ(render(table, color),
            paint(color, Ink::bold, "state") + "\n" + paint(color, Ink::bad, "failed") + "\n");
}

TEST(CliTree, draws_branches) {
  const TreeNode root{"md_9",
                      {{"saved by rn_4.0", {{"run of tr_4", {}}}}, {"continued from md_2", {}}}};
  EXPECT_EQ(draw(root, true),
            "md_9\n├─ saved by rn_4.0\n│  └─ run of tr_4\n└─ continued from md_2\n");
  EXPECT_EQ(draw(root, false),
            "md_9\n|- saved by rn_4.0\n|  `- run of tr_4\n`- continued from md_2\n");
}

TEST(CliMarkup, escapes_what_a_document_would_read_as_a_command) {
  const Table table{{{"name"}, {"50 % of x_1", Align::right}},
                    {{{"a|b\n<i>"}, {"$1 & #2"}}, {{"\x1b[31m\\input{x} --all"}, {"~^"}}}};
  EXPECT_EQ(markdown_of(table),
            "| name | 50 % of x_1 |\n|---|---:|\n| a\\|b &lt;i> | $1 & #2 |\n"
            "|  [31m\\input{x} --all | ~^ |\n");
  EXPECT_EQ(latex_of(table),
            "\\begin{tabular}{lr}\n\\hline\nname & 50 \\% of x\\_1 \\\\\n\\hline\n"
            "a|b $<$i$>$ & \\$1 \\& \\#2 \\\\\n"
            " [31m\\textbackslash{}input\\{x\\} -{}-all & "
            "\\textasciitilde{}\\textasciicircum{} \\\\\n"
            "\\hline\n\\end{tabular}\n");
}

}  // namespace
}  // namespace hone::cli
