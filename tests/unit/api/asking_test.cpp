// hone as an optimizer without workers, and the trade-offs of several objectives.
#include "tests/unit/api/given.hpp"

namespace hone {
namespace {

Json asked_spec(int trials = 4) {
  auto spec = small_spec("none", trials);
  spec.erase("command");
  spec.erase("budget");
  spec["trainer"] = {{"name", "ask"}};
  return spec;
}

Json traded_spec(int trials = 6, int seeds = 1) {
  auto spec = asked_spec(trials);
  spec.erase("objective");
  spec["objectives"] = Json::parse(R"([{"metric": "return", "goal": "maximize"},
                                       {"metric": "cost", "goal": "minimize"}])");
  spec["replicates"] = {{"seeds", seeds}};
  return spec;
}

Json ask(TestApi& server, const std::string& sweep, const std::string& asker = "ada") {
  return server.post("/v1/sweeps/" + sweep + "/ask", {{"asker", asker}});
}

Json tell(TestApi& server, const Json& asked, const Json& result) {
  return server.post("/v1/trials/" + asked["trial"].get<std::string>() + "/tell", result);
}

TEST(ApiAsking, GivesTheSameAskerItsPendingTrialAgain) {
  TestApi server;
  const auto sweep = server.submit(asked_spec());
  const auto first = ask(server, sweep);
  EXPECT_EQ(ask(server, sweep), first);
  EXPECT_NE(ask(server, sweep, "bob")["trial"], first["trial"]);
  EXPECT_EQ(tell(server, first, {{"value", 1.5}})["verdict"], "stop");
  EXPECT_NE(ask(server, sweep)["trial"], first["trial"]);
}

TEST(ApiAsking, TakesTheSameResultTwiceAndRefusesAnother) {
  TestApi server;
  const auto asked = ask(server, server.submit(asked_spec()));
  const auto verdict = tell(server, asked, {{"value", 1.5}});
  EXPECT_EQ(tell(server, asked, {{"value", 1.5}}), verdict);
  const auto other = server.ask("POST", "/v1/trials/tr_1/tell", R"({"value": 2})");
  EXPECT_EQ(other.status, 409) << other.body;
  EXPECT_EQ(server.get("/v1/trials/tr_1")["value"], 1.5);
}

TEST(ApiAsking, EndsTheSweepWithItsLastTrial) {
  TestApi server;
  const auto sweep = server.submit(asked_spec(3));
  for (const auto* result : {R"({"value": 1})", R"({"told": "failed", "detail": "no licence"})",
                             R"({"told": "infeasible"})"})
    tell(server, ask(server, sweep), Json::parse(result));
  EXPECT_EQ(server.get("/v1/sweeps/" + sweep)["state"], "completed");
  EXPECT_EQ(server.get("/v1/trials/tr_2")["reason"], "told_failed");
  EXPECT_EQ(server.get("/v1/trials/tr_3")["reason"], "infeasible");
  const auto more = server.ask("POST", "/v1/sweeps/" + sweep + "/ask", R"({"asker": "ada"})");
  EXPECT_EQ(more.status, 409) << more.body;
}

TEST(ApiAsking, RefusesAValueForAFailureAndNoneForAResult) {
  TestApi server;
  ask(server, server.submit(asked_spec()));
  for (const auto* body : {R"({"told": "failed", "value": 1})", R"({"told": "value"})", "{}"}) {
    const auto response = server.ask("POST", "/v1/trials/tr_1/tell", body);
    EXPECT_EQ(response.status, 400) << body;
    EXPECT_EQ(Json::parse(response.body)["at"], "/value") << response.body;
  }
}

// Clients of `ask` send no heartbeats, so a cancel must end their trials here; the sweep once waited
// forever for them.
TEST(ApiAsking, CancelEndsTrialsThatNobodyWillTell) {
  for (const auto* verb : {"cancel", "kill"}) {
    TestApi server;
    const auto sweep = server.submit(asked_spec());
    ask(server, sweep);
    EXPECT_EQ(server.post("/v1/sweeps/" + sweep + "/steer", {{"verb", verb}})["state"], "canceled");
    EXPECT_EQ(server.get("/v1/trials/tr_1")["state"], "canceled");
    EXPECT_EQ(server.ask("POST", "/v1/trials/tr_1/tell", R"({"value": 1})").status, 409);
  }
}

TEST(ApiAsking, IsNoWorkForWorkers) {
  TestApi server;
  server.submit(asked_spec());
  EXPECT_TRUE(server.acquire(server.join()).is_null());
}

TEST(ApiAsking, ProposesWhatWasEnqueuedFirst) {
  TestApi server;
  const auto sweep = server.submit(asked_spec());
  const auto path = "/v1/sweeps/" + sweep + "/enqueue";
  const Json set = {{"request_id", "mine"}, {"params", {{"lr", 0.005}}}};
  EXPECT_EQ(server.post(path, set)["waiting"], 1);
  EXPECT_EQ(server.post(path, set)["waiting"], 1);  // the same request
  EXPECT_EQ(ask(server, sweep)["params"], Json::parse(R"({"lr": 0.005})"));
  const auto odd = server.ask("POST", path, R"({"request_id": "x", "params": {"rl": 1}})");
  EXPECT_EQ(odd.status, 400);
  EXPECT_EQ(Json::parse(odd.body)["at"], "/params/rl") << odd.body;
}

TEST(ApiAsking, ExplainsWhoHoldsATrial) {
  TestApi server;
  const auto asked = ask(server, server.submit(asked_spec()));
  const std::string text = server.get("/v1/trials/tr_1/explain")["text"];
  EXPECT_NE(text.find("was asked for by wk_1 and waits for its result"), std::string::npos) << text;
  EXPECT_EQ(server.get("/v1/workers/wk_1")["host"], "ada");
  tell(server, asked, {{"told", "infeasible"}});
  const std::string end = server.get("/v1/trials/tr_1/explain")["text"];
  EXPECT_NE(end.find("told that these parameters cannot work"), std::string::npos) << end;
}

// {trial: {"return", "cost"}} of the front.
std::map<std::string, Json> front(TestApi& server, const std::string& sweep) {
  std::map<std::string, Json> values;
  const auto body = server.get("/v1/sweeps/" + sweep + "/pareto");
  for (const auto& item : body["items"]) values[item["id"]] = item["values"];
  return values;
}

TEST(ApiPareto, ListsTheTrialsThatNoOtherBeats) {
  TestApi server;
  const auto sweep = server.submit(traded_spec());
  for (const auto* result :
       {R"({"value": 10, "further": [5]})", R"({"value": 8, "further": [2]})",
        R"({"value": 8, "further": [3]})", R"({"value": 12, "further": ["diverged"]})",
        R"({"told": "failed"})", R"({"value": 10, "further": [5]})"})
    tell(server, ask(server, sweep), Json::parse(result));
  const auto body = server.get("/v1/sweeps/" + sweep + "/pareto");
  EXPECT_EQ(body["completed"], 5);
  EXPECT_EQ(body["front"], 3);
  EXPECT_EQ(body["objectives"][1], Json::parse(R"({"metric": "cost", "goal": "minimize"})"));
  const auto values = front(server, sweep);
  EXPECT_EQ(values.size(), 3U);
  EXPECT_EQ(values.at("tr_1"), Json::parse(R"({"return": 10, "cost": 5})"));
  EXPECT_EQ(values.at("tr_2"), Json::parse(R"({"return": 8, "cost": 2})"));
  EXPECT_EQ(values.at("tr_6"), values.at("tr_1"));  // equal: neither beats the other
  EXPECT_EQ(server.get("/v1/sweeps/" + sweep + "/pareto?limit=1")["items"].size(), 1U);
}

TEST(ApiPareto, TakesTheMeanOverTheRunsOfATrial) {
  TestApi server;
  const auto sweep = server.submit(traded_spec(1, 2));
  tell(server, ask(server, sweep), Json::parse(R"({"value": 10, "further": [4]})"));
  EXPECT_TRUE(front(server, sweep).empty());  // one of its runs is not told
  tell(server, ask(server, sweep), Json::parse(R"({"value": 20, "further": [6]})"));
  EXPECT_EQ(front(server, sweep).at("tr_1"), Json::parse(R"({"return": 15, "cost": 5})"));
}

TEST(ApiPareto, RefusesASweepWithOneObjective) {
  TestApi server;
  const auto response = server.ask("GET", "/v1/sweeps/" + server.submit() + "/pareto");
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("one objective, return"), std::string::npos) << response.body;
  EXPECT_EQ(server.ask("GET", "/v1/sweeps/sw_9/pareto").status, 404);
}

TEST(ApiPareto, ShowsTheFurtherValuesOfACurve) {
  TestApi server;
  const auto sweep = server.submit(traded_spec());
  tell(server, ask(server, sweep), Json::parse(R"({"value": 10, "further": [5]})"));
  EXPECT_EQ(server.get("/v1/runs/rn_1.0/curve")["items"][0]["further"], Json::parse("[5]"));
  const auto plain = server.submit(asked_spec());
  server.post("/v1/trials/" + ask(server, plain, "bob")["trial"].get<std::string>() + "/tell",
              {{"value", 1}});
  EXPECT_FALSE(server.get("/v1/runs/rn_2.0/curve")["items"][0].contains("further"));
}

TEST(ApiAsking, RefusesAResultWithoutItsFurtherValues) {
  TestApi server;
  ask(server, server.submit(traded_spec()));
  const auto response = server.ask("POST", "/v1/trials/tr_1/tell", R"({"value": 1})");
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(Json::parse(response.body)["at"], "/further") << response.body;
}

}  // namespace
}  // namespace hone
