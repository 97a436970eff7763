// The one writer, without a thread: one commit a batch, answers after it, polls that wait.
#include <SQLiteCpp/Exception.h>

#include "server/engine/book_archive.hpp"
#include "server/limits.hpp"
#include "tests/unit/db/storm.hpp"
#include "tests/unit/engine/given.hpp"

namespace hone {
namespace {

using Grant = std::optional<LeaseGrant>;

TEST(Engine, CommitsTheStartOfTheServer) {
  EngineGiven given;
  EXPECT_EQ(given.engine->last_seq(), 1);
  EXPECT_EQ(given.engine->book().lease_length, default_lease);
}

TEST(Engine, CommitsABatchOnce) {
  EngineGiven given;
  std::vector<Envelope> batch;
  for (int i = 0; i < 64; ++i)
    given.envelope(batch, Join{{"join-" + std::to_string(i), "host", 1, 64, 0, "test"}});
  given.engine->step(std::move(batch), given.now);
  EXPECT_EQ(given.commits, 1);
  EXPECT_EQ(given.engine->last_seq(), 65);
  EXPECT_EQ(given.events(), 65);
}

TEST(Engine, RepliesAfterTheCommit) {
  EngineGiven given;
  int commits_at_reply = -1;
  given.engine->step({{Join{{"join", "host", 1, 64, 0, "test"}},
                       [&](const Result<Reply>&) { commits_at_reply = given.commits; }}},
                     given.now);
  EXPECT_EQ(commits_at_reply, 1);
}

TEST(Engine, ACommandSeesTheEventsOfTheOnesBeforeItInTheBatch) {
  EngineGiven given;
  const auto worker = given.join();
  std::vector<Envelope> batch;
  given.envelope(batch, Submit{{"submit", small_spec(), {}}});
  const Sent& grant = given.envelope(batch, EngineGiven::acquire(worker, "acquire"));
  given.engine->step(std::move(batch), given.now);
  EXPECT_TRUE(grant.as<Grant>().has_value());
}

TEST(Engine, WritesNothingForARefusedCommand) {
  EngineGiven given;
  const Sent& sent = given.step(Steer{{7}, {Verb::stop}});
  ASSERT_TRUE(sent.refused());
  EXPECT_EQ(sent.reply->error().code, Code::not_found);
  EXPECT_EQ(given.commits, 0);
  EXPECT_EQ(given.engine->last_seq(), 1);
}

// A sweep that was refused is submitted again, mended, under the same request: it is the first one.
TEST(Engine, ARefusedSweepLeavesNothingBehind) {
  EngineGiven given;
  const std::string before = archive_book(given.engine->whole_book());
  SweepSpec spec = small_spec();
  spec.search.method = "magic";
  EXPECT_TRUE(given.step(Submit{{"submit", spec, {}}}).refused());
  EXPECT_TRUE(archive_book(given.engine->whole_book()) == before);
  EXPECT_EQ(given.events(), 1);
  EXPECT_EQ(given.submit("submit"), SweepId{1});
}

TEST(Engine, ARefusedCommandDoesNotSpoilItsBatch) {
  EngineGiven given;
  std::vector<Envelope> batch;
  const Sent& bad = given.envelope(batch, Steer{{7}, {Verb::stop}});
  const Sent& good = given.envelope(batch, Join{{"join", "host", 1, 64, 0, "test"}});
  given.engine->step(std::move(batch), given.now);
  EXPECT_TRUE(bad.refused());
  EXPECT_EQ(good.as<JoinReply>().worker, WorkerId{1});
}

TEST(Engine, DoesNotCommitWhenNothingHappened) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit();
  const auto lease = given.granted(worker, "acquire").lease;
  given.step(Beat{worker, {{lease}}});  // the first sign of life is an event
  given.commits = 0;
  given.step(Beat{worker, {{lease}}});
  given.idle();
  EXPECT_EQ(given.commits, 0);
}

TEST(Engine, AFailedCommitThrowsAndSendsNoReply) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit();
  const auto events = given.events();
  given.commits_fail = true;
  std::vector<Envelope> batch;
  const Sent& first = given.envelope(batch, EngineGiven::acquire(worker, "acquire"));
  const Sent& second = given.envelope(batch, Steer{{99}, {Verb::stop}});
  EXPECT_THROW(given.engine->step(std::move(batch), given.now), SQLite::Exception);
  EXPECT_EQ(first.replies + second.replies, 0);
  EXPECT_EQ(given.events(), events);

