#include <gtest/gtest.h>
#include <malloc.h>

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "schemas/codec/wide_integer.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/space.hpp"

namespace hone {
namespace {

std::string fault_of(std::string_view text) {
  const auto parsed = parse_json(text);
  return parsed.ok() ? "" : parsed.error().detail;
}

TEST(ParseJson, keeps_the_order_of_keys) {
  EXPECT_EQ(to_text(parse_json(R"({"z": 1, "a": [1, 2.5, "x", null, true], "m": {}})").value()),
            R"({"z":1,"a":[1,2.5,"x",null,true],"m":{}})");
}

TEST(ParseJson, refuses_what_is_not_json_with_its_position) {
  EXPECT_NE(fault_of(R"({"a": })").find("byte 7"), std::string::npos) << fault_of(R"({"a": })");
  for (const char* text :
       {"", "{", "[1,]", "{'a': 1}", "NaN", "Infinity", "1 2", "// x\n1", "\"\xff\""})
    EXPECT_NE(fault_of(text), "") << text;
}

TEST(ParseJson, refuses_repeated_keys) {
  EXPECT_EQ(fault_of(R"({"a": 1, "b": {"c": 1, "c": 2}})"),
            "the key 'c' appears twice in one object");
  EXPECT_EQ(fault_of(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]})"), "");
}

std::string repeated(std::string_view piece, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += piece;
  return text;
}

// 60 MB of brackets became 1.6 GB of a server's memory.
TEST(ParseJson, refuses_a_document_before_it_takes_more_memory_than_its_bound) {
  constexpr int many = 50'000;
  std::string members;
  for (int i = 0; i < many; ++i) members += "\"" + std::to_string(i) + "\":0,";
  for (const std::string& text :
       {"[" + repeated("[],", many) + "0]", "[" + repeated("{},", many) + "0]",
        "[" + repeated("0,", many) + "0]", "[" + repeated("\"\",", many) + "0]",
        "[" + repeated(R"({"":{"":[0]}},)", many) + "0]", "{" + members + R"("x":0})",
        "[" + repeated("\"" + std::string(100, 'x') + "\",", many) + "0]"}) {
    const auto before = mallinfo2().uordblks;
    const auto parsed = parse_json(text);
    const auto taken = mallinfo2().uordblks - before;
    ASSERT_TRUE(parsed.ok()) << text.substr(0, 20);
    const auto refused = parse_json(text, taken);
    ASSERT_FALSE(refused.ok()) << text.substr(0, 20);
    EXPECT_EQ(refused.error().code, Code::too_large);
    EXPECT_TRUE(parse_json(text, 100 * text.size()).ok()) << text.substr(0, 20);
  }
}

TEST(ParseJson, refuses_numbers_that_do_not_fit) {
  EXPECT_NE(fault_of("1e999"), "");
  EXPECT_EQ(fault_of("1e308"), "");
}

TEST(ParseJson, refuses_nesting_beyond_64) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_EQ(fault_of(nested(64)), "");
  EXPECT_EQ(fault_of(nested(65)), "nested deeper than 64 levels");
  EXPECT_NE(fault_of(std::string(1'000'000, '[')), "");
}

TEST(ToText, replaces_broken_utf8_from_a_log) {
  const Json json{{"log", "\xff ok"}};
  EXPECT_EQ(to_text(json), "{\"log\":\"\xef\xbf\xbd ok\"}");
}

