// The slots of a worker as lanes.
#include "server/api/workers/spans.hpp"

#include "tests/unit/api/given.hpp"

namespace hone::api {
namespace {

Instant at(int s) { return Instant{} + seconds(s); }
using Taken = std::vector<int>;

TEST(Lanes, an_attempt_takes_the_lowest_that_are_free) {
  Lanes lanes(3);
  EXPECT_EQ(lanes.take(at(0), at(10), 1), Taken{0});
  EXPECT_EQ(lanes.take(at(0), at(20), 1), Taken{1});
  EXPECT_EQ(lanes.take(at(10), at(30), 2), (Taken{0, 2}));
  EXPECT_EQ(lanes.take(at(20), at(30), 1), Taken{1}) << "from the very instant";
}

TEST(Lanes, more_than_the_slots_are_seen_and_not_hidden) {
  Lanes lanes(1);
  EXPECT_EQ(lanes.take(at(0), at(10), 1), Taken{0});
  EXPECT_EQ(lanes.take(at(5), at(10), 1), Taken{1});
}

TEST(SlotTime, is_idle_where_no_attempt_held_it) {
  EXPECT_EQ(slot_time(0, 0).idle, std::nullopt) << "nothing was offered";
  EXPECT_DOUBLE_EQ(slot_time(40, 10).idle.value(), 0.75);
  EXPECT_DOUBLE_EQ(slot_time(40, 50).idle.value(), 0) << "a lost worker's leases lasted longer";
}

TEST(ApiHistory, of_a_worker_names_who_holds_its_slots_and_why_others_wait) {
  TestApi server;
  server.submit();
  const std::string worker = server.join();
  server.acquire(worker);
  const auto history = server.get("/v1/workers/" + worker + "/history");
  EXPECT_EQ(history["worker"], worker);
  EXPECT_EQ(history["machine"], nullptr);
  ASSERT_EQ(history["items"].size(), 1);
  EXPECT_EQ(history["items"][0]["lanes"], Json(Taken{0}));
  EXPECT_EQ(history["items"][0]["to"], nullptr);
  ASSERT_EQ(history["held"].size(), 1);
  EXPECT_EQ(history["held"][0]["sweep"], "sw_1");
  ASSERT_EQ(history["waiting"].size(), 1);
  EXPECT_FALSE(history["waiting"][0]["why"].get<std::string>().empty());
  EXPECT_EQ(server.ask("GET", "/v1/workers/wk_99/history").status, 404);
  EXPECT_EQ(server.ask("GET", "/v1/workers/" + worker + "/history?from=9&to=3").status, 400);
}

}  // namespace
}  // namespace hone::api
