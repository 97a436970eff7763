// The elements of an array in a text that arrives in pieces.
#include "schemas/codec/array_items.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"

namespace hone {
namespace {

std::vector<std::string> items(const std::string& text, std::size_t piece) {
  ArrayItems array({"past"});
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size(); at += piece)
    array.add(std::string_view(text).substr(at, piece),
              [&](const std::string& item) { found.push_back(item); });
  return found;
}

TEST(ArrayItems, are_found_however_the_text_is_cut) {
  const std::string text =
      R"({"sweep":"past","note":"\"past\":[{}]","past":[{"a":1},{"b":[{"c":"]}\\"}]},)"
      R"({"d":"x,\"]"}],"more":{"past":[{"no":1}]},"last":[{"no":2}]})";
  const std::vector<std::string> expected{R"({"a":1})", R"({"b":[{"c":"]}\\"}]})",
                                          R"({"d":"x,\"]"})"};
  for (std::size_t piece = 1; piece <= text.size(); ++piece)
    EXPECT_EQ(items(text, piece), expected) << piece;
}

TEST(ArrayItems, are_found_between_blanks) {
  const std::string text = "{ \"past\" : [ {\"a\": 1} ,\n\t{} ] }";
  EXPECT_EQ(items(text, 3), (std::vector<std::string>{"{\"a\": 1}", "{}"}));
}

TEST(ArrayItems, of_an_empty_or_absent_array_are_none) {
  EXPECT_TRUE(items(R"({"past":[]})", 100).empty());
  EXPECT_TRUE(items(R"({"pas":[{}],"pastt":[{}],"x":{"past":[{}]},"y":"past"})", 100).empty());
}

std::string rest(const std::string& text) {
  ArrayItems array({"export", "events"});
  array.add(text, [](const std::string&) {});
  return array.rest();
}

TEST(ArrayItems, of_a_nested_array_leave_the_rest_of_the_document) {
  EXPECT_EQ(
      rest(R"({"events":[{"a":1}],"export":{"x":{"events":[{}]},"events":[{"b":[]},{}],"y":1}})"),
      R"({"events":[{"a":1}],"export":{"x":{"events":[{}]},"events":[{},{}],"y":1}})");
}

// A fault between two elements must not be lost with them.
TEST(ArrayItems, leave_the_faults_of_a_malformed_document_in_the_rest) {
  for (const char* const array : {"[{}{}]", "[{},,{}]", "[,{}]", "[{},]", "[{} {}]", "[{}", "[{}]]",
                                  "[{}x]", "[1{}]", "[{}.5]", "[-{}]", "[\"a\"{}]", "[{}:{}]"}) {
    const std::string text = std::string(R"({"export":{"events":)") + array + "}}";
    EXPECT_FALSE(parse_json(rest(text))) << rest(text);
  }
  EXPECT_EQ(rest(R"({"export":{"events":[1,"a",{},[{}]]}})"),
            R"({"export":{"events":[1,"a",{},[{}]]}})");
}

TEST(ArrayItems, are_found_in_no_document_of_another_form) {
  for (const char* const text : {"[]", "]]]]", "}{", "[\"export\",{\"events\":[{}]}", "1", "\"\\"})
    EXPECT_FALSE(rest(text).empty());
}

}  // namespace
}  // namespace hone
