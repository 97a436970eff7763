// Given an agent, when an input, then actions. The test plays the server, the processes and the
// clock.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/agent/agent.hpp"

namespace hone::worker {

inline LeaseGrant small_grant(std::int64_t lease = 1, int phases = 3) {
  LeaseGrant grant;
  grant.lease = LeaseId{lease};
  grant.attempt = {{TrialId{lease}, 0}, 1};
  grant.sweep = SweepId{1};
  grant.trainer = CommandTrainer{{"train"}};
  grant.budget = {"steps", 30, phases};
  return grant;
}

inline LeaseGrant resumed_grant() {
  LeaseGrant grant = small_grant();
  grant.next_phase = 1;
  grant.resume = ModelRef{ModelId{3}, std::string(64, 'a'), 10, 10, 0};
  return grant;
}

class GivenAgent {
 public:
  explicit GivenAgent(AgentConfig config) : agent(std::move(config)) {}
  GivenAgent() : GivenAgent(with_slots(2)) {}

  static AgentConfig with_slots(int cpus, int gpus = 0) {
    AgentConfig config;
    config.join = {"w", "host", 1, cpus, gpus, "test"};
    config.seed = 7;
    return config;
  }

  Actions when(const Input& input) {
    last = agent.resume(now, input);
    for (const auto& action : last)
      if (const auto* send = std::get_if<Send>(&action)) open.push_back(*send);
    return last;
  }
  Actions after(Duration duration) {
    now = now + duration;
    return when(Tick{});
  }
  // Moves the clock to the agent's own deadline.
  Actions at_deadline() {
    const auto deadline = agent.next_deadline();
    EXPECT_TRUE(deadline.has_value());
    if (deadline) now = std::max(now, *deadline);
    return when(Tick{});
  }

  // The oldest call of this kind without an answer.
  template <class T>
  std::optional<Send> call() const {
    for (const auto& send : open)
      if (std::holds_alternative<T>(send.call)) return send;
    return std::nullopt;
  }
  template <class T>
  T request() const {
    const auto send = call<T>();
    EXPECT_TRUE(send.has_value()) << "there is no such call";
    return send ? std::get<T>(send->call) : T{};
  }
  template <class T>
  Actions reply(Result<CallReply> reply) {
    const auto send = call<T>();
    EXPECT_TRUE(send.has_value()) << "there is no such call to answer";
    if (!send) return {};
    std::erase_if(open, [&](const Send& one) { return one.id == send->id; });
    return when(Replied{send->id, std::move(reply)});
  }

  template <class T>
  std::vector<T> all() const {
    std::vector<T> found;
    for (const auto& action : last)
      if (const auto* one = std::get_if<T>(&action)) found.push_back(*one);
    return found;
  }
  template <class T>
  bool has() const {
    return !all<T>().empty();
  }

  void join(const JoinReply& welcome = {WorkerId{1}, seconds(15), seconds(3)}) {
    when(Tick{});
    reply<JoinRequest>(CallReply{welcome});
  }
  Actions grant(const LeaseGrant& lease) {
    return reply<AcquireRequest>(CallReply{std::optional(lease)});
  }
  // Joined, with one run whose process is up.
  void run(const LeaseGrant& lease = small_grant()) {
    join();
    grant(lease);
  }

  // The server answers every request for work that waits, without a run.
  void no_work() {
    while (call<AcquireRequest>()) reply<AcquireRequest>(CallReply{std::optional<LeaseGrant>{}});
  }

  Actions report(int phase, double value = 1, Origin origin = Origin::socket,
                 std::int64_t lease = 1) {
    return when(LineReceived{LeaseId{lease}, ReportLine{phase, 10 * (phase + 1), Score::of(value)},
                             origin});
  }
  Actions verdict(Action action, VerdictReason reason = VerdictReason::no_rule) {
    return reply<ReportCall>(CallReply{ReportReply{{action, reason, {}}}});
  }
  Actions exit(int status, std::int64_t lease = 1) {
    return when(Exited{LeaseId{lease}, false, status, "the last line\n"});
  }
  Actions killed_by(int signal, std::int64_t lease = 1) {
    return when(Exited{LeaseId{lease}, true, signal, "the last line\n"});
  }
  // The answer to a heartbeat sent now.
  Actions order(Order order, std::int64_t lease = 1) {
    for (int i = 0; i < 20 && !call<BeatCall>(); ++i) at_deadline();
    return reply<BeatCall>(CallReply{BeatReply{{{LeaseId{lease}, order, {}}}}});
  }

  Agent agent;
  Instant now{1'000'000'000};
  Actions last;
  std::vector<Send> open;
};

inline Error away() { return refuse(Code::unavailable, "cannot reach the server"); }
inline Error stale() { return refuse(Code::stale_lease, "the lease is over"); }

}  // namespace hone::worker
