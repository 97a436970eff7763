// Ended sweeps that leave memory: what comes back equals what left, no command notices, and no boot
// misses one.
#include "db/ledger/leave_out.hpp"
#include "db/queries/queries.hpp"
#include "server/engine/book_archive.hpp"
#include "server/engine/book_snapshot.hpp"
#include "tests/unit/db/storm.hpp"
#include "tests/unit/engine/given.hpp"

namespace hone {
namespace {

constexpr EndedBounds none_kept{0, 0};

Book folded(SQLite::Database& db) {
  Book book;
  Ledger(db).replay(0, [&](const Event& event) { evolve(book, event); });
  return book;
}

std::vector<std::string> events_of(SQLite::Database& db) {
  SQLite::Statement rows(db, "SELECT seq || ' ' || at || ' ' || kind || ' ' || body FROM event");
  std::vector<std::string> events;
  while (rows.executeStep()) events.push_back(rows.getColumn(0).getString());
  return events;
}

struct EndedSweep : testing::Test {
  EngineGiven given{Instant{1'700'000'000'000'000}, none_kept};
  WorkerId worker = given.join();

  // Trains every trial of a new sweep. Returns its leases.
  std::vector<LeaseId> end_sweep(const std::string& name, int trials = 2) {
    given.submit(name, small_spec(trials, 1));
    std::vector<LeaseId> leases;
    for (int i = 0; i < trials; ++i) {
      const auto grant = given.granted(worker, name + std::to_string(i));
      given.step(SaveModel{grant.lease, {std::string(64, 'a'), 10, 30, 0}});
      given.step(Report{grant.lease, {0, 30, Score::of(i)}});
      leases.push_back(grant.lease);
    }
    return leases;
  }
  [[nodiscard]] bool in_memory(SweepId id) const {
    return given.engine->book().sweeps.contains(id);
  }
  std::string snapshot() {
    const auto seq = given.engine->last_seq();
    return snapshot_text(given.engine->book(), seq, event_text(*given.db, seq), book_stamp());
  }
  void expect_the_book_of_the_ledger() {
    EXPECT_EQ(archive_book(given.engine->whole_book()), archive_book(folded(*given.db)));
  }
};

TEST(SweepPart, ThatIsRemovedAndInsertedIsTheSameInEveryState) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto db = open_in_memory();
    FedLedger fed(*db);
    Storm storm(seed, [&](const Command& c, Instant now) { return fed.perform(c, now); });
    for (int part = 0; part < 8; ++part) {
      storm.blow(40);
      const std::string whole = archive_book(fed.book);
      std::vector<std::string> parts;
      std::vector<SweepId> ids;
      for (const auto& [id, sweep] : fed.book.sweeps) ids.push_back(id);
      for (const SweepId id : ids) {
        parts.push_back(archive_sweep(fed.book, id));
        remove_sweep(fed.book, id);
      }
      EXPECT_TRUE(fed.book.trials.empty() && fed.book.models.empty());
      for (const std::string& bytes : parts) insert_sweep(fed.book, bytes);
      ASSERT_EQ(archive_book(fed.book), whole) << "seed " << seed;
    }
  }
}

TEST(EndedSweeps, ThatComeAndGoBetweenCommandsLeaveTheSameLedger) {
  std::size_t missing = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    EngineGiven kept;
    EngineGiven gone(kept.now, seed % 2 == 0 ? none_kept : EndedBounds{2, 20});
    for (EngineGiven* given : {&kept, &gone}) {
      int commands = 0;
      Storm storm(seed, [&](const Command& command, Instant now) {
        given->now = now;
        const auto reply = *given->step(command).reply;
        missing += static_cast<std::size_t>(given->engine->book().last_sweep) -
                   given->engine->book().sweeps.size();
        if (++commands % 97 == 0) given->restart();
        return reply;
      });
      storm.blow(500);
    }
    EXPECT_EQ(events_of(*gone.db), events_of(*kept.db)) << "seed " << seed;
    EXPECT_EQ(archive_book(gone.engine->whole_book()), archive_book(kept.engine->book()));
    EXPECT_EQ(archive_book(kept.engine->book()), archive_book(folded(*kept.db)));
  }
  EXPECT_GT(missing, 0U) << "no sweep left memory";
}

TEST_F(EndedSweep, IsThereForEveryCommandThatNamesIt) {
  const auto leases = end_sweep("first");
  const SweepId id{1};
  ASSERT_FALSE(in_memory(id));
  EXPECT_TRUE(given.engine->book().trials.empty());
  EXPECT_EQ(given.step(Steer{id, {Verb::stop}}).as<Steered>().state, SweepState::completed);
  EXPECT_FALSE(in_memory(id)) << "it leaves again";
  EXPECT_TRUE(given.step(Report{leases[0], {0, 30, Score::of(0)}}).reply->ok());
  EXPECT_TRUE(given.step(SaveArtifact{leases[1], {"a.png", std::string(64, 'b'), 9}}).reply->ok());
  EXPECT_TRUE(given.step(Archive{id, {true}}).reply->ok());
  EXPECT_TRUE(given.step(Pin{TrialId{1}, {true}}).reply->ok());
  EXPECT_TRUE(given.step(AddNote{{"n", RunId{TrialId{2}, 0}, "text", "ada"}}).reply->ok());
  TellRequest tell;
  tell.score = Score::of(1);
  EXPECT_EQ(given.step(Tell{TrialId{2}, tell}).as<TellReply>().verdict.reason,
            VerdictReason::last_phase);
  EXPECT_TRUE(given.step(Edit{id, {"e", 1, {}, {}}}).refused()) << "it has two trials";
  EXPECT_TRUE(given.step(Pin{TrialId{77}, {true}}).refused());
  const auto confirmed = given.step(Confirm{id, {"c", 1, 2}}).as<Submitted>();
  EXPECT_EQ(confirmed.sweep, SweepId{2});
  SweepSpec warm = small_spec(1, 1);
  warm.search.warm_start = {id};
  const SweepId warmed = given.submit("warm", warm);
  EXPECT_EQ(given.engine->book().sweeps.at(warmed).history.foreign(), 2U);
  expect_the_book_of_the_ledger();
}

TEST_F(EndedSweep, ThatChangedSinceTheSnapshotIsReplayedFromItsStateThen) {
  const auto leases = end_sweep("first");
  end_sweep("second");
  given.step(Confirm{SweepId{1}, {"c1", 1, 2}});
  const std::string text = snapshot();
  given.step(Confirm{SweepId{1}, {"c2", 1, 2}});  // a second time would be counted twice
  given.step(SaveArtifact{leases[1], {"a.png", std::string(64, 'b'), 9}});
  ASSERT_FALSE(in_memory(SweepId{1}));
  for (int boot = 0; boot < 2; ++boot) {
    auto restored = restore(text, *given.db, book_stamp());
    ASSERT_TRUE(restored.ok()) << restored.error().detail;
    given.restart(*std::move(restored));
    expect_the_book_of_the_ledger();
    given.idle();
  }
  given.restart();
  EXPECT_FALSE(in_memory(SweepId{2})) << "a replay of the whole ledger lets sweeps leave as well";
  expect_the_book_of_the_ledger();
}

TEST_F(EndedSweep, WithoutItsRowMakesTheSnapshotUseless) {
  end_sweep("first");
  const std::string text = snapshot();
  ASSERT_TRUE(restore(text, *given.db, book_stamp()).ok());
  given.db->exec("UPDATE ended_sweep SET stamp = 'another build'");
  EXPECT_FALSE(restore(text, *given.db, book_stamp()).ok());
  given.db->exec("DELETE FROM ended_sweep");
  EXPECT_FALSE(restore(text, *given.db, book_stamp()).ok());
}

TEST_F(EndedSweep, WhoseRowIsDamagedIsNeverRead) {
  end_sweep("first");
  given.db->exec("UPDATE ended_sweep SET state = zeroblob(length(state))");
  const Sent& refused = given.step(Archive{SweepId{1}, {true}});
  ASSERT_TRUE(refused.refused());
  EXPECT_EQ(refused.reply->error().code, Code::internal);
  EXPECT_NE(refused.reply->error().detail.find("sw_1 cannot be used"), std::string::npos);
  EXPECT_FALSE(given.step(Join{{"join", "host", 1, 64, 0, "test"}}).refused())
      << "the others are served";
  given.restart();  // a replay makes the row again
  EXPECT_TRUE(given.step(Archive{SweepId{1}, {true}}).reply->ok());
}

TEST_F(EndedSweep, OfAWorkersFailuresIsThereForTheNextOne) {
  given.join("another");
  given.now = given.now + seconds(1);
  SweepSpec spec = small_spec(1, 1);
  spec.limits.max_retries = 0;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "failing" + std::to_string(i);
    given.submit(name, spec);
    const auto grant = given.granted(worker, name);
    const EndRequest end{EndReason::signal, 9, "killed", "", Failure::infra};
    ASSERT_TRUE(given.step(End{grant.lease, end}).reply->ok());
    given.step(Steer{grant.sweep, {Verb::kill}});
    ASSERT_FALSE(in_memory(grant.sweep));
  }
  EXPECT_TRUE(given.engine->book().workers.at(worker).aside_until) << "three failed in a row";
  expect_the_book_of_the_ledger();
}

