// Every parse/render pair of the table: what becomes of a body, and what of a reply.
#include <map>
#include <stdexcept>

#include "server/api/command_routes.hpp"
#include "server/api/routes.hpp"
#include "tests/unit/api/given.hpp"

namespace hone {
namespace {

// A body that each write route takes, by its pattern; `ids` fill its braces.
struct Good {
  std::string ids;
  Json body;
  bool (*is)(const Command&);
};

template <class T>
bool is(const Command& command) {
  return std::holds_alternative<T>(command);
}

std::map<std::string, Good> good_bodies() {
  const auto digest = std::string(64, 'a');
  return {
      {"/v1/sweeps", {"", {{"request_id", "r"}, {"spec", small_spec()}}, is<Submit>}},
      {"/v1/sweeps/{sweep}/steer", {"sw_1", {{"verb", "pause"}}, is<Steer>}},
      {"/v1/sweeps/{sweep}/ask", {"sw_1", {{"asker", "ada@host"}}, is<Ask>}},
      {"/v1/sweeps/{sweep}/enqueue",
       {"sw_1", Json::parse(R"({"request_id":"r","params":{"lr":0.001}})"), is<Enqueue>}},
      {"/v1/sweeps/{sweep}/confirm",
       {"sw_1", Json::parse(R"({"request_id":"r","top":2,"seeds":5})"), is<Confirm>}},
      {"/v1/sweeps/{sweep}/archive", {"sw_1", {{"archived", true}}, is<Archive>}},
      {"/v1/sweeps/{sweep}/edit", {"sw_1", {{"request_id", "r"}, {"trials", 9}}, is<Edit>}},
      {"/v1/trials/{trial}/pin", {"tr_1", {{"pinned", true}}, is<Pin>}},
      {"/v1/notes", {"", {{"request_id", "r"}, {"on", "tr_1"}, {"text", "good"}}, is<AddNote>}},
      {"/v1/tags", {"", {{"on", "tr_1"}, {"add", {"keep"}}}, is<ChangeTags>}},
      {"/v1/trials/{trial}/tell",
       {"tr_1", Json::parse(R"({"value":1.5,"phase":0,"step":250})"), is<Tell>}},
      {"/v1/workers",
       {"",
        Json::parse(
            R"({"request_id":"r","host":"h","pid":1,"cpus":1,"gpus":0,"hone_version":"0"})"),
        is<Join>}},
      {"/v1/workers/{worker}/beat", {"wk_1", {{"leases", {"le_1", "le_2"}}}, is<Beat>}},
      {"/v1/workers/{worker}/allow", {"wk_1", Json::object(), is<Allow>}},
      {"/v1/tokens",
       {"",
        {{"request_id", "r"}, {"name", "n"}, {"scopes", {"read"}}, {"sha256", digest}},
        is<CreateToken>}},
      {"/v1/tokens/{token}/revoke", {"tk_1", Json::object(), is<RevokeToken>}},
      {"/v1/fleets",
       {"", Json::parse(R"({"request_id":"r","spec":{"name":"gpu","engine":"local"}})"),
        is<SetFleet>}},
      {"/v1/fleets/{fleet}/stop", {"fl_1", Json::object(), is<StopFleet>}},
      {"/v1/fleets/{fleet}/forget", {"fl_1", Json::object(), is<ForgetFleet>}},
      {"/v1/leases",
       {"", Json::parse(R"({"request_id":"r","worker":"wk_1","cpus":1,"gpus":0,"wait":1.5})"),
        is<Acquire>}},
      {"/v1/leases/{lease}/reports",
       {"le_1", Json::parse(R"({"phase":0,"step":250,"value":1.5})"), is<Report>}},
      {"/v1/leases/{lease}/code",
       {"le_1", {{"workflow", {{"git_commit", "c0ffee"}}}}, is<RecordCode>}},
      {"/v1/models/{model}/evaluations",
       {"md_1", Json::parse(R"({"request_id":"r","metric":"return","values":[500]})"),
        is<Evaluate>}},
      {"/v1/leases/{lease}/models",
       {"le_1", {{"sha256", digest}, {"bytes", 3}, {"step", 250}, {"phase", 0}}, is<SaveModel>}},
      {"/v1/leases/{lease}/artifacts",
       {"le_1", {{"name", "loss.png"}, {"sha256", digest}, {"bytes", 3}}, is<SaveArtifact>}},
      {"/v1/leases/{lease}/metrics",
       {"le_1", Json::parse(R"({"points":[{"name":"loss","step":1,"value":0.5}]})"),
        is<LogMetrics>}},
      {"/v1/leases/{lease}/end",
       {"le_1", Json::parse(R"({"reason":"exit_code","exit_code":1,"detail":"","log_tail":""})"),
        is<End>}},
  };
}

api::Request request_for(const Good& good) {
  api::Request request;
  if (!good.ids.empty()) request.ids = {good.ids};
  request.body = good.body.dump();
  return request;
}

// Its body is a whole sweep: held by sweep_import_test and tests/e2e/test_knowledge.py.
constexpr std::string_view imports = "/v1/imports";

const api::Write* as_write(const api::Route& route) {
  return std::get_if<api::Write>(&route.handler);
}

TEST(ApiWrite, EveryRouteParsesItsBody) {
  const auto bodies = good_bodies();
  for (const auto& route : api::route_table()) {
    if (as_write(route) == nullptr || route.pattern == imports) continue;
    const auto& good = bodies.at(std::string(route.pattern));
    const auto command = as_write(route)->parse(request_for(good));
    ASSERT_TRUE(command) << route.pattern << ": " << command.error().detail;
    EXPECT_TRUE(good.is(*command)) << route.pattern;
  }
}

TEST(ApiWrite, EveryRouteRefusesAnEmptyBodyAnUnknownKeyAndABadId) {
  const auto bodies = good_bodies();
  for (const auto& route : api::route_table()) {
    if (as_write(route) == nullptr || route.pattern == imports) continue;
    const auto& good = bodies.at(std::string(route.pattern));
    auto empty = request_for(good);
    empty.body.clear();
    EXPECT_EQ(as_write(route)->parse(empty).error().code, Code::invalid) << route.pattern;
    auto unknown = good;
    unknown.body["colour"] = "red";
    EXPECT_EQ(as_write(route)->parse(request_for(unknown)).error().at, "/colour") << route.pattern;
    if (good.ids.empty()) continue;
    auto elsewhere = good;
    elsewhere.ids = good.ids == "md_1" ? "sw_1" : "md_1";
    EXPECT_EQ(as_write(route)->parse(request_for(elsewhere)).error().code, Code::invalid)
        << route.pattern;
  }
}

Command parsed(const std::string& pattern) {
  for (const auto& route : api::route_table())
    if (as_write(route) != nullptr && route.pattern == pattern)
      return as_write(route)->parse(request_for(good_bodies().at(pattern))).value();
  throw std::runtime_error("no write route " + pattern);
}

TEST(ApiWrite, KeepsWhatTheBodySaid) {
  const auto beat = parsed("/v1/workers/{worker}/beat");
  EXPECT_EQ(std::get<Beat>(beat).worker, WorkerId{1});
  EXPECT_EQ(std::get<Beat>(beat).request.leases, (std::vector{LeaseId{1}, LeaseId{2}}));
  const auto report = parsed("/v1/leases/{lease}/reports");
  EXPECT_EQ(std::get<Report>(report).lease, LeaseId{1});
  EXPECT_EQ(std::get<Report>(report).request.score, Score::of(1.5));
  const auto acquire = parsed("/v1/leases");
  EXPECT_EQ(std::get<Acquire>(acquire).request.wait, milliseconds(1500));
}

TEST(ApiWrite, RendersReplies) {
  EXPECT_EQ(api::render_answer<Submit>(Submitted{SweepId{7}}).body, R"({"sweep":"sw_7"})");
  EXPECT_EQ(api::render_answer<Submit>(Submitted{SweepId{7}}).status, 201);
  EXPECT_EQ(api::render_answer<Submit>(Submitted{SweepId{7}, true}).status, 200);
  EXPECT_EQ(api::render_answer<Steer>(Steered{SweepId{7}, SweepState::paused}).body,
            R"({"sweep":"sw_7","state":"paused"})");
  EXPECT_EQ(
      Json::parse(api::render_answer<Join>(JoinReply{WorkerId{1}, seconds(15), seconds(3)}).body),
      Json::parse(R"({"worker":"wk_1","lease":15,"heartbeat":3})"));
  EXPECT_EQ(api::render_answer<Acquire>(std::optional<LeaseGrant>()).body, R"({"grant":null})");
  EXPECT_EQ(
      api::render_answer<Report>(ReportReply{{Action::stop, VerdictReason::last_phase, {}}}).body,
      R"({"verdict":"stop","reason":"last_phase","inputs":{}})");
  EXPECT_EQ(api::render_answer<SaveModel>(SaveModelReply{ModelId{9}}).body, R"({"model":"md_9"})");
  const AskReply asked{TrialId{4}, 3, LeaseId{9}, {{"lr", Value(0.5)}}, 17, 1};
  EXPECT_EQ(api::render_answer<Ask>(asked).body,
            R"({"trial":"tr_4","number":3,"lease":"le_9","params":{"lr":0.5},"seed":17,)"
            R"("next_phase":1})");
  EXPECT_EQ(api::render_answer<Tell>(TellReply{{Action::go_on, VerdictReason::no_rule, {}}}).body,
            R"({"verdict":"continue","reason":"no_rule","inputs":{}})");
  EXPECT_EQ(api::render_answer<Enqueue>(EnqueueReply{2}).body, R"({"waiting":2})");
  EXPECT_EQ(api::render_answer<Pin>(Done{}).body, "{}");
  const Key key{TokenId{3}, {}, {}, {}};
  EXPECT_EQ(api::render_answer<CreateToken>(key).status, 201);
  EXPECT_EQ(api::render_done(key).body, "{}");
  EXPECT_EQ(api::render_answer<SetFleet>(FleetReply{FleetId{1}}).status, 201);
}

TEST(ApiWrite, TakesBackALeaseWhoseWorkerIsGone) {
  EXPECT_FALSE(api::take_back_lease(std::optional<LeaseGrant>()));
  LeaseGrant grant;
  grant.lease = LeaseId{3};
  const auto undo = api::take_back_lease(std::optional(grant));
  ASSERT_TRUE(undo);
  EXPECT_EQ(std::get<End>(*undo).lease, LeaseId{3});
  EXPECT_EQ(std::get<End>(*undo).request.reason, EndReason::requeue_requested);
}

// A file that named the default rule got version 1 of it, and one that named none version 2.
TEST(ApiWrite, records_the_newest_version_of_the_rule_hone) {
  TestApi server;
  const auto rule_of = [&](const std::string& sweep) {
    return server.get("/v1/sweeps/" + sweep)["spec"]["terminator"];
  };
  const auto first = server.submit(small_spec("hone"));
  EXPECT_EQ(rule_of(first), Json({{"rule", "hone"}, {"version", 5}}));
  // A file that was written for settings of an earlier version keeps that version.
  Json hedged = small_spec("hone");
  hedged["terminator"]["hedge"] = 0.1;
  EXPECT_EQ(rule_of(server.submit(hedged))["version"], 2);
  Json warm = small_spec("hone");
  warm["search"]["warm_start"] = {first};
  EXPECT_EQ(rule_of(server.submit(warm))["version"], 5);
  warm["terminator"]["hedge"] = 0.1;
  EXPECT_EQ(rule_of(server.submit(warm))["version"], 4);
  Json named = small_spec("hone");
  named["terminator"]["version"] = 1;
  EXPECT_EQ(rule_of(server.submit(named))["version"], 1);
  const Json copy = {{"request_id", "copy"}, {"spec", small_spec("hone")}, {"forked_from", first}};
  EXPECT_EQ(rule_of(server.post("/v1/sweeps", copy)["sweep"]), Json({{"rule", "hone"}}))
      << "a recorded sweep without a version is one of version 1";
}

TEST(ApiWrite, RefusesWhatTheRulesRefuse) {
  TestApi server;
  const auto stale =
      server.ask("POST", "/v1/leases/le_5/end", R"({"reason":"exit_code","exit_code":1})");
  EXPECT_EQ(stale.status, 409) << stale.body;
  EXPECT_EQ(Json::parse(stale.body)["code"], "stale_epoch");
  const auto spec = server.ask(
      "POST", "/v1/sweeps", Json({{"request_id", "r"}, {"spec", small_spec("hypertrik")}}).dump());
  EXPECT_EQ(spec.status, 400);
  EXPECT_EQ(Json::parse(spec.body)["at"], "/spec/terminator/rule") << spec.body;
}

}  // namespace
}  // namespace hone
