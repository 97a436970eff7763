// The reads of a sweep: rows, curves, explanations.
#include "schemas/codec/body.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/past.hpp"
#include "server/api/history/events.hpp"
#include "server/api/progress.hpp"
#include "server/api/workers/worker_contacts.hpp"
#include "tests/unit/api/given.hpp"

namespace hone {
namespace {

std::string why(TestApi& server, const std::string& run) {
  return server.get("/v1/runs/" + run + "/explain")["text"];
}

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const auto& word : words)
    EXPECT_NE(text.find(word), std::string::npos) << word << "\nin: " << text;
}

TEST(ApiRead, PagesThroughSweeps) {
  TestApi server;
  for (int i = 0; i < 5; ++i) server.submit();
  std::vector<std::string> seen;
  std::string target = "/v1/sweeps?limit=2";
  for (int page = 0; page < 3; ++page) {
    const auto body = server.get(target);
    for (const auto& sweep : body["items"]) seen.push_back(sweep["id"]);
    if (body["next"].is_null()) break;
    target = "/v1/sweeps?limit=2&after=" + body["next"].get<std::string>();
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"sw_5", "sw_4", "sw_3", "sw_2", "sw_1"}));
}

TEST(ApiRead, RefusesALimitOutsideItsBounds) {
  TestApi server;
  for (const auto* limit : {"0", "1001", "-1", "ten", "", "1.5", "99999999999999999999"}) {
    const auto response = server.ask("GET", std::string("/v1/sweeps?limit=") + limit);
    EXPECT_EQ(response.status, 400) << limit;
    EXPECT_EQ(Json::parse(response.body)["at"], "/limit");
  }
}

TEST(ApiRead, ShowsTheSpecOfOneSweepAndNotOfMany) {
  TestApi server;
  const auto sweep = server.submit();
  EXPECT_TRUE(server.get("/v1/sweeps/" + sweep).contains("spec"));
  EXPECT_FALSE(server.get("/v1/sweeps")["items"][0].contains("spec"));
}

TEST(ApiRead, ExpectsFewerPhasesUnderAnEarlyStopper) {
  TestApi server;
  const auto plain = server.submit(small_spec("none", 8));
  const auto early = server.submit(small_spec("hypertrick", 8));
  EXPECT_EQ(server.get("/v1/sweeps/" + plain)["phases"]["expected"], 8 * 4);
  EXPECT_LT(server.get("/v1/sweeps/" + early)["phases"]["expected"], 8 * 4);
}

// Each run that waited counted as half a run to come: near the end too much was expected.
TEST(ApiRead, ExpectsThePlanOfARuleThatPausesUntilItIsExceeded) {
  TestApi server;
  Json spec = small_spec("hone", 8);
  spec["terminator"]["version"] = 1;  // the next ones train some trials to their end
  const auto sweep = server.submit(spec);
  const auto phases = [&] { return server.get("/v1/sweeps/" + sweep)["phases"]; };
  const int planned = phases()["expected"];
  EXPECT_GT(planned, 8 * 2);
  EXPECT_LT(planned, 8 * 4);
  const auto worker = server.join();
  for (int trial = 0; trial < 8; ++trial) {
    const auto grant = server.acquire(worker);
    EXPECT_EQ(server.report(grant, grant["next_phase"], -trial)["verdict"], "pause");
    EXPECT_EQ(phases()["expected"], planned) << trial;
  }
}

TEST(ApiRead, ExpectsNoMoreOfASweepThatHasEnded) {
  TestApi server;
  const auto sweep = server.submit();
  server.post("/v1/sweeps/" + sweep + "/steer", {{"verb", "kill"}});
  EXPECT_EQ(server.get("/v1/sweeps/" + sweep)["phases"]["expected"], 0);
}

TEST(ApiRead, RunsSeedIsTheOneItsWorkerGot) {
  TestApi server;
  server.submit();
  const auto grant = server.acquire(server.join());
  EXPECT_EQ(server.get("/v1/runs/" + TestApi::run_of(grant))["seed"], grant["seed"]);
}

TEST(ApiExplain, TellsARunningRunFromItsLatestReport) {
  TestApi server;
  server.submit();
  const auto grant = server.acquire(server.join());
  const auto run = TestApi::run_of(grant);
  expect_words(why(server, run), {"Run rn_1.0 (sweep sw_1, small)", "given to a worker on wk_1"});
  server.report(grant, 0, 12.5);
  expect_words(
      why(server, run),
      {"is running on wk_1", "phase 1 of 4 (step 250) with return = 12.5", "larger is better"});
}

