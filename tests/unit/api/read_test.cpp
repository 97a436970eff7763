// What can be asked about a sweep, and how it is told.
#include "server/api/events.hpp"
#include "server/api/progress.hpp"
#include "tests/unit/api/given.hpp"

namespace hone {
namespace {

std::string why(ApiHouse& house, const std::string& run) {
  return house.get("/v1/runs/" + run + "/explain")["text"];
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const auto& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << "\nin: " << text;
}

TEST(ApiRead, PagesThroughSweeps) {
  ApiHouse house;
  for (int i = 0; i < 5; ++i) house.submit();
  std::vector<std::string> seen;
  std::string target = "/v1/sweeps?limit=2";
  for (int page = 0; page < 3; ++page) {
    const auto body = house.get(target);
    for (const auto& sweep : body["items"]) seen.push_back(sweep["id"]);
    if (body["next"].is_null()) break;
    target = "/v1/sweeps?limit=2&after=" + body["next"].get<std::string>();
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"sw_5", "sw_4", "sw_3", "sw_2", "sw_1"}));
}

TEST(ApiRead, RefusesALimitOutsideItsBounds) {
  ApiHouse house;
  for (const auto* limit : {"0", "1001", "-1", "ten", "", "1.5", "99999999999999999999"}) {
    const auto response = house.ask("GET", std::string("/v1/sweeps?limit=") + limit);
    EXPECT_EQ(response.status, 400) << limit;
    EXPECT_EQ(Json::parse(response.body)["at"], "/limit");
  }
}

TEST(ApiRead, ShowsTheSpecOfOneSweepAndNotOfMany) {
  ApiHouse house;
  const auto sweep = house.submit();
  EXPECT_TRUE(house.get("/v1/sweeps/" + sweep).contains("spec"));
  EXPECT_FALSE(house.get("/v1/sweeps")["items"][0].contains("spec"));
}

TEST(ApiRead, ExpectsFewerPhasesUnderAnEarlyStopper) {
  ApiHouse house;
  const auto plain = house.submit(small_spec("none", 8));
  const auto early = house.submit(small_spec("hypertrick", 8));
  EXPECT_EQ(house.get("/v1/sweeps/" + plain)["phases"]["expected"], 8 * 4);
  EXPECT_LT(house.get("/v1/sweeps/" + early)["phases"]["expected"], 8 * 4);
}

TEST(ApiRead, ExpectsNoMoreOfASweepThatHasEnded) {
  ApiHouse house;
  const auto sweep = house.submit();
  house.post("/v1/sweeps/" + sweep + "/steer", {{"verb", "kill"}});
  EXPECT_EQ(house.get("/v1/sweeps/" + sweep)["phases"]["expected"], 0);
}

TEST(ApiRead, RunsSeedIsTheOneItsWorkerGot) {
  ApiHouse house;
  house.submit();
  const auto grant = house.acquire(house.join());
  EXPECT_EQ(house.get("/v1/runs/" + ApiHouse::run_of(grant))["seed"], grant["seed"]);
}

TEST(ApiExplain, TellsARunningRunFromItsLatestReport) {
  ApiHouse house;
  house.submit();
  const auto grant = house.acquire(house.join());
  const auto run = ApiHouse::run_of(grant);
  expect_words(why(house, run), {"Run rn_1.0 (sweep sw_1, small)", "given to a worker on wk_1"});
  house.report(grant, 0, 12.5);
  expect_words(why(house, run), {"is running on wk_1", "phase 1 of 4 (step 250) with return = 12.5",
                                 "larger is better"});
}

TEST(ApiExplain, TellsWhyARunWasEvictedAndThatItFollows) {
  ApiHouse house;
  house.submit(small_spec("hypertrick", 8));
  const auto worker = house.join();
  std::string evicted;
  for (int i = 0; i < 8 && evicted.empty(); ++i) {
    const auto grant = house.acquire(worker);
    if (house.report(grant, 0, 8 - i)["verdict"] == "stop") evicted = ApiHouse::run_of(grant);
  }
  ASSERT_FALSE(evicted.empty());
  const auto body = house.get("/v1/runs/" + evicted + "/explain");
  EXPECT_EQ(body["state"], "stopped");
  expect_words(body["text"], {"stopped early", "phase 1 of 4", "HyperTrick evicted it"});
  EXPECT_EQ(body["verdicts"][0]["recomputed"], "stop");
}

TEST(ApiExplain, TellsDivergenceCompletionAndCancellation) {
  ApiHouse house;
  const auto sweep = house.submit();
  const auto worker = house.join();
  const auto diverged = house.acquire(worker);
  house.report(diverged, 0, "diverged");
  expect_words(why(house, ApiHouse::run_of(diverged)),
               {"stopped because it diverged", "no finite number"});
  const auto complete = house.acquire(worker);
  for (int phase = 0; phase < 4; ++phase) house.report(complete, phase, phase == 1 ? 9 : phase);
  house.end(complete, {{"reason", "budget_reached"}, {"exit_code", 0}});
  expect_words(why(house, ApiHouse::run_of(complete)),
               {"whole budget", "4 reports", "9, in phase 2"});
  const auto open = house.acquire(worker);
  house.post("/v1/sweeps/" + sweep + "/steer", {{"verb", "cancel"}});
  house.end(open, {{"reason", "user_cancel"}, {"exit_code", 143}});
  expect_words(why(house, ApiHouse::run_of(open)), {"was canceled", "a user canceled the sweep"});
}

