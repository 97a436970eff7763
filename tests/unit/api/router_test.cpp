#include "server/api/router.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "schemas/codec/problem.hpp"
#include "server/api/origin.hpp"

namespace hone::api {
namespace {

TEST(Router, FindsEveryRowByItsOwnPath) {
  for (const auto& route : route_table()) {
    std::string path(route.pattern);
    for (auto open = path.find('{'); open != std::string::npos; open = path.find('{'))
      path.replace(open, path.find('}') - open + 1, "x");
    const auto match = find_route(route.method, path);
    EXPECT_EQ(match.route, &route) << path;
  }
}

TEST(Router, HasNoRowTwice) {
  std::set<std::pair<Method, std::string_view>> seen;
  for (const auto& route : route_table())
    EXPECT_TRUE(seen.emplace(route.method, route.pattern).second) << route.pattern;
}

TEST(Router, TellsAnUnknownPathFromAWrongMethod) {
  EXPECT_EQ(find_route(Method::get, "/v1/sweep").route, nullptr);
  EXPECT_EQ(find_route(Method::get, "/v1/sweep").allow, "");
  EXPECT_EQ(find_route(Method::put, "/v1/sweeps").route, nullptr);
  EXPECT_EQ(find_route(Method::put, "/v1/sweeps").allow, "POST, GET, HEAD");
  EXPECT_EQ(find_route(Method::get, "/v1/leases").allow, "POST");
  EXPECT_EQ(find_route(Method::other, "/healthz").allow, "GET, HEAD");
}

TEST(Router, MatchesWholeSegmentsOnly) {
  EXPECT_NE(find_route(Method::get, "/v1/sweeps/sw_1").route, nullptr);
  for (const auto* path :
       {"/v1/sweeps/", "/v1/sweeps/sw_1/", "//v1/sweeps", "/v1/sweeps/sw_1/trials/tr_1", "/v1", "/",
        "", "/V1/sweeps", "/v1/sweepsx", "/v1/sweeps//trials"})
    EXPECT_EQ(find_route(Method::get, path).route, nullptr) << path;
}

TEST(Router, DecodesWhatTheBracesMatch) {
  const auto match = find_route(Method::get, "/v1/lineage/rn_42.0%232");
  ASSERT_NE(match.route, nullptr);
  EXPECT_EQ(match.ids, std::vector<std::string>{"rn_42.0#2"});
  EXPECT_EQ(find_route(Method::get, "/v1/lineage/%2").route, nullptr);
  EXPECT_EQ(find_route(Method::get, "/v1/lineage/%00").route, nullptr);
}

TEST(Router, SuggestsAQueryThatWasMeant) {
  const auto& route = *find_route(Method::get, "/v1/sweeps").route;
  Request request;
  request.query = {{"limt", "3"}};
  const auto refused = check_query(route, request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().at, "/limt");
  EXPECT_NE(refused.error().detail.find("did you mean 'limit'"), std::string::npos);
  request.query = {{"limit", "3"}, {"after", "x"}};
  EXPECT_TRUE(check_query(route, request));
}

TEST(Router, AcceptsTheQueryNamesOfTheRowAndNoOthers) {
  const auto accepts = [](std::string_view path, Query name) {
    Request request;
    request.query = {{std::string(word(name)), "1"}};
    return check_query(*find_route(Method::get, path).route, request).ok();
  };
  EXPECT_TRUE(accepts("/v1/sweeps", Query::all));
  EXPECT_FALSE(accepts("/v1/sweeps", Query::sort));
  EXPECT_TRUE(accepts("/v1/sweeps/sw_1/trials", Query::sort));
  EXPECT_TRUE(accepts("/v1/events", Query::sweep));
  EXPECT_FALSE(accepts("/v1/events", Query::where));
  EXPECT_FALSE(accepts("/v1/sweeps/sw_1", Query::limit));
}

TEST(Router, HasOneWordForEachQueryName) {
  std::set<std::string_view> words;
  for (std::size_t i = 0; i < query_names; ++i) words.insert(word(static_cast<Query>(i)));
  EXPECT_EQ(words.size(), query_names);
  EXPECT_EQ(word(Query::after), "after");
  EXPECT_EQ(word(Query::where), "where");
}

TEST(Router, DescribesItself) {
  const auto rows = describe_routes();
  ASSERT_EQ(rows.size(), route_table().size());
  EXPECT_EQ(rows.at(0).dump(), R"({"method":"GET","path":"/healthz","kind":"read","scopes":""})");
}

TEST(Target, SplitsPathAndQuery) {
  const auto request = parse_target(Method::get, "/v1/sweeps?limit=10&after=a%20b&&sort=");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->path, "/v1/sweeps");
  EXPECT_EQ(*query_value(*request, Query::limit), "10");
  EXPECT_EQ(*query_value(*request, Query::after), "a b");
  EXPECT_EQ(*query_value(*request, Query::sort), "");
  EXPECT_EQ(query_value(*request, Query::name), nullptr);
}

TEST(Target, TakesTheAbsoluteForm) {
  EXPECT_EQ(parse_target(Method::get, "http://localhost:7777/healthz?x=1")->path, "/healthz");
  EXPECT_EQ(parse_target(Method::get, "http://localhost:7777")->path, "/");
}

TEST(Target, RefusesWhatIsNone) {
  for (const auto* target :
       {"", "*", "healthz", "https://localhost/healthz", "/v1/sweeps?a=1&a=2", "/v1/sweeps?%zz",
        "/v1/sweeps?a=%4", "/v1/sweeps?a=%", "/v1/sweeps?a=%00"})
    EXPECT_FALSE(parse_target(Method::get, target)) << target;
}

TEST(Problem, HasTheStatusOfItsCode) {
  for (const auto code :
       {Code::invalid, Code::not_found, Code::conflict, Code::stale_lease, Code::forbidden,
        Code::too_large, Code::busy, Code::unavailable, Code::timed_out, Code::internal}) {
    const auto response = problem(refuse(code, "why", "/where"));
    EXPECT_EQ(response.status, http_status(code));
    EXPECT_EQ(response.retry_after_s != 0, response.status == 503);
    const auto body = Json::parse(response.body);
    EXPECT_EQ(body["detail"], "why");
    EXPECT_EQ(body["at"], "/where");
    EXPECT_EQ(body["retryable"], is_retryable(code));
  }
}

TEST(Problem, OfAWrongMethodIs405WithAllow) {
  const auto response = wrong_method("DELETE", "/v1/sweeps", "GET, HEAD");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.allow, "GET, HEAD");
  EXPECT_EQ(Json::parse(response.body)["code"], "invalid");
}