TEST(ApiExplain, TellsWhyARunWasEvictedAndThatItFollows) {
  TestApi server;
  server.submit(small_spec("hypertrick", 8));
  const auto worker = server.join();
  std::string evicted;
  for (int i = 0; i < 8 && evicted.empty(); ++i) {
    const auto grant = server.acquire(worker);
    if (server.report(grant, 0, 8 - i)["verdict"] == "stop") evicted = TestApi::run_of(grant);
  }
  ASSERT_FALSE(evicted.empty());
  const auto body = server.get("/v1/runs/" + evicted + "/explain");
  EXPECT_EQ(body["state"], "stopped");
  expect_words(body["text"], {"stopped early", "phase 1 of 4", "HyperTrick evicted it"});
  EXPECT_EQ(body["verdicts"][0]["recomputed"], "stop");
}

TEST(ApiExplain, TellsDivergenceCompletionAndCancellation) {
  TestApi server;
  const auto sweep = server.submit();
  const auto worker = server.join();
  const auto diverged = server.acquire(worker);
  server.report(diverged, 0, "diverged");
  expect_words(why(server, TestApi::run_of(diverged)),
               {"stopped because it diverged", "no finite number"});
  const auto complete = server.acquire(worker);
  for (int phase = 0; phase < 4; ++phase) server.report(complete, phase, phase == 1 ? 9 : phase);
  server.end(complete, {{"reason", "budget_reached"}, {"exit_code", 0}});
  expect_words(why(server, TestApi::run_of(complete)),
               {"whole budget", "4 reports", "9, in phase 2"});
  const auto open = server.acquire(worker);
  server.post("/v1/sweeps/" + sweep + "/steer", {{"verb", "cancel"}});
  server.end(open, {{"reason", "user_cancel"}, {"exit_code", 143}});
  expect_words(why(server, TestApi::run_of(open)), {"was canceled", "a user canceled the sweep"});
}

// ASHA with rungs after 1 and 2 phases; of every 2 runs at a rung one is promoted.
Json promoting_spec() {
  auto spec = small_spec("asha", 2);
  spec["terminator"]["eta"] = 2;
  return spec;
}

TEST(ApiExplain, TellsAPauseAPromotionAndTheEndOfWhatWasNotPromoted) {
  TestApi server;
  const auto sweep = server.submit(promoting_spec());
  const auto worker = server.join();
  EXPECT_EQ(server.report(server.acquire(worker), 0, 2)["verdict"], "pause");
  expect_words(why(server, "rn_1.0"), {"is paused", "phase 1 of 4", "may still be promoted"});
  EXPECT_EQ(server.get("/v1/sweeps/" + sweep)["runs"]["paused"], 1);
  expect_words(server.ask("GET", "/metrics").body, {"hone_runs{state=\"paused\"} 1"});

  EXPECT_EQ(server.report(server.acquire(worker), 0, 1)["verdict"], "pause");
  const auto grant = server.acquire(worker);  // the better of the two continues
  ASSERT_EQ(TestApi::run_of(grant), "rn_1.0");
  expect_words(why(server, "rn_1.0"), {"has been promoted since"});

  // Nothing can follow: the winner trains to the end, then the sweep is over.
  EXPECT_EQ(server.report(grant, 1, 3)["reason"], "finishes");
  for (const int phase : {2, 3}) server.report(grant, phase, 3);
  EXPECT_EQ(server.get("/v1/sweeps/" + sweep)["state"], "completed");
  const auto body = server.get("/v1/runs/rn_2.0/explain");
  EXPECT_EQ(body["reason"], "not_promoted");
  expect_words(body["text"], {"was paused at the end of phase 1 of 4", "without promoting it"});
  EXPECT_EQ(body["text"].get<std::string>().find("bug"), std::string::npos);
  EXPECT_EQ(body["verdicts"][0]["recomputed"], "pause");
}

// One run of a sweep with many phases, or several.
Json long_spec(int trials) {
  auto spec = small_spec("none", trials);
  spec["budget"]["per_run"] = 10'000;
  spec["budget"]["phases"] = 40;
  return spec;
}

