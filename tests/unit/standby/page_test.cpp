// Pages between a primary and a standby: what is written is read, and nothing else is.
#include "server/standby/page.hpp"

#include <gtest/gtest.h>

#include "base/sha256.hpp"
#include "server/standby/limits.hpp"

namespace hone::standby {
namespace {

Page given_page() {
  Page page{"1.2", 3, 9, true, {"f", 12}, true, {}, {}};
  page.rows.push_back(
      {8, {100}, "sweep_submitted", SweepId{7}, "{\"a\": \"x\ny\"}", sha256_hex("1")});
  page.rows.push_back({9, {101}, "server_started", {}, "", ""});
  page.points.push_back({{TrialId{4}, 2}, "a loss", 50, -0.1, {102}});
  return page;
}

TEST(StandbyPage, a_page_is_read_as_it_was_written) {
  const Page page = given_page();
  const auto read = parse_page(text(page), 7);
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(read->version, "1.2");
  EXPECT_EQ(read->term, 3);
  EXPECT_EQ(read->newest, 9);
  EXPECT_TRUE(read->sync);
  EXPECT_TRUE(read->gap);
  EXPECT_EQ(read->feed.life, "f");
  EXPECT_EQ(read->feed.next, 12);
  ASSERT_EQ(read->rows.size(), 2U);
  EXPECT_EQ(read->rows[0].body, page.rows[0].body);
  EXPECT_EQ(read->rows[0].sweep, SweepId{7});
  EXPECT_EQ(read->rows[0].link, page.rows[0].link);
  EXPECT_EQ(read->rows[1].link, "");
  ASSERT_EQ(read->points.size(), 1U);
  EXPECT_EQ(read->points[0].name, "a loss");
  EXPECT_EQ(read->points[0].value, -0.1);
  EXPECT_EQ(read->points[0].run.replicate, 2);
}

TEST(StandbyPage, every_beginning_of_a_page_is_refused) {
  const std::string whole = text(given_page());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_page(whole.substr(0, size), 7)) << size;
  EXPECT_FALSE(parse_page(whole + "x", 7));
}

TEST(StandbyPage, events_must_follow_the_newest_of_the_standby) {
  const std::string whole = text(given_page());
  EXPECT_FALSE(parse_page(whole, 6));
  EXPECT_FALSE(parse_page(whole, 8));
}

TEST(StandbyPage, a_page_beyond_its_bounds_is_refused) {
  Page page = given_page();
  page.rows[0].kind = std::string(limits::kind_bytes_max + 1, 'k');
  EXPECT_FALSE(parse_page(text(page), 7));
  page = given_page();
  page.points[0].name = std::string(limits::name_bytes_max + 1, 'n');
  EXPECT_FALSE(parse_page(text(page), 7));
  page = given_page();
  page.rows.clear();
  page.points.assign(limits::page_points + 1, page.points[0]);
  EXPECT_FALSE(parse_page(text(page), 7));
}

TEST(StandbyPage, fields_that_are_no_values_are_refused) {
  const std::string head = R"({"events": 1, "points": 0})"
                           "\n";
  const std::string link = sha256_hex("1");
  EXPECT_TRUE(parse_page(head + "1 5 k - 2 " + link + "\n{}\n", 0));
  const std::vector<std::string> events = {"1 5 k - 3 " + link + "\n{}\n",
                                           "1 5 k - 1 " + link + "\n{}\n",
                                           "1 5 k x 2 " + link + "\n{}\n",
                                           "1 5 k - 2 " + link + "0\n{}\n",
                                           "1 5 k - 2\n{}\n",
                                           "1 5 k - -2 " + link + "\n{}\n",
                                           "1 5  - 2 " + link + "\n{}\n",
                                           "1 5 k - 18446744073709551615 " + link + "\n{}\n",
                                           "1x 5 k - 2 " + link + "\n{}\n"};
  for (const std::string& event : events) EXPECT_FALSE(parse_page(head + event, 0)) << event;
  const std::string points = R"({"events": 0, "points": 1})"
                             "\n";
  EXPECT_TRUE(parse_page(points + "1 0 5 0.5 7 loss\n", 0));
  for (const char* point :
       {"1 0 5 nan 7 loss\n", "1 0 5 inf 7 loss\n", "1 0 5 0.5 7 \n", "1 0 5 0.5 7\n"})
    EXPECT_FALSE(parse_page(points + point, 0)) << point;
}

// A promotion adds one to the newest term: that of 2^63 - 1 overflowed.
TEST(StandbyPage, a_term_that_no_promotion_can_follow_was_kept) {
  for (const std::int64_t term :
       {std::numeric_limits<std::int64_t>::max(), limits::term_max, std::int64_t{-1}}) {
    Page page = given_page();
    page.term = term;
    EXPECT_FALSE(parse_page(text(page), 7)) << term;
  }
  Pull pull{5, sha256_hex("l"), sha256_hex("d"), "http://b:1", -1, {}, {}};
  EXPECT_FALSE(parse_pull(text(pull)));
}

TEST(StandbyPage, a_request_is_read_as_it_was_written) {
  Pull pull{5, sha256_hex("l"), sha256_hex("d"), "http://b:1", 0, {}, {}};
  pull.term = 2;
  pull.wait = milliseconds(250);
  pull.feed = {"life", 77};
  const auto read = parse_pull(text(pull));
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(text(*read), text(pull));
}

}  // namespace
}  // namespace hone::standby
