#include <gtest/gtest.h>

#include "tests/unit/api/given.hpp"

namespace hone {
namespace {

Json told_spec() {
  Json spec = small_spec("none", 40);
  spec.erase("command");
  spec.erase("budget");
  spec["trainer"] = {{"name", "ask"}};
  spec["parameters"]["width"] = {{"type", "int"}, {"min", 1}, {"max", 9}};
  spec["parameters"]["act"] = {{"type", "choice"}, {"values", {"relu", "tanh"}}};
  spec["parameters"]["slope"] = {
      {"type", "float"}, {"min", 0}, {"max", 1}, {"when", "act == 'tanh'"}};
  return spec;
}

// The width decides.
void tell(TestApi& server, const std::string& sweep, int trials) {
  for (int i = 0; i < trials; ++i) {
    const Json asked = server.post("/v1/sweeps/" + sweep + "/ask", {{"asker", "ada"}});
    const Json told = {{"value", asked["params"]["width"].get<int>() +
                                     (asked["params"]["act"] == "relu" ? 0.5 : 0)}};
    server.post("/v1/trials/" + asked["trial"].get<std::string>() + "/tell", told);
  }
}

TEST(ApiImportance, NamesTheParameterThatDecides) {
  TestApi server;
  const auto sweep = server.submit(told_spec());
  tell(server, sweep, 30);
  const Json body = server.get("/v1/sweeps/" + sweep + "/importance");
  EXPECT_EQ(body["items"][0]["parameters"], Json::parse(R"(["width"])"));
  EXPECT_GT(body["items"][0]["share"], 0.8);
  EXPECT_EQ(body["items"].size(), 4U + 6U);  // and each with each
  EXPECT_EQ(body["trials"], 30);
  EXPECT_EQ(body["seed"], 17);
  EXPECT_GT(body["explained"], 0.5);
  EXPECT_EQ(body["objective"]["metric"], "return");
  EXPECT_EQ(body, server.get("/v1/sweeps/" + sweep + "/importance?objective=return"));
}

TEST(ApiImportance, ReadsASampleOfManyTrials) {
  TestApi server;
  Json spec = told_spec();
  spec["search"]["trials"] = 2100;
  const auto sweep = server.submit(spec);
  tell(server, sweep, 2100);
  const Json body = server.get("/v1/sweeps/" + sweep + "/importance");
  EXPECT_EQ(body["completed"], 2100);
  EXPECT_EQ(body["trials"], 2000);
  EXPECT_EQ(body["items"][0]["parameters"], Json::parse(R"(["width"])"));
}

TEST(ApiImportance, RefusesTooFewTrialsAndUnknownObjectives) {
  TestApi server;
  const auto sweep = server.submit(told_spec());
  tell(server, sweep, 9);
  const auto few = server.ask("GET", "/v1/sweeps/" + sweep + "/importance");
  EXPECT_EQ(few.status, 409);
  EXPECT_NE(few.body.find("at least 10 trials"), std::string::npos) << few.body;
  const auto other = server.ask("GET", "/v1/sweeps/" + sweep + "/importance?objective=cost");
  EXPECT_EQ(other.status, 400);
  EXPECT_NE(other.body.find("only return"), std::string::npos) << other.body;
  EXPECT_EQ(server.ask("GET", "/v1/sweeps/sw_9/importance").status, 404);
}

}  // namespace
}  // namespace hone
