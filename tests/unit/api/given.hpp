// The API without sockets: requests are routed, parsed, decided by a real engine on a database in
// memory, and rendered.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "db/file/database.hpp"
#include "server/api/router.hpp"
#include "server/engine/engine.hpp"

namespace hone {

inline api::Method method_named(const std::string& name) {
  if (name == "GET") return api::Method::get;
  if (name == "POST") return api::Method::post;
  return name == "PUT" ? api::Method::put : api::Method::other;
}

// A sweep of a user's command; `rule` and `trials` are what the tests vary.
inline Json small_spec(const std::string& rule = "none", int trials = 4) {
  return Json::parse(R"({"name": "small", "seed": 17,
    "objective": {"metric": "return", "goal": "maximize"}, "command": ["train", "${lr}"],
    "parameters": {"lr": {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"}},
    "search": {"method": "random", "trials": )" +
                     std::to_string(trials) + R"(},
    "terminator": {"rule": ")" +
                     rule + R"("}, "budget": {"unit": "frames", "per_run": 1000, "phases": 4}})");
}

class TestApi {
 public:
  api::Response ask(const std::string& method, const std::string& target,
                    const std::string& body = {}) {
    auto request = api::parse_target(method_named(method), target);
    if (!request) return api::problem(request.error());
    auto match = api::find_route(request->method, request->path);
    if (match.route == nullptr) return api::wrong_method(method, request->path, match.allow);
    request->ids = match.ids;
    request->body = body;
    request->now = now_;
    if (auto known = api::check_query(*match.route, *request); !known)
      return api::problem(known.error());
    if (const auto* write = std::get_if<api::Write>(&match.route->handler))
      return perform(*write, *request);
    return api::answer_read(*match.route, *db_, *request);
  }

  Json get(const std::string& target) { return expect_json("GET", target, ""); }
  Json post(const std::string& target, const Json& body) {
    return expect_json("POST", target, body.dump());
  }

  std::string submit(const Json& spec = small_spec()) {
    return post("/v1/sweeps", {{"request_id", fresh()}, {"spec", spec}})["sweep"];
  }
  std::string join() {
    return post("/v1/workers", {{"request_id", fresh()},
                                {"host", "testhost"},
                                {"pid", 7},
                                {"cpus", 64},
                                {"gpus", 0},
                                {"hone_version", "0.1.0"}})["worker"];
  }
  // {"lease", "attempt", ...} of the next run.
  Json acquire(const std::string& worker) {
    return post("/v1/leases",
                {{"request_id", fresh()}, {"worker", worker}, {"cpus", 1}, {"gpus", 0}})["grant"];
  }
  Json report(const Json& grant, int phase, const Json& value) {
    return post("/v1/leases/" + grant["lease"].get<std::string>() + "/reports",
                {{"phase", phase}, {"step", 250 * (phase + 1)}, {"value", value}});
  }
  void end(const Json& grant, const Json& body) {
    post("/v1/leases/" + grant["lease"].get<std::string>() + "/end", body);
  }
  static std::string run_of(const Json& grant) {
    const auto attempt = grant["attempt"].get<std::string>();
    return attempt.substr(0, attempt.find('#'));
  }

  SQLite::Database& db() { return *db_; }
  void pass(Duration time) {
    now_ = now_ + time;
    engine_.step({}, now_);
  }

 private:
  api::Response perform(const api::Write& write, const api::Request& request) {
    auto command = write.parse(request);
    if (!command) return api::problem(command.error());
    std::optional<Result<Reply>> reply;
    std::vector<Envelope> batch;
    batch.push_back(
        {*std::move(command), [&reply](Result<Reply> given) { reply = std::move(given); }});
    engine_.step(std::move(batch), now_);
    return *reply ? write.render(**reply) : api::problem(reply->error());
  }

  Json expect_json(const std::string& method, const std::string& target, const std::string& body) {
    const auto response = ask(method, target, body);
    EXPECT_LT(response.status, 300) << method << " " << target << ": " << response.body;
    return Json::parse(response.body);
  }

  std::string fresh() { return "request-" + std::to_string(++requests_); }

  Instant now_{1'800'000'000'000'000};
  int requests_ = 0;
  std::unique_ptr<SQLite::Database> db_ = *open_for_writing(":memory:");
  Engine engine_{*db_, now_};
};

}  // namespace hone