TEST(EndedSweeps, KeepTheOnesUsedLast) {
  EngineGiven given({1'700'000'000'000'000}, {4, 1000});
  for (int i = 1; i <= 4; ++i)
    given.step(Steer{given.submit("s" + std::to_string(i)), {Verb::kill}});
  EXPECT_EQ(given.engine->book().sweeps.size(), 4U);
  given.step(Archive{SweepId{1}, {true}});
  given.step(Steer{given.submit("s5"), {Verb::kill}});
  EXPECT_EQ(given.engine->book().sweeps.size(), 2U) << "half of the bound";
  EXPECT_TRUE(given.engine->book().sweeps.contains(SweepId{1})) << "it was used";
  EXPECT_TRUE(given.engine->book().sweeps.contains(SweepId{5}));
}

// Ids without gaps were assumed: a removed sweep was taken for one whose row is lost.
TEST_F(EndedSweep, ThatWasRemovedFromTheLedgerIsUnknownToEveryCommand) {
  const auto leases = end_sweep("first");
  end_sweep("second");
  std::set<std::int64_t> events;
  SQLite::Statement rows(*given.db, "SELECT seq FROM event WHERE sweep = 1");
  while (rows.executeStep()) events.insert(rows.getColumn(0).getInt64());
  rows.reset();
  given.engine.reset();
  leave_out(*given.db, events);
  given.restart();
  const SweepId id{1};
  TellRequest tell;
  tell.score = Score::of(1);
  SweepSpec warm = small_spec(1, 1);
  warm.search.warm_start = {id};
  const EvaluateRequest evaluate{"e", {}};
  const std::vector<Command> commands{Steer{id, {Verb::stop}},
                                      Archive{id, {true}},
                                      Edit{id, {"e", 1, {}, {}}},
                                      Confirm{id, {"c", 1, 2}},
                                      Ask{id, {"asker"}},
                                      Pin{TrialId{1}, {true}},
                                      Tell{TrialId{1}, tell},
                                      AddNote{{"n", id, "text", "ada"}},
                                      AddNote{{"n", ModelId{1}, "text", "ada"}},
                                      Evaluate{ModelId{1}, evaluate},
                                      Submit{{"warm", warm, {}}}};
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Sent& sent = given.step(commands[i]);
    ASSERT_TRUE(sent.refused()) << i;
    EXPECT_EQ(sent.reply->error().code, Code::not_found) << i << sent.reply->error().detail;
  }
  EXPECT_TRUE(given.step(Report{leases[0], {0, 30, Score::of(0)}}).refused());
  EXPECT_TRUE(given.step(Archive{SweepId{2}, {true}}).reply->ok()) << "the others are served";
  auto restored = restore(snapshot(), *given.db, book_stamp());
  ASSERT_TRUE(restored.ok()) << restored.error().detail;
  given.restart(*std::move(restored));
  EXPECT_EQ(given.step(Archive{id, {false}}).reply->error().code, Code::not_found);
  expect_the_book_of_the_ledger();
}

}  // namespace
}  // namespace hone
