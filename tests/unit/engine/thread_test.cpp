// The thread around the engine and its inbox: many producers, one answer each, an orderly end.
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "server/engine/engine_thread.hpp"
#include "server/engine/inbox.hpp"
#include "tests/unit/db/given.hpp"

namespace hone {
namespace {

Envelope join_request(const std::string& request, std::function<void(Result<Reply>)> reply) {
  return {Join{{request, "host", 1, 64, 0, "test"}}, std::move(reply)};
}

EngineThread::Hooks quiet_hooks() {
  return {[](std::int64_t) {}, [](const std::string& why, Culprit) { FAIL() << why; }};
}

// A worker has joined and waits for work; the future has what it was answered.
struct Waiting {
  Command acquire;
  std::future<Result<Reply>> answer;
};

Waiting wait_for_work(EngineThread& engine, Duration patience) {
  const auto joined = std::make_shared<std::promise<Result<Reply>>>();
  EXPECT_TRUE(
      engine.push(join_request("join", [=](Result<Reply> r) { joined->set_value(std::move(r)); }))
          .ok());
  const auto worker = std::get<JoinReply>(*joined->get_future().get()).worker;
  const auto polled = std::make_shared<std::promise<Result<Reply>>>();
  Waiting waiting{Acquire{{"a", worker, 1, 0, patience}}, polled->get_future()};
  EXPECT_TRUE(
      engine.push({waiting.acquire, [=](Result<Reply> r) { polled->set_value(std::move(r)); }})
          .ok());
  return waiting;
}

TEST(Inbox, RefusesWhenFullAndWhenClosed) {
  Inbox inbox(2);
  EXPECT_TRUE(inbox.push({}).ok());
  EXPECT_TRUE(inbox.push({}).ok());
  const auto full = inbox.push({});
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().code, Code::busy);
  inbox.close();
  EXPECT_EQ(inbox.push({}).error().code, Code::unavailable);
}

TEST(Inbox, GivesWhatIsQueuedInOrderAndInBatchesThenFinishes) {
  Inbox inbox(8);
  for (std::int64_t i = 1; i <= 5; ++i) ASSERT_TRUE(inbox.push({Steer{{i}, {}}, {}}).ok());
  inbox.close();
  std::vector<std::int64_t> seen;
  for (auto batch = inbox.take(std::nullopt, 2); !batch.finished;
       batch = inbox.take(std::nullopt, 2)) {
    EXPECT_LE(batch.envelopes.size(), 2U);
    for (const auto& envelope : batch.envelopes)
      seen.push_back(std::get<Steer>(envelope.command).sweep.value);
  }
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
}

TEST(Inbox, StopsWaitingWhenPatienceIsOver) {
  Inbox inbox(1);
  const auto batch = inbox.take(milliseconds(1), 1);
  EXPECT_TRUE(batch.envelopes.empty());
  EXPECT_FALSE(batch.finished);
}

TEST(EngineThread, AnswersEveryAcceptedEnvelopeExactlyOnce) {
  const auto db = open_in_memory();
  constexpr int producers = 8;
  constexpr int each = 500;
  std::vector<std::atomic<int>> answers(producers * each);
  std::atomic<int> accepted = 0;
  EngineThread engine(*db, quiet_hooks());
  std::vector<std::thread> threads;
  for (int p = 0; p < producers; ++p)
    threads.emplace_back([&, p] {
      for (int i = 0; i < each; ++i) {
        auto& count = answers[static_cast<std::size_t>(p * each + i)];
        const auto request = std::to_string(p) + "/" + std::to_string(i);
        const auto reply = [&count](const Result<Reply>& r) { count += r.ok() ? 1 : 1000; };
        if (engine.push(join_request(request, reply)).ok())
          ++accepted;
        else
          count = -1;  // full: that must have dropped it
      }
    });
  for (auto& thread : threads) thread.join();
  engine.stop();
  int answered = 0;
  for (const auto& count : answers) {
    EXPECT_TRUE(count == 1 || count == -1) << count;
    answered += count == 1;
  }
  EXPECT_EQ(answered, accepted);
  EXPECT_EQ(db->execAndGet("SELECT count(*) FROM worker").getInt(), accepted);
}

TEST(EngineThread, StopDrainsReleasesThoseWhoWaitAndRefusesFromThenOn) {
  const auto db = open_in_memory();
  EngineThread engine(*db, quiet_hooks());
  Waiting waiting = wait_for_work(engine, seconds(20));
  engine.stop();
  engine.stop();
  const auto released = waiting.answer.get();
  ASSERT_FALSE(released.ok());
  EXPECT_EQ(released.error().code, Code::unavailable);
  EXPECT_EQ(engine.push({waiting.acquire, {}}).error().code, Code::unavailable);
}

TEST(EngineThread, WakesAtADeadlineByItself) {
  const auto db = open_in_memory();
  EngineThread engine(*db, quiet_hooks());
  Waiting waiting = wait_for_work(engine, milliseconds(5));
  const auto empty = waiting.answer.get();
  ASSERT_TRUE(empty.ok());
  EXPECT_FALSE(std::get<std::optional<LeaseGrant>>(*empty).has_value());
}

TEST(EngineThread, TellsTheNewestSeqAfterEveryCommit) {
  const auto db = open_in_memory();
  std::vector<std::int64_t> told;  // written by the engine's thread, read after stop()
  {
    EngineThread engine(
        *db, {[&](std::int64_t seq) { told.push_back(seq); }, [](const std::string&, Culprit) {}});
    for (int i = 0; i < 50; ++i)
      ASSERT_TRUE(engine.push(join_request(std::to_string(i), [](const Result<Reply>&) {})).ok());
  }
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.front(), 1);
  EXPECT_EQ(told.back(), 51);
}

TEST(EngineThreadDeathTest, AFailedCommitEndsTheProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const auto db = open_in_memory();
        EngineThread engine(*db, {[](std::int64_t) {},
                                  [](const std::string& why, Culprit) {
                                    std::fprintf(stderr, "fatal: %s\n", why.c_str());
                                    std::_Exit(70);
                                  }});
        sqlite3_commit_hook(
            db->getHandle(), [](void*) { return 1; }, nullptr);
        std::promise<void> never;
        static_cast<void>(
            engine.push(join_request("join", [](const Result<Reply>&) { std::_Exit(0); })));
        never.get_future().wait();
      },
      testing::ExitedWithCode(70), "fatal: ");
}

}  // namespace
}  // namespace hone