// ASHA with rungs after 1 and 2 phases; of every 2 runs at a rung one is promoted.
Json promoting_spec() {
  auto spec = small_spec("asha", 2);
  spec["terminator"]["eta"] = 2;
  return spec;
}

TEST(ApiExplain, TellsAPauseAPromotionAndTheEndOfWhatWasNotPromoted) {
  ApiHouse house;
  const auto sweep = house.submit(promoting_spec());
  const auto worker = house.join();
  EXPECT_EQ(house.report(house.acquire(worker), 0, 2)["verdict"], "pause");
  expect_words(why(house, "rn_1.0"), {"is paused", "phase 1 of 4", "may still be promoted"});
  EXPECT_EQ(house.get("/v1/sweeps/" + sweep)["runs"]["paused"], 1);
  expect_words(house.ask("GET", "/metrics").body, {"hone_runs{state=\"paused\"} 1"});

  EXPECT_EQ(house.report(house.acquire(worker), 0, 1)["verdict"], "pause");
  const auto grant = house.acquire(worker);  // the better of the two goes on
  ASSERT_EQ(ApiHouse::run_of(grant), "rn_1.0");
  expect_words(why(house, "rn_1.0"), {"has been promoted since"});

  house.report(grant, 1, 3);  // nothing can follow: the sweep is over
  EXPECT_EQ(house.get("/v1/sweeps/" + sweep)["state"], "completed");
  const auto body = house.get("/v1/runs/rn_2.0/explain");
  EXPECT_EQ(body["reason"], "not_promoted");
  expect_words(body["text"], {"was paused at the end of phase 1 of 4", "not promoted"});
  EXPECT_EQ(body["text"].get<std::string>().find("bug"), std::string::npos);
  EXPECT_EQ(body["verdicts"][0]["recomputed"], "pause");
}

TEST(ApiExplain, ShowsTheLogOfAFailure) {
  ApiHouse house;
  house.submit();
  const auto grant = house.acquire(house.join());
  house.end(grant, {{"reason", "exit_code"}, {"exit_code", 3}, {"log_tail", "ValueError: lr"}});
  expect_words(why(house, ApiHouse::run_of(grant)),
               {"failed after 1 attempt", "exited with status 3", "ValueError: lr"});
}

TEST(ApiExplain, TellsARunThatWaitsAgainWhyItDoes) {
  ApiHouse house;
  house.submit();
  const auto grant = house.acquire(house.join());
  house.report(grant, 0, 1);
  house.pass(seconds(60));
  expect_words(why(house, ApiHouse::run_of(grant)),
               {"waits in the queue", "its worker was lost", "phase 1 of 4"});
}

TEST(ApiEvents, AreReadInBatchesWithoutAGap) {
  ApiHouse house;
  for (int i = 0; i < 300; ++i) house.submit();
  api::Watch watch;
  std::int64_t last = 0;
  for (bool more = true; more;) {
    const auto batch = api::next_events(house.db(), watch);
    ASSERT_TRUE(batch);
    for (std::size_t at = batch->text.find("id: "); at != std::string::npos;
         at = batch->text.find("id: ", at + 1))
      EXPECT_EQ(std::stoll(batch->text.substr(at + 4)), ++last);
    watch = batch->watch;
    more = batch->more;
  }
  EXPECT_EQ(last, watch.after);
  EXPECT_GT(last, 300);
  EXPECT_EQ(api::next_events(house.db(), watch)->text, "");
}

TEST(ApiEvents, OfOneSweepSkipTheOthersForGood) {
  ApiHouse house;
  const auto first = house.submit();
  for (int i = 0; i < 10; ++i) house.submit();
  const auto batch = api::next_events(house.db(), {0, SweepId{1}});
  ASSERT_TRUE(batch);
  EXPECT_NE(batch->text.find("sw_1\""), std::string::npos);
  EXPECT_EQ(batch->text.find("sw_2\""), std::string::npos);
  EXPECT_GE(batch->watch.after, 11);  // not read again
}

TEST(ApiEvents, ContinueAfterWhatTheClientSawLast) {
  api::Request request;
  request.query = {{"after", "3"}};
  EXPECT_EQ(api::parse_watch(request)->after, 3);
  request.last_event_id = "17";
  EXPECT_EQ(api::parse_watch(request)->after, 17);
  request.last_event_id = "nonsense";
  EXPECT_EQ(api::parse_watch(request)->after, 3);
}

TEST(ApiHealth, CountsForPrometheus) {
  ApiHouse house;
  house.submit();
  house.acquire(house.join());
  const auto text = house.ask("GET", "/metrics").body;
  expect_words(text, {"# TYPE hone_runs gauge", "hone_runs{state=\"leased\"} 1",
                      "hone_sweeps{state=\"running\"} 1", "# TYPE hone_events_total counter",
                      "hone_db_bytes "});
}

}  // namespace
}  // namespace hone
