// JSON as programs print it, made strict: what is there stays, and nothing invalid passes.
#include "schemas/values/json_text.hpp"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(JsonText, that_is_strict_stays_as_it_is) {
  for (const char* text :
       {R"({"a": [1, -2.5e-3, 0, 1E5, true, null, "NaN"], "b\n\u00e4\ud83d\ude00": {}})", "[]", "",
        "{\"\xC3\xA4\": 1}", "loading ...", "{\"a\": nonsense}", "-", "1e400x"})
    EXPECT_EQ(strict_json(text), text);
}

TEST(JsonText, has_numbers_that_json_has_not_as_texts) {
  EXPECT_EQ(strict_json(R"({"a": NaN, "b":-Infinity,"c": Infinity})"),
            R"({"a": "NaN", "b":"-Infinity","c": "Infinity"})");
  EXPECT_EQ(strict_json("[1e400, .5, 5., 007, +1, nan, -inf, 1_000]"),
            R"(["1e400", ".5", "5.", "007", "+1", "nan", "-inf", "1_000"])");
  EXPECT_EQ(strict_json("[1e-400]"), R"(["1e-400"])");
}

TEST(JsonText, has_no_byte_that_json_has_not) {
  EXPECT_EQ(strict_json("{\"a\xFF\xC3\": \"\xED\xA0\x80\"}"), "{\"a??\": \"???\"}");
  EXPECT_EQ(strict_json("\"a\tb\x01\""), "\"a b \"");
  EXPECT_EQ(strict_json(R"("C:\data \ud800 \udc00 \u12 \ud83d\u0041")"),
            R"("C:\\data \ufffd \ufffd \\u12 \ufffd\u0041")");
  EXPECT_EQ(strict_json("\"a\\"), "\"a\\\\");
}

}  // namespace
}  // namespace hone