TEST(ApiExplain, TellsWhatARunHasNextToItAndWhyASlotStaysFree) {
  TestApi server;
  const auto worker = server.join();
  Json live = Json::array();
  const auto phase_of = [&](const Json& grant, int phase, int tens_of_seconds) {
    for (int i = 0; i < tens_of_seconds; ++i) {
      server.pass(seconds(10));
      server.post("/v1/workers/" + worker + "/beat", {{"leases", live}});
    }
    server.post("/v1/leases/" + grant["lease"].get<std::string>() + "/reports",
                {{"phase", phase},
                 {"step", 250 * (phase + 1)},
                 {"value", phase},
                 {"phase_seconds", 10 * tens_of_seconds}});
  };
  server.submit(long_spec(1));
  const auto first = server.acquire(worker);
  live.push_back(first["lease"]);
  for (int phase = 0; phase < 4; ++phase) phase_of(first, phase, 1);
  const auto sweep = server.submit(long_spec(3));
  const auto second = server.acquire(worker);
  live.push_back(second["lease"]);
  EXPECT_EQ(why(server, TestApi::run_of(second)).find("It started next to"), std::string::npos);
  phase_of(second, 0, 1);
  for (int phase = 4; phase < 9; ++phase) phase_of(first, phase, 10);
  EXPECT_TRUE(server.acquire(worker).is_null());

  expect_words(why(server, TestApi::run_of(second)),
               {"A slot of wk_1 stays free: with a run of sw_2 its runs should together be",
                "times the speed of one alone", "without it, by 4 measurements of a pair."});
  const auto kept = server.get("/v1/workers/wk_1")["kept_free"];
  EXPECT_EQ(kept["sweep"], sweep);
  EXPECT_EQ(kept["neighbours"]["runs"], 2);
  EXPECT_LT(kept["neighbours"]["with"], kept["neighbours"]["without"]);

  server.submit(long_spec(1));  // a sweep without a run gets its slot nevertheless
  const auto third = server.acquire(worker);
  expect_words(why(server, TestApi::run_of(third)),
               {"It started next to 2 other runs: there its speed should be 0."});
  EXPECT_TRUE(server.get("/v1/workers/wk_1")["kept_free"].is_null());
  const auto attempt = server.get("/v1/runs/" + TestApi::run_of(third) + "/attempts")["items"][0];
  EXPECT_EQ(attempt["neighbours"]["measured"], 4);
}

TEST(ApiExplain, ShowsTheLogOfAFailure) {
  TestApi server;
  server.submit();
  const auto grant = server.acquire(server.join());
  server.end(grant, {{"reason", "exit_code"}, {"exit_code", 3}, {"log_tail", "ValueError: lr"}});
  expect_words(why(server, TestApi::run_of(grant)),
               {"failed after 1 attempt", "exited with status 3", "ValueError: lr"});
}

TEST(ApiExplain, TellsARunThatWaitsAgainWhyItDoes) {
  TestApi server;
  server.submit();
  const auto grant = server.acquire(server.join());
  server.report(grant, 0, 1);
  server.pass(seconds(60));
  expect_words(why(server, TestApi::run_of(grant)),
               {"waits in the queue", "its worker was lost", "phase 1 of 4"});
}

TEST(ApiEvents, AreReadInBatchesWithoutAGap) {
  TestApi server;
  for (int i = 0; i < 300; ++i) server.submit();
  api::Watch watch;
  std::int64_t last = 0;
  for (bool more = true; more;) {
    const auto batch = api::next_events(server.db(), watch);
    ASSERT_TRUE(batch);
    for (std::size_t at = batch->text.find("id: "); at != std::string::npos;
         at = batch->text.find("id: ", at + 1))
      EXPECT_EQ(std::stoll(batch->text.substr(at + 4)), ++last);
    watch = batch->watch;
    more = batch->more;
  }
  EXPECT_EQ(last, watch.after);
  EXPECT_GT(last, 300);
  EXPECT_EQ(api::next_events(server.db(), watch)->text, "");
}

