// Several seeds over the API: tables that say how sure they are, confirmations, curves over seeds.
#include <set>

#include "tests/unit/api/given.hpp"

namespace hone {
namespace {

Json asked_spec(const Json& replicates, int trials = 5) {
  auto spec = small_spec("none", trials);
  spec.erase("command");
  spec.erase("budget");
  spec["trainer"] = {{"name", "ask"}};
  spec["replicates"] = replicates;
  return spec;
}

// A trial is worth its number, give or take what its seed says.
void answer_all(TestApi& server, const std::string& sweep, double spread) {
  while (server.get("/v1/sweeps/" + sweep)["state"] == "running") {
    const Json asked = server.post("/v1/sweeps/" + sweep + "/ask", {{"asker", "ada"}});
    const double luck = static_cast<double>(asked["seed"].get<std::uint64_t>() % 1000) / 500 - 1;
    server.post("/v1/trials/" + asked["trial"].get<std::string>() + "/tell",
                {{"value", asked["number"].get<double>() + spread * luck}});
  }
}

TEST(ApiReplicates, BestSaysHowManySeedsAndHowSure) {
  TestApi server;
  const auto sweep = server.submit(asked_spec({{"seeds", 4}, {"aggregate", "iqm"}}));
  answer_all(server, sweep, 0.3);
  const Json best = server.get("/v1/sweeps/" + sweep + "/best");
  EXPECT_EQ(best["aggregate"], "iqm");
  EXPECT_EQ(best["trials"], 5);
  ASSERT_EQ(best["items"].size(), 5U);
  const Json& first = best["items"][0];
  EXPECT_EQ(first["number"], 4);
  EXPECT_EQ(first["seeds"], 4);
  EXPECT_LE(first["interval"][0].get<double>(), first["value"].get<double>());
  EXPECT_GE(first["interval"][1].get<double>(), first["value"].get<double>());
  EXPECT_EQ(first["ranks"][0], 1);
}

TEST(ApiReplicates, SingleRunsHaveNoInterval) {
  TestApi server;
  const auto sweep = server.submit(asked_spec({{"seeds", 1}}));
  answer_all(server, sweep, 0.3);
  const Json best = server.get("/v1/sweeps/" + sweep + "/best");
  EXPECT_FALSE(best["items"].empty());
  for (const Json& item : best["items"]) {
    EXPECT_EQ(item["seeds"], 1);
    EXPECT_TRUE(item["interval"].is_null() && item["ranks"].is_null());
  }
}

TEST(ApiReplicates, AConfirmationSaysWhatTheTuningHadPromised) {
  TestApi server;
  const auto sweep = server.submit(asked_spec({{"seeds", 2}}));
  answer_all(server, sweep, 0.4);
  EXPECT_EQ(server.ask("GET", "/v1/sweeps/" + sweep + "/confirm").status, 404);
  const std::string path = "/v1/sweeps/" + sweep + "/confirm";
  const std::string made =
      server.post(path, {{"request_id", "k"}, {"top", 2}, {"seeds", 6}})["sweep"];
  EXPECT_EQ(server.post(path, {{"request_id", "k"}, {"top", 2}, {"seeds", 6}})["sweep"], made);
  EXPECT_EQ(server.get("/v1/sweeps/" + made)["confirms"], sweep);
  answer_all(server, made, 0.1);
  const Json report = server.get(path);
  EXPECT_EQ(report["confirmation"], made);
  EXPECT_EQ(report["state"], "completed");
  EXPECT_EQ(report["seed_applied"], "unknown");
  ASSERT_EQ(report["items"].size(), 2U);
  for (const Json& item : report["items"]) {
    EXPECT_EQ(item["seeds"], 6);
    EXPECT_FALSE(item["of"].is_null());
    EXPECT_NEAR(item["optimism"].get<double>(),
                item["tuned_value"].get<double>() - item["iqm"].get<double>(), 1e-12);
  }
  EXPECT_EQ(report["items"][0]["chance_best"], 1);
  EXPECT_EQ(report["items"][1]["improvement"]["probability"], 1);
  EXPECT_EQ(report["profile"][0]["shares"], Json::array({1, 1}));
  EXPECT_EQ(server.get("/v1/sweeps/" + made + "/confirm"), report);
}

TEST(ApiReplicates, RanksAreSharesOfTheSweepThatTheyAreOf) {
  TestApi server;
  const Json games = {{"parameter", "game"}, {"values", {"a", "b"}}, {"normalize", "ranks"}};
  const auto sweep = server.submit(asked_spec({{"instances", games}}));
  const auto answer = [&](const std::string& id) {
    while (server.get("/v1/sweeps/" + id)["state"] == "running") {
      const Json asked = server.post("/v1/sweeps/" + id + "/ask", {{"asker", "ada"}});
      const double scale = asked["params"]["game"] == "a" ? 1000 : 0.001;
      server.post("/v1/trials/" + asked["trial"].get<std::string>() + "/tell",
                  {{"value", scale * asked["number"].get<double>()}});
    }
  };
  answer(sweep);
  const Json best = server.get("/v1/sweeps/" + sweep + "/best");
  EXPECT_EQ(best["items"][0]["number"], 4);
  EXPECT_NEAR(best["items"][0]["value"].get<double>(), 0.9, 1e-12);  // ahead of four of five
  const std::string path = "/v1/sweeps/" + sweep + "/confirm";
  answer(server.post(path, {{"request_id", "k"}, {"top", 2}, {"seeds", 2}})["sweep"]);
  const Json first = server.get(path)["items"][0];
  EXPECT_NEAR(first["iqm"].get<double>(), 0.75, 1e-12);  // of two sets
  EXPECT_FALSE(first.contains("optimism"));              // 0.9 of another field says nothing here
}

TEST(ApiReplicates, CurvesOverSeedsSayN) {
  TestApi server;
  const auto sweep = server.submit(asked_spec({{"seeds", 5}}, 1));
  answer_all(server, sweep, 1);
  const Json curve = server.get("/v1/trials/tr_1/curve");
  ASSERT_EQ(curve["items"].size(), 1U);
  const Json& point = curve["items"][0];
  EXPECT_EQ(point["n"], 5);
  EXPECT_LE(point["low"].get<double>(), point["iqm"].get<double>());
  EXPECT_GE(point["high"].get<double>(), point["iqm"].get<double>());
}

TEST(ApiReplicates, ARunShowsWhetherItsSeedWasApplied) {
  TestApi server;
  server.submit();
  const Json grant = server.acquire(server.join());
  server.post("/v1/leases/" + grant["lease"].get<std::string>() + "/reports",
              {{"phase", 0}, {"step", 250}, {"value", 1}, {"seed_applied", false}});
  EXPECT_EQ(server.get("/v1/runs/" + TestApi::run_of(grant))["seed_applied"], false);
}

}  // namespace
}  // namespace hone
