// Lists that a server does not end.
#include "sdk/cli/session/pages.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace hone::cli {
namespace {

Json page_to(const Json& next, std::size_t bytes = 0) {
  return {{"items", {std::string(bytes, 'x')}}, {"next", next}};
}

TEST(Pages, follow_the_cursor_to_the_end_of_a_list) {
  Pages pages("0");
  EXPECT_EQ(pages.cursor(), "0");
  EXPECT_EQ(pages.follow(page_to("7")).value(), true);
  EXPECT_EQ(pages.cursor(), "7");
  EXPECT_EQ(pages.follow(page_to(nullptr)).value(), false);
}

TEST(Pages, that_continue_where_they_were_are_refused) {
  Pages pages;
  ASSERT_TRUE(pages.follow(page_to("7")));
  const auto again = pages.follow(page_to("7"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::internal);
}

TEST(Pages, of_nothing_that_go_round_were_read_for_ever) {
  Pages pages;
  int count = 0;
  while (pages.follow(page_to(count % 2 == 0 ? "a" : "b"))) ++count;
  EXPECT_EQ(count, 65'536);
}

TEST(Pages, of_much_text_fill_no_memory) {
  Pages pages;
  int count = 0;
  Error why;
  for (bool more = true; more; ++count) {
    const auto followed = pages.follow(page_to(std::to_string(count), std::size_t{60} << 20U));
    more = followed.ok();
    if (!more) why = followed.error();
  }
  EXPECT_EQ(count, 5) << "four pages of 60 MiB and what did not fit";
  EXPECT_EQ(why.code, Code::too_large);
}

}  // namespace
}  // namespace hone::cli
