// The worker's own calls: join, acquire, heartbeat; and how it exits.
#include "tests/unit/worker/given.hpp"

namespace hone::worker {
namespace {

// A worker first joins, with its slots.
TEST(WorkerAgent, joins_first) {
  GivenAgent given;
  given.when(Tick{});
  ASSERT_EQ(given.open.size(), 1U);
  EXPECT_EQ(given.request<JoinRequest>().cpus, 2);
}

// An unreachable server is called again with the same request id, without end, at least every 5 s.
TEST(WorkerAgent, joins_until_the_server_answers) {
  GivenAgent given;
  given.when(Tick{});
  for (int i = 0; i < 100; ++i) {
    given.reply<JoinRequest>(away());
    EXPECT_FALSE(given.call<JoinRequest>()) << "no call before its time";
    const auto wait = *given.agent.next_deadline() - given.now;
    EXPECT_GE(wait, milliseconds(50));
    EXPECT_LE(wait, seconds(5));
    given.at_deadline();
    EXPECT_EQ(given.request<JoinRequest>().request_id, "w");
  }
}

// It is logged once that the server is unreachable, and once that it is back.
TEST(WorkerAgent, logs_once_that_the_server_is_unreachable) {
  GivenAgent given;
  given.when(Tick{});
  given.reply<JoinRequest>(away());
  EXPECT_EQ(given.all<Note>().size(), 1U);
  given.at_deadline();
  given.reply<JoinRequest>(away());
  EXPECT_TRUE(given.all<Note>().empty());
  given.at_deadline();
  given.reply<JoinRequest>(CallReply{JoinReply{WorkerId{1}, seconds(15), seconds(3)}});
  ASSERT_EQ(given.all<Note>().size(), 1U);
  EXPECT_EQ(given.all<Note>()[0].text, "the server is back");
}

// The same seed gives the same times; another seed gives others.
TEST(WorkerAgent, retries_are_deterministic_and_spread) {
  const auto times = [](std::uint64_t seed) {
    auto config = GivenAgent::with_slots(1);
    config.seed = seed;
    GivenAgent given(config);
    given.when(Tick{});
    std::vector<std::int64_t> waits;
    for (int i = 0; i < 8; ++i) {
      given.reply<JoinRequest>(away());
      waits.push_back((*given.agent.next_deadline() - given.now).us);
      given.at_deadline();
    }
    return waits;
  };
  EXPECT_EQ(times(1), times(1));
  EXPECT_NE(times(1), times(2));
}

// After joining, it requests work for all slots; starts each grant and requests the rest.
TEST(WorkerAgent, acquires_while_a_slot_is_free) {
  GivenAgent given;
  given.join();
  EXPECT_EQ(given.request<AcquireRequest>().cpus, 2);
  given.grant(small_grant(1));
  EXPECT_EQ(given.all<Spawn>().size(), 1U);
  EXPECT_EQ(given.request<AcquireRequest>().cpus, 1);
  given.grant(small_grant(2));
  EXPECT_FALSE(given.call<AcquireRequest>()) << "no slot is free";
  EXPECT_EQ(given.agent.running(), 2U);
}

// A slot is free when the process has exited, even before the server has acknowledged the end.
TEST(WorkerAgent, an_exit_frees_the_slot) {
  GivenAgent given(GivenAgent::with_slots(1));
  given.run();
  EXPECT_FALSE(given.call<AcquireRequest>());
  given.exit(1);
  EXPECT_TRUE(given.call<EndCall>());
  EXPECT_TRUE(given.call<AcquireRequest>());
}

// A failed acquire is repeated with its request id, so that a grant whose reply was lost is found.
TEST(WorkerAgent, acquire_repeats_its_request_id) {
  GivenAgent given;
  given.join();
  const auto first = given.request<AcquireRequest>();
  given.reply<AcquireRequest>(refuse(Code::timed_out, "no answer"));
  given.at_deadline();
  EXPECT_EQ(given.request<AcquireRequest>().request_id, first.request_id);
  given.reply<AcquireRequest>(CallReply{std::optional<LeaseGrant>{}});
  given.at_deadline();
  EXPECT_NE(given.request<AcquireRequest>().request_id, first.request_id)
      << "answered: the next is a new one";
}

// The same lease twice is one run.
TEST(WorkerAgent, a_grant_twice_is_one_run) {
  GivenAgent given;
  given.run();
  given.grant(small_grant());
  EXPECT_FALSE(given.has<Spawn>());
  EXPECT_EQ(given.agent.running(), 1U);
}

// Joins again if the server does not know the worker (another data folder); runs continue.
TEST(WorkerAgent, joins_again_when_the_server_does_not_know_it) {
  GivenAgent given;
  given.run();
  given.reply<AcquireRequest>(refuse(Code::not_found, "no worker wk_1"));
  EXPECT_EQ(given.request<JoinRequest>().request_id, "w");
  EXPECT_FALSE(given.has<Kill>());
  given.reply<JoinRequest>(CallReply{JoinReply{WorkerId{9}, seconds(15), seconds(3)}});
  EXPECT_EQ(given.agent.worker(), WorkerId{9});
  EXPECT_EQ(given.request<AcquireRequest>().worker, WorkerId{9});
}

// The server was restored from a backup, in which another worker has the same number.
TEST(WorkerAgent, joins_again_when_its_epoch_is_stale) {
  GivenAgent given;
  given.when(Tick{});
  given.reply<JoinRequest>(CallReply{JoinReply{WorkerId{1}, seconds(15), seconds(3), Epoch{5}}});
  EXPECT_EQ(given.request<AcquireRequest>().epoch, Epoch{5});
  given.grant(small_grant());
  EXPECT_EQ(given.request<BeatCall>().request.epoch, Epoch{5});
  given.reply<BeatCall>(refuse(Code::stale_epoch, "wk_1 is another one in this ledger"));
  ASSERT_TRUE(given.call<JoinRequest>());
  EXPECT_FALSE(given.has<Kill>());
  given.reply<JoinRequest>(CallReply{JoinReply{WorkerId{9}, seconds(15), seconds(3), Epoch{8}}});
  EXPECT_EQ(given.request<BeatCall>().request.epoch, Epoch{8});
}

// Heartbeats name every lease, at the server's period.
TEST(WorkerAgent, beats_at_the_period_of_the_join_reply) {
  GivenAgent given;
  given.join();
  EXPECT_FALSE(given.call<BeatCall>()) << "there is no lease to keep";
  given.grant(small_grant(1));
  EXPECT_EQ(given.request<BeatCall>().request.leases, std::vector{LeaseId{1}});
  given.reply<BeatCall>(CallReply{BeatReply{{{LeaseId{1}, Order::none, {}}}}});
  given.after(seconds(3) - microseconds(1));
  EXPECT_FALSE(given.call<BeatCall>());
  given.after(microseconds(1));
  EXPECT_TRUE(given.call<BeatCall>());
}

// Lost heartbeats do not stop a run: only an order of the server does.
TEST(WorkerAgent, continues_runs_without_the_server) {
  GivenAgent given;
  given.run();
  for (int i = 0; i < 100; ++i) {
    while (!given.call<BeatCall>()) given.at_deadline();
    given.reply<BeatCall>(away());
    EXPECT_FALSE(given.has<Kill>() || given.has<Terminate>());
  }
  EXPECT_EQ(given.agent.running(), 1U);
}

// GPUs are assigned lowest first and are free after the exit.
TEST(WorkerAgent, hands_out_gpus) {
  GivenAgent given(GivenAgent::with_slots(4, 2));
  auto wants_gpu = [](std::int64_t lease) {
    LeaseGrant grant = small_grant(lease);
    grant.resources = {1, 1};
    return grant;
  };
  given.run(wants_gpu(1));
  EXPECT_EQ(given.all<Spawn>()[0].gpus, std::vector{0});
  EXPECT_EQ(given.request<AcquireRequest>().gpus, 1);
  given.grant(wants_gpu(2));
  EXPECT_EQ(given.all<Spawn>()[0].gpus, std::vector{1});
  given.exit(1, 1);
  given.reply<AcquireRequest>(CallReply{std::optional<LeaseGrant>{}});
  given.after(seconds(1));
  given.grant(wants_gpu(3));
  EXPECT_EQ(given.all<Spawn>()[0].gpus, std::vector{0});
}

LeaseGrant gpu_grant(std::int64_t lease) {
  LeaseGrant grant = small_grant(lease);
  grant.resources = {1, 1};
  return grant;
}

// Two runs hold both GPUs of a worker with four slots, and the first ends while the request for
// work waits at the server.
GivenAgent given_a_freed_gpu() {
  GivenAgent given(GivenAgent::with_slots(4, 2));
  given.run(gpu_grant(1));
  given.grant(gpu_grant(2));
  given.after(seconds(3));
  given.exit(1, 1);
  return given;
}

AcquireRequest newest_request(const GivenAgent& given) {
  AcquireRequest newest;
  for (const Send& send : given.open)
    if (const auto* request = std::get_if<AcquireRequest>(&send.call)) newest = *request;
  return newest;
}

std::ptrdiff_t requests_in_flight(const GivenAgent& given) {
  return std::ranges::count_if(given.open, [](const Send& send) {
    return std::holds_alternative<AcquireRequest>(send.call);
  });
}

// A request that waits with an old offer would let the GPU idle for up to 20 s.
TEST(WorkerAgent, offers_a_freed_gpu_at_once) {
  const GivenAgent given = given_a_freed_gpu();
  const auto newest = newest_request(given);
  EXPECT_EQ(requests_in_flight(given), 2);
  EXPECT_EQ(std::pair(newest.cpus, newest.gpus), std::pair(3, 1));
  EXPECT_NE(newest.request_id, given.request<AcquireRequest>().request_id);
}

TEST(WorkerAgent, runs_that_end_together_cause_one_request) {
  GivenAgent given = given_a_freed_gpu();
  given.exit(1, 2);
  EXPECT_EQ(requests_in_flight(given), 2) << "the replaced one is not answered yet";
  given.reply<AcquireRequest>(CallReply{std::optional<LeaseGrant>{}});
  EXPECT_EQ(requests_in_flight(given), 1) << "not within the pause";
  given.after(limits::replace_pause);
  EXPECT_EQ(requests_in_flight(given), 2);
  EXPECT_EQ(newest_request(given).gpus, 2);
}

// The server may have granted the replaced request before the newer one arrived.
TEST(WorkerAgent, keeps_the_grant_of_a_replaced_request) {
  GivenAgent given = given_a_freed_gpu();
  given.grant(gpu_grant(3));
  ASSERT_TRUE(given.has<Spawn>());
  EXPECT_EQ(given.all<Spawn>()[0].gpus, std::vector{0});
  given.after(limits::replace_pause);
  EXPECT_EQ(newest_request(given).gpus, 0) << "the offer has shrunk";
}

TEST(WorkerAgent, repeats_a_replaced_request_whose_reply_was_lost) {
  GivenAgent given = given_a_freed_gpu();
  const auto replaced = given.request<AcquireRequest>();
  given.reply<AcquireRequest>(refuse(Code::timed_out, "no answer"));
  given.reply<AcquireRequest>(CallReply{std::optional(gpu_grant(3))});
  given.at_deadline();
  const auto sent = given.all<Send>();
  const auto again = std::ranges::find_if(sent, [&](const Send& send) {
    const auto* request = std::get_if<AcquireRequest>(&send.call);
    return request != nullptr && request->request_id == replaced.request_id;
  });
  ASSERT_NE(again, sent.end());
  EXPECT_EQ(std::get<AcquireRequest>(again->call).wait, Duration{}) << "it would wait for nothing";
}

// A second outage began with the longest pause of the first one.
TEST(WorkerAgent, repeats_a_replaced_request_soon_although_an_earlier_one_failed_often) {
  GivenAgent given = given_a_freed_gpu();
  const auto is_open = [&](const std::string& id) {
    return std::ranges::find_if(given.open, [&](const Send& send) {
      const auto* request = std::get_if<AcquireRequest>(&send.call);
      return request != nullptr && request->request_id == id;
    });
  };
  const auto answer = [&](const std::string& id, Result<CallReply> reply) {
    for (int i = 0; i < 100 && is_open(id) == given.open.end(); ++i) given.at_deadline();
    const auto send = is_open(id);
    ASSERT_NE(send, given.open.end());
    const Replied replied{send->id, std::move(reply)};
    given.open.erase(send);
    given.when(replied);
  };
  const std::string first = given.request<AcquireRequest>().request_id;
  for (int i = 0; i < 8; ++i) answer(first, away());
  answer(first, CallReply{std::optional<LeaseGrant>{}});
  const std::string second = given.request<AcquireRequest>().request_id;
  given.exit(1, 2);  // replaces it
  given.after(limits::replace_pause);
  answer(second, away());
  const Instant failed = given.now;
  answer(second, away());
  EXPECT_LE(given.now - failed, seconds(1));
}

// The first call that a server with another ledger refuses may be a heartbeat.
TEST(WorkerAgent, joins_again_while_a_request_for_work_is_in_flight) {
  GivenAgent given = given_a_freed_gpu();
  given.reply<BeatCall>(refuse(Code::not_found, "no worker wk_1"));
  given.reply<JoinRequest>(CallReply{JoinReply{WorkerId{9}, seconds(15), seconds(3)}});
  given.after(seconds(1));
  while (given.call<AcquireRequest>() && given.request<AcquireRequest>().worker == WorkerId{1})
    given.reply<AcquireRequest>(refuse(Code::not_found, "no worker wk_1"));
  if (given.call<JoinRequest>())
    given.reply<JoinRequest>(CallReply{JoinReply{WorkerId{9}, seconds(15), seconds(3)}});
  EXPECT_EQ(newest_request(given).worker, WorkerId{9});
}

// A run that does not fit the free slots is returned at once.
TEST(WorkerAgent, returns_a_grant_that_does_not_fit) {
  GivenAgent given(GivenAgent::with_slots(1));
  given.join();
  LeaseGrant grant = small_grant();
  grant.resources.cpus = 4;
  given.grant(grant);
  EXPECT_FALSE(given.has<Spawn>());
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::requeue_requested);
}

// SIGTERM to the worker: TERM to all, KILL after 10 s, the runs return to the queue, then it exits.
TEST(WorkerAgent, drains) {
  GivenAgent given;
  given.run();
  given.when(Drain{});
  EXPECT_TRUE(given.has<Terminate>());
  given.no_work();
  given.after(seconds(10));
  EXPECT_TRUE(given.has<Kill>());
  given.killed_by(9);
  EXPECT_EQ(given.request<EndCall>().request.reason, EndReason::requeue_requested);
  EXPECT_FALSE(given.has<Quit>());
  given.reply<EndCall>(CallReply{Done{}});
  EXPECT_TRUE(given.has<Forget>());
  EXPECT_TRUE(given.has<Quit>());
  EXPECT_TRUE(given.agent.done());
}

TEST(WorkerAgent, a_second_signal_kills_at_once) {
  GivenAgent given;
  given.run();
  given.when(Drain{});
  given.when(Drain{true});
  EXPECT_TRUE(given.has<Kill>());
}

// While draining it requests no work and returns a grant that arrives.
TEST(WorkerAgent, takes_no_work_while_draining) {
  GivenAgent given;
  given.run();
  given.when(Drain{});
  given.grant(small_grant(2));
  EXPECT_FALSE(given.has<Spawn>());
  EXPECT_EQ(given.request<EndCall>().lease, LeaseId{2});
  EXPECT_EQ(given.request<AcquireRequest>().cpus, 0);
  given.no_work();
  given.after(seconds(1));
  EXPECT_FALSE(given.call<AcquireRequest>());
}

// An unreachable server does not keep a worker from exiting: the leases expire.
TEST(WorkerAgent, leaves_without_the_server) {
  GivenAgent given;
  given.run();
  given.when(Drain{});
  given.exit(143);
  for (int i = 0; i < 1000 && !given.agent.done(); ++i) {
    if (given.call<EndCall>()) given.reply<EndCall>(away());
    if (!given.agent.done()) given.at_deadline();
  }
  EXPECT_TRUE(given.agent.done());
  EXPECT_LE(given.now - Instant{1'000'000'000}, seconds(16));
}

// A server that replies to polls at once without work is not polled in a tight loop.
TEST(WorkerAgent, polls_no_faster_than_four_times_a_second) {
  GivenAgent given;
  given.join();
  int polls = 0;
  for (const Instant end = given.now + seconds(10); given.now < end; given.at_deadline())
    if (given.call<AcquireRequest>()) {
      given.reply<AcquireRequest>(CallReply{std::optional<LeaseGrant>{}});
      ++polls;
    }
  EXPECT_LE(polls, 41);
}

// The same inputs give the same actions: a copy has the same future.
TEST(WorkerAgent, is_a_value) {
  GivenAgent given;
  given.run();
  GivenAgent copy = given;
  given.report(0);
  copy.report(0);
  EXPECT_EQ(given.last.size(), copy.last.size());
  EXPECT_EQ(given.call<ReportCall>()->id, copy.call<ReportCall>()->id);
}

// Replies that come twice or late, and inputs for unknown leases, change nothing.
TEST(WorkerAgent, ignores_unknown_replies_and_leases) {
  GivenAgent given;
  given.run();
  EXPECT_TRUE(given.when(Replied{999, CallReply{Done{}}}).empty());
  EXPECT_TRUE(given.when(LineReceived{LeaseId{77}, ReportLine{}, Origin::socket}).empty());
  EXPECT_TRUE(given.when(Exited{LeaseId{77}, false, 0, ""}).empty());
  EXPECT_TRUE(given.when(NotStarted{LeaseId{77}, "?"}).empty());
}

}  // namespace
}  // namespace hone::worker