TEST(Origin, MayBeAbsentOrTheServerItself) {
  EXPECT_TRUE(check_origin("127.0.0.1:7777", "", {}));
  EXPECT_TRUE(check_origin("localhost:7777", "http://localhost:7777", {}));
  EXPECT_TRUE(check_origin("LOCALHOST", "", {}));
  EXPECT_TRUE(check_origin("[::1]:7777", "http://[::1]:7777", {}));
  EXPECT_TRUE(check_origin("trainer.example:7777", "http://trainer.example:7777", {false}));
  EXPECT_TRUE(check_origin("trainer.example:7777", "https://trainer.example:7777", {false, true}));
  EXPECT_FALSE(check_origin("trainer.example:7777", "http://trainer.example:7777", {false, true}))
      << "a plain-HTTP page of the same name is another origin";
}

TEST(Origin, OfAnotherPageIsForbidden) {
  for (const auto* origin :
       {"http://evil.example", "null", "https://localhost:7777", "http://localhost:7778"}) {
    const auto checked = check_origin("localhost:7777", origin, {});
    ASSERT_FALSE(checked) << origin;
    EXPECT_EQ(checked.error().code, Code::forbidden);
  }
}

TEST(Origin, NameThatResolvesToThisMachineIsForbidden) {
  for (const auto* host :
       {"evil.example:7777", "127.0.0.1.evil.example", "localhost.evil.example:7777", "evil"})
    EXPECT_FALSE(check_origin(host, "", {})) << host;
}

}  // namespace
}  // namespace hone::api
