// The ledger keeps every event, in order, permanently.
#include <SQLiteCpp/Exception.h>

#include <nlohmann/json.hpp>

#include "db/ledger/chain.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/event_codec.hpp"
#include "server/engine/book_archive.hpp"
#include "tests/unit/db/given.hpp"
#include "tests/unit/db/storm.hpp"

namespace hone {
namespace {

// In an order that makes sense.
std::vector<EventBody> of_sweeps() {
  const RunId run{{1}, 0};
  const std::string digest(64, 'a');
  WorkflowInfo workflow;
  workflow.command = {"hone", "submit"};
  SweepSpec spec = small_spec();
  spec.seeds = 2;
  return {
      ServerStarted{"0.1.0", seconds(15)},
      WorkflowRecorded{{1}, workflow},
      DatasetRecorded{{1}, {"CartPole-v1", "1", ""}},
      SweepSubmitted{{1}, "request-1", spec, {1}, DatasetId{1}},
      TokenCreated{{1}, "request-0", "admin", Scope::admin, digest, std::nullopt},
      TokenCreated{{2}, "request-9", "gpu", Scope::read | Scope::worker, digest, Instant{9}, {1}},
      TokenRevoked{{2}, {1}},
      WorkerJoined{{1}, "request-2", "host", 42, 2, 1, "0.1.0", {2}},
      TrialProposed{{1},
                    {1},
                    0,
                    {{"x", 0.25}, {"n", std::int64_t{3}}, {"s", std::string("\"")}, {"b", true}}},
      LeaseGranted{{1}, {run, 1}, {1}, "request-3", std::nullopt, {15'000'000}},
      WorkflowRecorded{
          {2}, WorkflowInfo{{"train"}, "/w", "", "", "c0ffee", "main", "", "0.1.0", "", "b0b+"}},
      CodeRecorded{{1}, run, {2}},
      RunStarted{{1}},
      LeaseRenewed{{1}, {20'000'000}},
      ModelSaved{{1}, {1}, run, digest, 77, 10, 0, std::nullopt},
      ReportRecorded{{1}, run, 0, 10, Score::of(0.1)},
      VerdictGiven{run, 0, {Action::go_on, VerdictReason::good_enough, {{"rank_below", 0.5}}}},
      RunReturned{{1}, run, EndReason::worker_lost, "wk_1 is gone"},
      WorkerSeen{{1}},
      WorkerSetAside{{1}, {30'000'000}, "three runs failed there"},
      WorkerAllowed{{1}, true},
      RunReady{run, Instant{20'000'000}},
      LeaseGranted{{2}, {run, 2}, {1}, "request-4", ModelId{1}, {40'000'000}},
      ReportRecorded{{2}, run, 1, 20, Score::diverged()},
      VerdictGiven{run, 1, {Action::stop, VerdictReason::diverged, {}}},
      ModelSaved{{2}, {2}, run, digest, 77, 20, 1, ModelId{1}},
      RunEnded{run, RunState::stopped, EndReason::diverged, 0, "", "last words"},
      ModelEvaluated{{1}, "request-11", {1}, {"return", {500, 487.5}, "CartPole-v1", 7}},
      ModelDropped{{1}, run},
      ArtifactSaved{{2}, run, "plots/loss.png", digest, 12},
      TrialEnqueued{{1}, "request-5", {{"x", 0.5}}},
      RunAdded{{{1}, 2}},
      LeaseGranted{{3}, {{{1}, 2}, 1}, {1}, "request-6", std::nullopt, {60'000'000}},
      ReportRecorded{{3}, {{1}, 2}, 0, 10, Score::of(1), {Score::of(2.5), Score::diverged()}},
      VerdictGiven{{{1}, 2}, 0, {Action::pause, VerdictReason::awaits_promotion, {}}},
      RunPaused{{3}, {{1}, 2}},
      StepFinished{{3}, {{1}, 2}, 0, {{"prepare/data", digest, 12}}},
      NoteAdded{"request-7", run, "diverges late", "ada"},
      TagsChanged{ModelId{2}, {"odd", "keep"}, {"new"}},
      SweepArchived{{1}, true},
      TrialPinned{{1}, true},
      SweepEdited{{1}, "request-8", 9, 2, {{"x", -1.0, {}, {}}}},
      SweepImported{{2}, "request-10", {Event{0, {5}, SweepSubmitted{{2}, "far", spec, {1}, {}}}}},
      TrialsExpected{{1}, 0.25, {{{1}, 1.5, 1.25, 2}}},
      SweepSteered{{1}, Verb::cancel, EndReason::user_cancel},
      RunEnded{{{1}, 1}, RunState::canceled, EndReason::user_cancel, 0, "", ""},
      SweepEnded{{1}, SweepState::canceled, EndReason::user_cancel}};
}

std::vector<EventBody> of_fleets() {
  return {FleetSet{{1}, "request-11", "1a2b3c4d", FleetSpec{.name = "gpu", .engine = "slurm"}, {1}},
          FleetDecided{{1}, 2, FleetRule::demand, "two"},
          PilotWanted{{1}, {1}, FleetRule::demand, "1 of 2"},
          PilotSeen{{1}, {1}, PilotState::pending, "4711", "PENDING: Priority"},
          PilotCanceled{{1}, {1}, FleetRule::surplus},
          PilotEnded{{1}, {1}, FleetRule::completed, "CANCELLED"},
          FleetSteered{{1}, FleetState::stopped, "a user stopped it"}};
}

std::vector<EventBody> one_of_each() {
  auto bodies = of_sweeps();
  for (EventBody& body : of_fleets()) bodies.push_back(std::move(body));
  return bodies;
}

void append_all(Ledger& ledger, const std::vector<EventBody>& bodies) {
  std::int64_t seq = ledger.last_seq();
  ledger.begin();
  for (const auto& body : bodies) ledger.append({++seq, {seq * 1000}, body});
  ledger.commit();
}

TEST(Ledger, ReplaysEveryKindOfEventAsItWasAppended) {
  const auto db = open_in_memory();
  const auto bodies = one_of_each();
  Ledger ledger(*db);
  append_all(ledger, bodies);
  EXPECT_EQ(ledger.last_seq(), static_cast<std::int64_t>(bodies.size()));
  std::size_t next = 0;
  std::set<std::size_t> kinds;
  ledger.replay(0, [&](const Event& event) {
    ASSERT_LT(next, bodies.size());
    EXPECT_EQ(event.seq, static_cast<std::int64_t>(next) + 1);
    EXPECT_EQ(event.at, Instant{event.seq * 1000});
    EXPECT_EQ(kind(event.body), kind(bodies[next]));
    EXPECT_EQ(encode(event.body), encode(bodies[next]));
    kinds.insert(event.body.index());
    ++next;
  });
  EXPECT_EQ(next, bodies.size());
  EXPECT_EQ(kinds.size(), std::variant_size_v<EventAlternatives>)
      << "a kind of event is missing in this test";
}

TEST(Ledger, ReplaysFromAnySeq) {
  const auto db = open_in_memory();
  Ledger ledger(*db);
  append_all(ledger, one_of_each());
  std::vector<std::int64_t> seen;
  const std::int64_t last = ledger.last_seq();
  ledger.replay(last - 3, [&](const Event& event) { seen.push_back(event.seq); });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{last - 2, last - 1, last}));
}

