// The text of a column of /columns.
#include "server/api/sweeps/column_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "schemas/codec/body.hpp"

namespace hone::api {
namespace {

std::string finished(ColumnText& column, std::size_t rows) {
  column.finish(rows);
  std::string text;
  column.append_to(text);
  return text;
}

TEST(ColumnText, spells_out_what_was_even_until_a_row_late) {
  ColumnText column;
  Json expected = Json::array();
  for (int i = 0; i < 150; ++i) {
    const int value = i == 149 ? 7 : 10 + 3 * i;
    column.add_integer(value);
    expected.push_back(value);
  }
  EXPECT_EQ(finished(column, 150), to_text(expected));
}

TEST(ColumnText, names_many_even_integers_by_the_first_and_the_distance) {
  ColumnText many, few;
  for (int i = 0; i < 120; ++i) many.add_integer(10 + 3 * i);
  for (int i = 0; i < 3; ++i) few.add_integer(10 + 3 * i);
  EXPECT_EQ(finished(many, 120), R"({"first":10,"by":3})");
  EXPECT_EQ(finished(few, 3), "[10,13,16]");
}

TEST(ColumnText, has_the_codes_of_words_in_full) {
  ColumnText column;
  for (int i = 0; i < 120; ++i) column.add_plain_word("stopped");
  const auto json = Json::parse(finished(column, 120));
  EXPECT_EQ(json["words"], Json({"stopped"}));
  EXPECT_EQ(json["codes"], Json(std::vector<int>(120, 0)));
}

TEST(ColumnText, makes_words_of_its_numbers_when_another_kind_follows) {
  ColumnText column;
  for (const auto* value : {"1", "null", "2.5", "1", R"("adam")", "null", "true"})
    column.add_value(value);
  EXPECT_EQ(finished(column, 9),
            R"({"words":[1,2.5,"adam",true],"codes":[0,null,1,0,2,null,3,null,null]})");
}

TEST(ColumnText, of_many_rows_without_a_value_is_null) {
  ColumnText many, few, late;
  for (int i = 0; i < 120; ++i) many.add_null();
  few.add_null();
  EXPECT_EQ(finished(many, 150), "null");
  EXPECT_EQ(finished(few, 3), "[null,null,null]");
  Json expected = Json::array();
  for (int i = 0; i < 120; ++i) late.add_null(), expected.push_back(nullptr);
  late.add(2.5), expected.push_back(2.5);
  late.add_null(), expected.push_back(nullptr);
  EXPECT_EQ(finished(late, 122), to_text(expected));
}

TEST(ColumnText, has_words_and_integers_behind_nulls) {
  ColumnText words, integers;
  for (const auto* value : {"null", "null", R"("adam")", "3"}) words.add_value(value);
  EXPECT_EQ(finished(words, 4), R"({"words":["adam",3],"codes":[null,null,0,1]})");
  integers.add_null();
  for (int i = 0; i < 120; ++i) integers.add_integer(i);
  EXPECT_EQ(Json::parse(finished(integers, 121))[120], 119);
}

TEST(ColumnText, of_no_rows_is_an_empty_array) {
  ColumnText column;
  EXPECT_EQ(finished(column, 0), "[]");
}

TEST(EachMember, finds_what_a_parser_finds) {
  const std::vector<Json> objects = {
      Json::object(),
      {{"a", 1}},
      {{"a", "x,y:{\"}"}, {"b\"\\,", -1.5e-9}, {"c", {1, {{"d", "]\\"}}, "}"}}, {"e", nullptr}},
      {{"first", ""}, {"second", true}, {"third", Json::array()}, {"fourth", Json::object()}}};
  for (const auto& object : objects) {
    Json found = Json::object();
    each_member(to_text(object), [&](std::string_view name, std::string_view value) {
      found[Json::parse(name).get<std::string>()] = Json::parse(value);
    });
    EXPECT_EQ(found, object);
  }
}

}  // namespace
}  // namespace hone::api