  given.commits_fail = false;
  given.restart();
  EXPECT_EQ(given.granted(worker, "acquire").attempt.number, 1)
      << "the failed grant never happened";
}

TEST(Engine, ReplaysWhatItDecidedLive) {
  EngineGiven given;
  Storm storm(7, [&](const Command& command, Instant now) {
    given.now = now;
    const Sent& sent = given.step(command);
    EXPECT_EQ(sent.replies, 1);
    return *sent.reply;
  });
  storm.blow(2000);
  given.now = storm.now();
  given.step(Tick{});
  const auto live = archive_book(given.engine->whole_book());
  Book replayed;
  Ledger(*given.db).replay(0, [&](const Event& event) { evolve(replayed, event); });
  EXPECT_TRUE(archive_book(replayed) == live) << "the replayed book differs from the live one";
  const auto tables = dump_projection(*given.db);
  rebuild_projection(*given.db);
  EXPECT_TRUE(dump_projection(*given.db) == tables) << "the projection differs from its rebuild";
}

TEST(Engine, RequestIdsAreIdempotentAcrossARestart) {
  EngineGiven given;
  const auto sweep = given.submit("submit-1");
  const auto worker = given.join("join-1");
  const auto lease = given.granted(worker, "acquire-1").lease;
  given.restart();
  const auto events = given.events();
  EXPECT_EQ(given.submit("submit-1"), sweep);
  EXPECT_EQ(given.join("join-1"), worker);
  EXPECT_EQ(given.granted(worker, "acquire-1").lease, lease);
  EXPECT_EQ(given.events(), events);
}

