// The best value by cost: the pure rule, and GET /best?by=cost.
#include "server/api/sweeps/front.hpp"

#include "tests/unit/api/given.hpp"

namespace hone {
namespace {

using api::PricedTrial;

std::vector<std::int64_t> front_of(std::vector<PricedTrial> trials,
                                   std::optional<double> within = {}) {
  std::vector<std::int64_t> ids;
  for (const PricedTrial& one : api::front_by_cost(std::move(trials), within))
    ids.push_back(one.id.value);
  return ids;
}

using Ids = std::vector<std::int64_t>;

TEST(FrontByCost, HoldsWhatIsBetterThanAllThatTookNoLonger) {
  const std::vector<PricedTrial> trials{{{1}, 30, 5}, {{2}, 10, 1}, {{3}, 20, 3},
                                        {{4}, 25, 2}, {{5}, 40, 5}, {{6}, 20, 2}};
  EXPECT_EQ(front_of(trials), (Ids{2, 3, 1}));
  EXPECT_EQ(front_of(trials, 29), (Ids{2, 3}));
  EXPECT_EQ(front_of(trials, 20), (Ids{2, 3}));
  EXPECT_EQ(front_of(trials, 9), Ids{});
  EXPECT_EQ(front_of({}), Ids{});
}

TEST(FrontByCost, NamesTheFirstOfEquals) {
  EXPECT_EQ(front_of({{{1}, 10, 1}, {{2}, 10, 1}, {{3}, 0, -4}}), (Ids{3, 1}));
}

Json asked_spec(const std::string& goal, int trials, int seeds = 1) {
  auto spec = small_spec("none", trials);
  spec.erase("command");
  spec.erase("budget");
  spec["objective"]["goal"] = goal;
  spec["trainer"] = {{"name", "ask"}};
  spec["replicates"] = {{"seeds", seeds}};
  return spec;
}

void evaluate(TestApi& server, const std::string& sweep, const Json& result) {
  const auto asked = server.post("/v1/sweeps/" + sweep + "/ask", {{"asker", "ada"}});
  server.post("/v1/trials/" + asked["trial"].get<std::string>() + "/tell", result);
}

Ids ids_of(const Json& reply) {
  Ids ids;
  for (const auto& item : reply["items"])
    ids.push_back(std::stoll(item["id"].get<std::string>().substr(3)));
  return ids;
}

TEST(ApiFront, ListsTheBestValueByCost) {
  TestApi server;
  const auto sweep = server.submit(asked_spec("minimize", 7));
  for (const auto* result :
       {R"({"value": 1, "phase_seconds": 30})", R"({"value": 4, "phase_seconds": 10})",
        R"({"value": 2.5, "phase_seconds": 20})", R"({"value": 3, "phase_seconds": 25})",
        R"({"value": 0.5})", R"({"value": "diverged", "phase_seconds": 1})",
        R"({"told": "failed"})"})
    evaluate(server, sweep, Json::parse(result));
  const std::string path = "/v1/sweeps/" + sweep + "/best?by=cost";
  const auto reply = server.get(path);
  EXPECT_EQ(ids_of(reply), (Ids{2, 3, 1}));
  EXPECT_EQ(reply["cost"], Json::parse(R"({"trials": 4, "without": 1})"));
  EXPECT_EQ(reply["items"][2]["seconds"], 30);
  EXPECT_EQ(reply["items"][2]["value"], 1);
  EXPECT_EQ(reply["items"][2]["rank"], 1);
  EXPECT_EQ(ids_of(server.get(path + "&within=29")), (Ids{2, 3}));
  EXPECT_EQ(ids_of(server.get(path + "&within=29&limit=1")), (Ids{3}));
  EXPECT_EQ(ids_of(server.get(path + "&within=9")), Ids{});
  EXPECT_EQ(server.get("/v1/trials/tr_5")["seconds"], nullptr);
  EXPECT_EQ(server.get("/v1/runs/rn_1.0")["seconds"], 30);
  EXPECT_EQ(
      server.get("/v1/sweeps/" + sweep + "/trials?where=seconds%20%3C%3D%2020")["items"].size(),
      3U);
  EXPECT_FALSE(server.get("/v1/sweeps/" + sweep + "/best").contains("cost"));
}

TEST(ApiFront, TakesTheMeanOverTheSeedsOfATrialWithItsInterval) {
  TestApi server;
  const auto sweep = server.submit(asked_spec("maximize", 2, 2));
  for (const auto* result :
       {R"({"value": 4, "phase_seconds": 10})", R"({"value": 6, "phase_seconds": 30})",
        R"({"value": 9, "phase_seconds": 80})", R"({"value": 11, "phase_seconds": 100})"})
    evaluate(server, sweep, Json::parse(result));
  const auto items = server.get("/v1/sweeps/" + sweep + "/best?by=cost")["items"];
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0]["seconds"], 20);
  EXPECT_EQ(items[0]["value"], 5);
  EXPECT_TRUE(items[0]["interval"].is_array()) << items[0];
  EXPECT_EQ(items[1]["seconds"], 90);
  EXPECT_TRUE(items[1]["ranks"].is_null());
}