TEST(Ledger, SurvivesReopening) {
  TemporaryFolder temporary;
  const auto file = temporary.file("hone.db");
  {
    const auto db = open_for_writing(file);
    Ledger ledger(**db);
    append_all(ledger, one_of_each());
  }
  const auto db = open_for_writing(file);
  EXPECT_EQ(Ledger(**db).last_seq(), static_cast<std::int64_t>(one_of_each().size()));
}

TEST(Ledger, ForgetsWhatWasRolledBack) {
  const auto db = open_in_memory();
  Ledger ledger(*db);
  ledger.begin();
  ledger.append({1, {1}, ServerStarted{"x", seconds(1)}});
  ledger.rollback();
  ledger.rollback();  // nothing is open any more
  EXPECT_EQ(ledger.last_seq(), 0);
}

TEST(Ledger, IsAppendOnly) {
  const auto db = open_in_memory();
  Ledger ledger(*db);
  append_all(ledger, one_of_each());
  EXPECT_THROW(db->exec("UPDATE event SET body = '{}' WHERE seq = 3"), SQLite::Exception);
  EXPECT_THROW(db->exec("DELETE FROM event WHERE seq = 3"), SQLite::Exception);
  EXPECT_THROW(db->exec("DELETE FROM event"), SQLite::Exception);
  EXPECT_THROW(db->exec("REPLACE INTO event (seq, at, kind, body) VALUES (3, 99999999, 'x', '{}')"),
               SQLite::Exception);
  EXPECT_EQ(ledger.last_seq(), static_cast<std::int64_t>(one_of_each().size()));
}

TEST(Ledger, HasNoGapsAndNeverGoesBackInTime) {
  const auto db = open_in_memory();
  Ledger ledger(*db);
  const EventBody started = ServerStarted{"x", seconds(1)};
  EXPECT_DEATH(ledger.append({2, {10}, started}), "the ledger has no gaps");
  ledger.append({1, {10}, started});
  EXPECT_DEATH(ledger.append({3, {10}, started}), "the ledger has no gaps");
  EXPECT_DEATH(ledger.append({2, {9}, started}), "never goes back in time");
  ledger.append({2, {10}, started});
  EXPECT_DEATH(Ledger(*db).append({2, {10}, started}), "the ledger has no gaps");
  EXPECT_EQ(ledger.last_seq(), 2);
}

TEST(Ledger, NamesTheEventItCannotRead) {
  const auto db = open_in_memory();
  Ledger ledger(*db);
  append_all(ledger, {ServerStarted{"x", seconds(1)}});
  db->exec(
      "INSERT INTO event (seq, at, kind, body) VALUES (2, 5000, 'run_started', '{\"lease\":')");
  try {
    ledger.replay(0, [](const Event&) {});
    FAIL() << "a damaged row was read";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("event 2"), std::string::npos) << error.what();
  }
}

