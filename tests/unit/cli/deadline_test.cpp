// Times of day in sweep files, in a zone with two changes of its clocks a year.
#include "sdk/cpp/deadline.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"

namespace hone {
namespace {

class ClockTime : public testing::Test {
 protected:
  ClockTime() {
    ::setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    ::tzset();
  }
  ~ClockTime() override {
    ::unsetenv("TZ");
    ::tzset();
  }
  static std::string at(const char* text, const char* now) {
    return clock_time(text, *parse_rfc3339(now)).value_or("none");
  }
};

TEST_F(ClockTime, is_the_next_one) {
  EXPECT_EQ(at("18:00", "2026-11-23T12:00:00Z"), "2026-11-23T17:00:00.000000Z");
  EXPECT_EQ(at("18:00", "2026-11-23T17:00:00Z"), "2026-11-24T17:00:00.000000Z");
  EXPECT_EQ(at("8:30", "2026-11-30T12:00:00Z"), "2026-12-01T07:30:00.000000Z");
  EXPECT_EQ(at("18:00", "2026-10-24T22:30:00Z"), "2026-10-25T17:00:00.000000Z")
      << "the clocks change in that night";
}

TEST_F(ClockTime, with_a_date) {
  EXPECT_EQ(at("2026-07-01 18:00", "2026-11-23T12:00:00Z"), "2026-07-01T16:00:00.000000Z");
  EXPECT_EQ(at("2026-12-24T18:00", "2026-11-23T12:00:00Z"), "2026-12-24T17:00:00.000000Z");
}

TEST_F(ClockTime, leaves_other_texts_alone) {
  for (const char* text : {"", "2h", "18", ":00", "18:", "24:00", "18:60", "018:00", "18:00Z",
                           "2026-11-23T18:00:00Z", "2026-13-01 18:00", "2026-1-01 18:00", "x:yz"})
    EXPECT_EQ(at(text, "2026-11-23T12:00:00Z"), "none") << text;
}

TEST_F(ClockTime, of_a_sweep_file) {
  Json document = Json{{"by", "18:00"}, {"name", "18:00"}};
  settle_deadline(document, *parse_rfc3339("2026-11-23T12:00:00Z"));
  EXPECT_EQ(document["by"], "2026-11-23T17:00:00.000000Z");
  EXPECT_EQ(document["name"], "18:00");
  Json other = Json{{"by", 90}};
  settle_deadline(other, Instant{});
  EXPECT_EQ(other["by"], 90);
}

}  // namespace
}  // namespace hone