TEST(ApiFront, CountsAPhaseWithoutAMeasurementAsTheMeanOfTheOthers) {
  TestApi server;
  server.submit(small_spec("none", 1));
  const auto grant = server.acquire(server.join());
  const auto path = "/v1/leases/" + grant["lease"].get<std::string>() + "/reports";
  server.post(path, {{"phase", 0}, {"step", 250}, {"value", 1}, {"phase_seconds", 10}});
  server.post(path, {{"phase", 1}, {"step", 500}, {"value", 2}});
  server.post(path, {{"phase", 2}, {"step", 750}, {"value", 3}, {"phase_seconds", 20}});
  const auto reply = server.get("/v1/sweeps/sw_1/best?by=cost");
  ASSERT_EQ(reply["items"].size(), 1U);
  EXPECT_EQ(reply["items"][0]["seconds"], 45);
}

TEST(ApiCost, RecordsAndExplainsHowAProposalWeighedIt) {
  TestApi server;
  auto spec = asked_spec("minimize", 8);
  spec["search"] = {{"method", "tpe"}, {"trials", 8}, {"startup", 4}, {"cost", "seconds"}};
  const auto sweep = server.submit(spec);
  for (int i = 0; i < 8; ++i)
    evaluate(server, sweep, {{"value", i % 3}, {"phase_seconds", 10 * (i + 1)}});
  const auto first = server.get("/v1/trials/tr_4"), later = server.get("/v1/trials/tr_6");
  EXPECT_TRUE(first["expected_seconds"].is_null() && first["cost_weight"].is_null()) << first;
  EXPECT_GT(later["expected_seconds"].get<double>(), 5);
  EXPECT_LE(later["cost_weight"].get<double>(), 1);
  const std::string text = server.get("/v1/trials/tr_6/explain")["text"];
  EXPECT_NE(text.find("Its search expected"), std::string::npos) << text;
  const std::string without = server.get("/v1/trials/tr_4/explain")["text"];
  EXPECT_EQ(without.find("Its search expected"), std::string::npos) << without;
  const auto replayed = server.get("/v1/sweeps/" + sweep + "/replay");
  EXPECT_EQ(replayed["differences"], Json::array()) << replayed;
}

TEST(ApiCost, IsRefusedOfMethodsThatDoNotWeighIt) {
  TestApi server;
  auto spec = asked_spec("minimize", 8);
  spec["search"] = {{"method", "sobol"}, {"trials", 8}, {"cost", "seconds"}};
  const auto refused =
      server.ask("POST", "/v1/sweeps", Json({{"request_id", "r"}, {"spec", spec}}).dump());
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(Json::parse(refused.body)["at"], "/spec/search/cost") << refused.body;
}

TEST(ApiFront, RefusesWhatItCannotMean) {
  TestApi server;
  const auto path = "/v1/sweeps/" + server.submit() + "/best?";
  const auto at = [&](const std::string& query) {
    const auto response = server.ask("GET", path + query);
    EXPECT_EQ(response.status, 400) << query << ": " << response.body;
    return Json::parse(response.body)["at"];
  };
  EXPECT_EQ(at("by=price"), "/by");
  EXPECT_EQ(at("within=3"), "/within");
  EXPECT_EQ(at("by=cost&within=-1"), "/within");
  EXPECT_EQ(at("by=cost&where=value%20%3E%201"), "/where");
  EXPECT_EQ(server.ask("GET", "/v1/sweeps/sw_9/best?by=cost").status, 404);
}

}  // namespace
}  // namespace hone
