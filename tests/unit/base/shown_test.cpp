#include "base/shown.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone {
namespace {

TEST(Shown, text_of_others_gives_a_terminal_no_commands) {
  EXPECT_EQ(shown_text("a\x1b[2J\x07\r\x7f"), "a^[[2J^G^M^?");
  EXPECT_EQ(shown_text("\u009b31m \u202egpj.exe\u2069"), "<U+009B>31m <U+202E>gpj.exe<U+2069>");
  EXPECT_EQ(shown_text("two\nlines\tgröße 日本"), "two\nlines\tgröße 日本");
  EXPECT_EQ(shown_text(std::string_view("a\0b\xff\xc3", 5)), "a^@b??");
}

TEST(Shown, overlong_forms_of_an_escape_are_shown_as_well) {
  EXPECT_EQ(shown_text("\xc0\x9b[2J"), "??[2J");
  EXPECT_EQ(shown_text("\xe0\x80\x9b[2J"), "^[[2J");
  EXPECT_EQ(shown_text("\xe0\x82\x9b"), "<U+009B>");
}

TEST(Shown, json_stays_the_same_document) {
  const nlohmann::json document{{"a\u009b", "\x1b[2J \u202e \x7f \u2028 größe 日本"},
                                {"b", {1, 2}}};
  for (const int indent : {-1, 2}) {
    const std::string text = shown_json(document.dump(indent));
    EXPECT_EQ(nlohmann::json::parse(text), document);
    EXPECT_EQ(shown_text(text), text);
  }
  EXPECT_EQ(shown_json("{\r\n}"), "{ \n}");
  EXPECT_EQ(shown_json("no \x1b[2J json \u009b"), "no \\u001b[2J json \\u009b");
}

TEST(Shown, a_spreadsheet_runs_no_text_as_a_formula) {
  for (const char* text : {"=1+1|cmd", "@sum", "+a", "-b", "\t=1", "\r=1", "\n=1"}) {
    EXPECT_EQ(spreadsheet_cell(text), std::string("'") + text);
    EXPECT_EQ(without_apostrophe(spreadsheet_cell(text)), text);
  }
  for (const char* text : {"", "a=b", "-1.5", "+3", "-2e-5", "1e999", "'quoted'", "'"}) {
    EXPECT_EQ(spreadsheet_cell(text), text);
    EXPECT_EQ(without_apostrophe(text), text);
  }
}

}  // namespace
}  // namespace hone
