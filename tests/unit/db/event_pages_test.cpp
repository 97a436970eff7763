// Pages of the ledger, over a small history.
#include "tests/unit/db/queries_given.hpp"

namespace hone {
namespace {

constexpr EventBytes unbounded{1'000'000'000, 1'000'000'000};

TEST_F(Queries, PagesOfEventsEndWithTheirBytes) {
  const auto all = list_events(*db, 0, std::nullopt, 1000, unbounded);
  std::size_t first = 0, read = 0;
  for (std::int64_t after = 0; after < fed.seq; ++read) {
    const auto page = list_events(*db, after, std::nullopt, 1000, {1, 1'000'000});
    ASSERT_EQ(page->items.size(), 1U) << "an event that is larger than a page is alone on it";
    EXPECT_EQ(page->items[0].body, all->items[first++].body);
    after = page->items[0].seq;
    EXPECT_EQ(page->next.has_value(), after < fed.seq);
  }
  EXPECT_EQ(read, all->items.size());
  const auto brief = list_events(*db, 0, std::nullopt, 1000, {1'000'000, 40});
  for (std::size_t i = 0; i < brief->items.size(); ++i) {
    const auto& whole = all->items[i].body;
    EXPECT_EQ(
        brief->items[i].body,
        whole.size() <= 40 ? whole : "{\"omitted_bytes\": " + std::to_string(whole.size()) + "}");
  }
}

TEST_F(Queries, EventsFollowASeqAndMayBeOfOneSweep) {
  const auto all = list_events(*db, 0, std::nullopt, 1000, unbounded);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(static_cast<std::int64_t>(all->items.size()), fed.seq);
  EXPECT_EQ(last_seq(*db), fed.seq);
  EXPECT_EQ(all->items[0].kind, "server_started");
  EXPECT_FALSE(all->items[0].sweep.has_value());
  EXPECT_FALSE(all->next.has_value());
  const auto page = list_events(*db, 3, SweepId{1}, 2, unbounded);
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_GT(page->items[0].seq, 3);
  EXPECT_EQ(page->next, std::to_string(page->items[1].seq));
  const auto of_sweep = list_events(*db, 0, SweepId{1}, 1000, unbounded);
  for (const auto& event : of_sweep->items) EXPECT_EQ(event.sweep, SweepId{1});
  expect_not_found(list_events(*db, 0, SweepId{9}, 10, unbounded));
}

}  // namespace
}  // namespace hone