Result<ChainCheck> checked(SQLite::Database& db, std::int64_t after = 0) {
  return check_chain(db, after, [](std::int64_t) {});
}

TEST(Chain, AnEventWithAnotherValueWasNotNoticed) {
  const std::vector<std::string> changes{"at = at + 1",         "kind = 'x'",
                                         "sweep = 9",           "body = replace(body, '1', '2')",
                                         "link = zeroblob(32)", "link = NULL"};
  for (const std::string& change : changes) {
    const auto db = open_in_memory();
    Ledger ledger(*db);
    append_all(ledger, one_of_each());
    ASSERT_TRUE(checked(*db).ok());
    db->exec("DROP TRIGGER event_kept");
    db->exec("UPDATE event SET " + change + " WHERE seq = 4");
    const auto found = checked(*db);
    ASSERT_FALSE(found.ok()) << change;
    EXPECT_NE(found.error().detail.find("event 4"), std::string::npos) << found.error().detail;
    EXPECT_FALSE(checked(*db, 3).ok()) << change;
  }
}

TEST(Chain, ContinuesAfterARollbackAndInAnotherProcess) {
  const auto db = open_in_memory();
  const EventBody started = ServerStarted{"x", seconds(1)};
  {
    Ledger ledger(*db);
    ledger.begin();
    ledger.append({1, {1}, started});
    ledger.commit();
    ledger.begin();
    ledger.append({2, {2}, started});
    ledger.rollback();
  }
  Ledger again(*db);
  again.append({2, {3}, started});
  again.append({3, {4}, started});
  const auto found = checked(*db);
  ASSERT_TRUE(found.ok()) << found.error().detail;
  EXPECT_EQ(found->linked, 3);
  EXPECT_EQ(found->head.size(), 32U);
}

TEST(Chain, BeginsAfterTheEventsOfAnOlderHone) {
  const auto db = open_in_memory();
  db->exec("INSERT INTO event (seq, at, kind, body) VALUES (1, 1, 'x', '{}'), (2, 2, 'x', '{}')");
  ASSERT_TRUE(checked(*db).ok());
  Ledger ledger(*db);
  ledger.append({3, {3}, ServerStarted{"x", seconds(1)}});
  const auto found = checked(*db);
  ASSERT_TRUE(found.ok()) << found.error().detail;
  EXPECT_EQ(found->unlinked, 2);
  EXPECT_EQ(found->linked, 1);
}

TEST(Ledger, KeepsTheDigestsOfRequests) {
  const auto db = open_in_memory();
  Ledger ledger(*db);
  EXPECT_EQ(ledger.request_digest("a"), std::nullopt);
  ledger.begin();
  ledger.keep_request("a", "1");
  ledger.commit();
  EXPECT_EQ(ledger.request_digest("a"), "1");
}

TEST(Ledger, KnowsTheSweepOfEveryEventThatBelongsToOne) {
  const auto db = open_in_memory();
  Ledger ledger(*db);
  append_all(ledger, one_of_each());
  SQLite::Statement rows(*db, "SELECT kind, sweep FROM event");
  while (rows.executeStep()) {
    const std::string name = rows.getColumn(0).getString();
    static const std::set<std::string> of_no_sweep{
        "server_started", "workflow_recorded", "dataset_recorded", "worker_joined",
        "worker_seen",    "worker_set_aside",  "worker_allowed",   "token_created",
        "token_revoked",  "fleet_set",         "fleet_steered",    "fleet_decided",
        "pilot_wanted",   "pilot_seen",        "pilot_canceled",   "pilot_ended"};
    const bool free = of_no_sweep.contains(name);
    EXPECT_EQ(rows.isColumnNull(1), free) << name;
    if (!free) {
      EXPECT_EQ(rows.getColumn(1).getInt(), name == "sweep_imported" ? 2 : 1) << name;
    }
  }
}

TEST(Ledger, KeepsTheNewestValueOfAMetricAtAStep) {
  const auto db = open_in_memory();
  Ledger ledger(*db);
  append_all(ledger, one_of_each());
  ledger.begin();
  ledger.append_metrics({{1}, 0}, {1}, {{"loss", 1, 0.5}, {"loss", 2, 0.4}, {"a/b", 1, 7}});
  ledger.append_metrics({{1}, 0}, {2}, {{"loss", 1, 0.25}});
  ledger.commit();
  const auto page = list_metrics(*db, {{1}, 0}, "loss", {});
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_EQ(page->items[0].value, 0.25);
  EXPECT_EQ(page->items[0].at, Instant{2});
  EXPECT_EQ(page->items[1].value, 0.4);
}

TEST(Ledger, ReplayRebuildsTheBookOfALongHistory) {
  const auto db = open_in_memory();
  FedLedger fed(*db);
  Storm storm(1, [&](const Command& c, Instant now) { return fed.perform(c, now); });
  storm.blow(3000);
  Book again;
  fed.ledger.replay(0, [&](const Event& event) { evolve(again, event); });
  EXPECT_TRUE(archive_book(again) == archive_book(fed.book));
  EXPECT_GT(fed.seq, 2000);
}

}  // namespace
}  // namespace hone