TEST(ApiEvents, OfOneSweepSkipTheOthersForGood) {
  TestApi server;
  const auto first = server.submit();
  for (int i = 0; i < 10; ++i) server.submit();
  const auto batch = api::next_events(server.db(), {0, SweepId{1}});
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

// It looked present for six minutes, as one that waits is recorded every five.
TEST(ApiWorkers, AKilledIdleWorkerIsSilentAfterAMinute) {
  const Instant start{0};
  const auto at = [&](int s) { return start + seconds(s); };
  api::WorkerContacts contacts(start, seconds(15));
  const TokenId own{3}, foreign{4};
  EXPECT_FALSE(contacts.arrived(WorkerId{1}, own, at(1)));
  EXPECT_EQ(contacts.of(WorkerId{1}), std::nullopt) << "no such worker, for all that is known";
  contacts.accepted(WorkerId{1}, own, at(2));
  EXPECT_FALSE(contacts.arrived(WorkerId{1}, foreign, at(3))) << "not proved to be its worker";
  EXPECT_TRUE(contacts.arrived(WorkerId{1}, own, at(20)));
  contacts.accepted(WorkerId{1}, own, at(2));
  EXPECT_EQ(contacts.of(WorkerId{1}), at(20));
  EXPECT_FALSE(contacts.is_silent(at(20), at(79)));
  EXPECT_TRUE(contacts.is_silent(at(20), at(80)));
  EXPECT_FALSE(contacts.is_silent(at(-500), at(59))) << "it may not have found this server yet";
  EXPECT_FALSE(api::WorkerContacts(start, seconds(3600)).is_silent(at(20), at(3600)));
}

TEST(ApiHealth, CountsForPrometheus) {
  TestApi server;
  server.submit();
  server.acquire(server.join());
  const auto text = server.ask("GET", "/metrics").body;
  expect_words(text, {"# TYPE hone_runs gauge", "hone_runs{state=\"leased\"} 1",
                      "hone_sweeps{state=\"running\"} 1", "# TYPE hone_events_total counter",
                      "hone_db_bytes "});
}

// A sweep with reports and metrics, which has ended.
std::string exported_sweep(TestApi& server, int trials) {
  const auto sweep = server.submit(small_spec("none", trials));
  const auto worker = server.join();
  for (int i = 0; i < trials; ++i) {
    const auto grant = server.acquire(worker);
    Json points = Json::array();
    for (int step = 0; step < 40; ++step)
      for (const char* name : {"loss", "a \":[] name"})
        points.push_back({{"name", name}, {"step", step}, {"value", step / 7.0}});
    server.post("/v1/leases/" + grant["lease"].get<std::string>() + "/metrics",
                {{"points", points}});
    for (int phase = 0; phase < 4; ++phase) server.report(grant, phase, i + phase / 3.0);
  }
  return sweep;
}

// The document was written by one description before it was written in pieces.
TEST(ApiRead, ExportsTheDocumentThatTheCodecDescribes) {
  TestApi server;
  const auto sweep = exported_sweep(server, 3);
  const auto text = server.ask("GET", "/v1/sweeps/" + sweep + "/export").body;
  const auto read =
      decode_request<ImportRequest>({{"request_id", "import"}, {"export", Json::parse(text)}});
  ASSERT_TRUE(read) << read.error().detail << read.error().at;
  EXPECT_GT(read->past.events.size(), 3 * 2 * 4U);
  EXPECT_EQ(read->past.metrics.size(), 6U);
  EXPECT_EQ(read->past.metrics.front().points.size(), 40U);
  EXPECT_EQ(to_text(encode(read->past)), text);
}

TEST(ApiRead, ExportsAnImportedSweepAsTheFirstServerDid) {
  TestApi there, here;
  const auto text = there.ask("GET", "/v1/sweeps/" + exported_sweep(there, 3) + "/export").body;
  exported_sweep(here, 2);
  const std::string sweep =
      here.post("/v1/imports", {{"request_id", "import"}, {"export", Json::parse(text)}})["sweep"];
  EXPECT_EQ(here.ask("GET", "/v1/sweeps/" + sweep + "/export").body, text);
  const auto replay = here.get("/v1/sweeps/" + sweep + "/replay");
  EXPECT_TRUE(replay["same"].get<bool>()) << replay;
  EXPECT_EQ(replay["verdicts"], 3 * 4);
}

// A whole export was in memory: 3.6 KB for each event.
TEST(ApiRead, MakesAnExportInPiecesOfABoundedSize) {
  TestApi server;
  const auto target = "/v1/sweeps/" + exported_sweep(server, 150) + "/export";
  auto request = api::parse_target(api::Method::get, target).value();
  const auto match = api::find_route(request.method, request.path);
  request.ids = match.ids;
  const auto pieces = api::open_pieces(*match.route, server.db(), request).value();
  std::string text;
  std::size_t count = 0, largest = 0;
  while (!pieces->ended()) {
    const auto piece = pieces->next(server.db()).value();
    text += piece;
    count += piece.empty() ? 0 : 1;
    largest = std::max(largest, piece.size());
  }
  EXPECT_GT(text.size(), 700'000U);
  EXPECT_LT(largest, 400'000U);
  EXPECT_EQ(text, server.ask("GET", target).body);
}

}  // namespace
}  // namespace hone