TEST(Rfc3339, writes_microseconds_in_utc) {
  EXPECT_EQ(rfc3339(Instant{}), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(rfc3339(Instant{1'795'255'445'123'456}), "2026-11-21T10:04:05.123456Z");
  EXPECT_EQ(rfc3339(Instant{-1}), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(rfc3339(Instant{951'782'400'000'000}), "2000-02-29T00:00:00.000000Z");
}

TEST(Rfc3339, clamps_years_that_four_digits_cannot_write) {
  EXPECT_EQ(rfc3339(Instant{std::numeric_limits<std::int64_t>::max()}),
            "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(rfc3339(Instant{std::numeric_limits<std::int64_t>::min()}),
            "0000-01-01T00:00:00.000000Z");
}

TEST(Rfc3339, reads_back_every_form) {
  const Instant t{1'795'255'445'123'456};
  EXPECT_EQ(parse_rfc3339("2026-11-21T10:04:05.123456Z"), t);
  EXPECT_EQ(parse_rfc3339("2026-11-21t10:04:05.123456789z"), t);
  EXPECT_EQ(parse_rfc3339("2026-11-21T12:04:05.123456+02:00"), t);
  EXPECT_EQ(parse_rfc3339("2026-11-21T10:04:05Z"), Instant{1'795'255'445'000'000});
  EXPECT_EQ(parse_rfc3339("2026-11-21T10:04:05.5Z"), Instant{1'795'255'445'500'000});
}

TEST(Rfc3339, refuses_what_is_no_time) {
  for (const char* text :
       {"", "2026-11-21", "2026-11-21T10:04:05", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-21T24:00:00Z", "2026-11-21T10:04:05.Z", "2026-11-21T10:04:05Zx",
        "2026-11-21 10:04:05Z", "2026-11-21T10:04:05+25:00", "-026-11-21T10:04:05Z"})
    EXPECT_EQ(parse_rfc3339(text), std::nullopt) << text;
}

TEST(Problem, says_whether_trying_again_can_help) {
  EXPECT_EQ(to_text(encode(refuse(Code::busy, "full", "/x"))),
            R"({"code":"busy","detail":"full","at":"/x","retryable":true})");
}

TEST(Problem, any_body_is_read) {
  const auto error =
      decode_problem(Json{{"code", "stale_lease"}, {"detail", "too late"}, {"at", ""}});
  EXPECT_EQ(error.code, Code::stale_lease);
  EXPECT_EQ(error.detail, "too late");
  for (const char* text : {"null", "[]", "{}", R"({"code":7})", R"({"code":"teapot"})", "\"x\""})
    EXPECT_EQ(decode_problem(parse_json(text).value()).code, Code::internal) << text;
}

TEST(DecodeEvent, refuses_a_newer_or_damaged_ledger) {
  const auto event = [](std::string_view kind, const char* text) {
    return decode_event(kind, parse_json(text).value());
  };
  EXPECT_EQ(event("run_cloned", "{}").error().code, Code::internal);
  EXPECT_EQ(event("run_started", R"({"lease":"le_1","mood":1})").error().at, "/mood");
  EXPECT_EQ(event("run_started", R"({"lease":"wk_1"})").error().at, "/lease");
  EXPECT_EQ(event("run_started", R"({})").error().at, "/lease");
  EXPECT_EQ(event("run_started", "[]").error().at, "");
}

// A rule of the sweep file that becomes stricter must not keep an old ledger from replaying.
TEST(DecodeEvent, checks_the_shape_of_a_spec_but_not_its_rules) {
  SweepSubmitted event;
  event.sweep = SweepId{1};
  event.spec.own().seeds = 5000;
  event.spec.own().parameters = {{"1 odd name", FloatDomain{2, 1, Scale::log, 9.0}, ""}};
  EXPECT_FALSE(decode_request<SweepSpec>(encode(*event.spec)).ok());
  const auto again = decode_event(kind(event), encode(EventBody(event)));
  ASSERT_TRUE(again.ok()) << again.error().detail << again.error().at;
  EXPECT_EQ(std::get<SweepSubmitted>(*again).spec, event.spec);
}

// They became floats without a word.
TEST(ParseJson, finds_whole_numbers_beyond_64_bits) {
  const auto refused = [](const char* text) {
    const auto wide = wide_integer(text);
    return wide ? wide->at + " " + wide->detail.substr(0, wide->detail.find(" does")) : "";
  };
  EXPECT_EQ(refused(R"({"b": {"c": "]"}, "a/\u0041": [1, {}, 18446744073709551616]})"),
            "/a~1A/2 the number 18446744073709551616");
  EXPECT_EQ(refused("[-9223372036854775809]"), "/0 the number -9223372036854775809");
  EXPECT_EQ(refused("9223372036854775808"), " the number 9223372036854775808");
  for (const char* fits : {R"({"18446744073709551616": "\"18446744073709551616"})", "[1e400, 1.0]",
                           "[-9223372036854775808, 9223372036854775807]", "18446744073709551616.0",
                           "\"", "[1,", "", "1e5"})
    EXPECT_FALSE(wide_integer(fits)) << fits;
}

}  // namespace
}  // namespace hone