TEST(Engine, TimeNeverGoesBackwards) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit();
  const auto expires = given.granted(worker, "acquire").expires_at;
  given.now = given.now - seconds(3600);
  given.join("join-2");
  EXPECT_EQ(given.engine->book().last_at, Instant{1'700'000'000'000'000});
  EXPECT_EQ(given.granted(worker, "acquire-2").expires_at, expires);
  given.restart();
  EXPECT_EQ(given.engine->book().last_at, Instant{1'700'000'000'000'000});
}

TEST(Engine, ExpiresALeaseAtItsDeadlineWithoutACommand) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit();
  const auto grant = given.granted(worker, "acquire");
  ASSERT_EQ(given.engine->next_deadline(), grant.expires_at);
  given.now = grant.expires_at;
  given.idle();
  EXPECT_EQ(find_run(given.engine->book(), grant.attempt.run)->state, RunState::queued);
}

TEST(Engine, AHeartbeatThatWaitedInTheInboxStillSavesItsLease) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit();
  const auto grant = given.granted(worker, "acquire");
  given.now = grant.expires_at + seconds(1);
  given.step(Beat{worker, {{grant.lease}}});
  EXPECT_NE(find_run(given.engine->book(), grant.attempt.run)->state, RunState::queued);
}

TEST(Engine, AnAcquireWithoutWaitIsAnsweredAtOnce) {
  EngineGiven given;
  const auto worker = given.join();
  EXPECT_FALSE(given.step(EngineGiven::acquire(worker, "a")).as<Grant>().has_value());
}

TEST(Engine, AParkedAcquireGetsTheWorkOfALaterBatchInTheSameCommit) {
  EngineGiven given;
  const auto worker = given.join();
  const Sent& poll = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  EXPECT_EQ(poll.replies, 0);
  given.commits = 0;
  given.submit();
  EXPECT_EQ(poll.replies, 1);
  EXPECT_TRUE(poll.as<Grant>().has_value());
  EXPECT_EQ(given.commits, 1);
}

TEST(Engine, ParkedAcquiresAreServedInTheOrderOfTheirArrival) {
  EngineGiven given;
  const auto worker = given.join();
  const auto other = given.join("other");
  const Sent& first = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  const Sent& second = given.step(EngineGiven::acquire(other, "b", seconds(20)));
  given.submit("submit", small_spec(1));
  EXPECT_TRUE(first.as<Grant>().has_value());
  EXPECT_EQ(second.replies, 0) << "there was one run only";
}

TEST(Engine, AParkedAcquireIsReleasedAtItsDeadline) {
  EngineGiven given;
  const auto worker = given.join();
  const Sent& poll = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  ASSERT_EQ(given.engine->next_deadline(), given.now + seconds(20));
  given.now = given.now + milliseconds(19'999);
  given.idle();
  EXPECT_EQ(poll.replies, 0);
  given.now = given.now + milliseconds(1);
  given.idle();
  EXPECT_EQ(poll.replies, 1);
  EXPECT_FALSE(poll.as<Grant>().has_value());
  EXPECT_EQ(given.engine->next_deadline(), std::nullopt);
}

TEST(Engine, AWaitIsCutToItsBound) {
  EngineGiven given;
  const auto worker = given.join();
  given.step(EngineGiven::acquire(worker, "a", seconds(3600)));
  EXPECT_EQ(given.engine->next_deadline(), given.now + limits::acquire_wait_max);
}

TEST(Engine, ParksNoMoreThanItsBound) {
  EngineGiven given;
  const auto last = given.join();
  std::vector<Envelope> batch;
  for (std::size_t i = 0; i < limits::parked_acquires_max; ++i) {
    const auto name = std::to_string(i);
    given.envelope(batch, EngineGiven::acquire(given.join(name), name, seconds(20)));
  }
  given.engine->step(std::move(batch), given.now);
  EXPECT_FALSE(given.step(EngineGiven::acquire(last, "over", seconds(20))).as<Grant>().has_value());
}

// A worker whose slots have become free would else wait with its old offer until the poll ends.
TEST(Engine, ANewerAcquireOfAWorkerReplacesItsParkedOne) {
  EngineGiven given;
  const auto worker = given.join();
  const auto other = given.join("other");
  const Sent& bystander = given.step(EngineGiven::acquire(other, "x", seconds(20)));
  const Sent& old = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  const Sent& newer = given.step(EngineGiven::acquire(worker, "b", seconds(20)));
  ASSERT_EQ(old.replies, 1);
  EXPECT_FALSE(old.as<Grant>().has_value());
  EXPECT_EQ(newer.replies + bystander.replies, 0);
  given.submit("submit", small_spec(2));
  EXPECT_TRUE(newer.as<Grant>().has_value());
  EXPECT_TRUE(bystander.as<Grant>().has_value());
  EXPECT_EQ(old.replies, 1);
}

// The reply to the first may be lost; one of the two connections may be dead.
TEST(Engine, ARepeatedAcquireGetsTheGrantOfTheFirst) {
  EngineGiven given;
  const auto worker = given.join();
  const Sent& first = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  const Sent& again = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  EXPECT_EQ(first.replies + again.replies, 0);
  given.submit();
  ASSERT_TRUE(first.as<Grant>() && again.as<Grant>());
  EXPECT_EQ(first.as<Grant>()->lease, again.as<Grant>()->lease);
}

// So a worker asks what became of a request whose reply was lost.
TEST(Engine, AnAcquireWithoutWaitReplacesNothing) {
  EngineGiven given;
  const auto worker = given.join();
  const Sent& parked = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  given.step(EngineGiven::acquire(worker, "lost"));
  EXPECT_EQ(parked.replies, 0);
}

// A worker that leaves would else get the run that it returns.
TEST(Engine, AnAcquireWithoutSlotsWithdrawsWhatWaits) {
  EngineGiven given;
  const auto worker = given.join();
  const auto other = given.join("other");
  given.submit("submit", small_spec(1));
  const auto run = given.granted(worker, "run");
  const Sent& parked = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  const Sent& bystander = given.step(EngineGiven::acquire(other, "x", seconds(20)));
  const Sent& none = given.step(Acquire{{"b", worker, 0, 0, Duration{}}});
  ASSERT_EQ(parked.replies + none.replies, 2);
  EXPECT_FALSE(parked.as<Grant>() || none.as<Grant>());
  EndRequest end;
  end.reason = EndReason::requeue_requested;
  given.step(End{run.lease, end});
  ASSERT_EQ(bystander.replies, 1);
  EXPECT_EQ(bystander.as<Grant>()->attempt, (AttemptId{run.attempt.run, 2}));
}

// The first connection is dead: the worker repeats the request only to learn what became of it.
TEST(Engine, ARepeatedAcquireWithoutSlotsWithdrawsTheFirst) {
  EngineGiven given;
  const auto worker = given.join();
  const Sent& parked = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  given.step(Acquire{{"a", worker, 0, 0, Duration{}}});
  EXPECT_EQ(parked.replies, 1);
}

TEST(Engine, ARefusedAcquireReplacesNothing) {
  EngineGiven given;
  const auto worker = given.join();
  const Sent& parked = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  EXPECT_TRUE(given.step(EngineGiven::acquire(WorkerId{77}, "b", seconds(20))).refused());
  EXPECT_EQ(parked.replies, 0);
}

TEST(Engine, AnExpiredLeaseGoesToAParkedAcquire) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit("submit", small_spec(1));
  const auto lost = given.granted(worker, "a");
  const Sent& poll = given.step(EngineGiven::acquire(worker, "b", seconds(20)));
  given.now = lost.expires_at;
  given.idle();
  EXPECT_EQ(poll.replies, 0) << "the run rests";
  given.now = given.now + seconds(1);
  given.idle();
  ASSERT_EQ(poll.replies, 1);
  EXPECT_EQ(poll.as<Grant>()->attempt, (AttemptId{lost.attempt.run, 2}));
}

TEST(Engine, ReleasesTheParkedWhenItStops) {
  EngineGiven given;
  const auto worker = given.join();
  const Sent& poll = given.step(EngineGiven::acquire(worker, "a", seconds(20)));
  given.engine->release_parked();
  given.engine->release_parked();
  EXPECT_EQ(poll.replies, 1);
  ASSERT_TRUE(poll.refused());
  EXPECT_EQ(poll.reply->error().code, Code::unavailable);
}

TEST(Engine, StoresMetricsInTheCommitOfTheBatchWithoutAnEvent) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit();
  const auto grant = given.granted(worker, "a");
  const auto events = given.events();
  given.commits = 0;
  given.step(LogMetrics{grant.lease, {{{"loss", 1, 0.5}, {"loss", 2, 0.25}}}});
  EXPECT_EQ(given.commits, 1);
  EXPECT_EQ(given.events(), events);
  EXPECT_EQ(given.db->execAndGet("SELECT count(*) FROM metric_point WHERE name = 'loss'").getInt(),
            2);
  EXPECT_TRUE(given.step(LogMetrics{{99}, {{{"loss", 3, 1}}}}).refused());
}

TEST(Engine, ADamagedLedgerStopsTheStart) {
  const auto db = open_in_memory();
  db->exec("INSERT INTO event (seq, at, kind, body) VALUES (1, 5, 'nonsense', '{}')");
  EXPECT_THROW(Engine(*db, Instant{10}), std::runtime_error);
}

}  // namespace
}  // namespace hone
