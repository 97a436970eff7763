// A large import is written in parts: others' commands come between them, nothing of it exists
// before the last one, and its ids are given to nothing else.
#include "server/engine/book_archive.hpp"
#include "server/engine/book_snapshot.hpp"
#include "server/limits.hpp"
#include "server/sweep/history/import_parts.hpp"
#include "tests/unit/engine/given.hpp"

namespace hone {
namespace {

// The past of a sweep of so many trials, each with a checkpoint, and one of them with telemetry.
SweepPast past_of(int trials) {
  SweepPast past;
  Given there;
  const auto perform = [&](const Command& command) {
    there.now = there.now + seconds(1);
    for (const EventBody& body : there.when(command))
      if (!std::holds_alternative<WorkflowRecorded>(body) &&
          !std::holds_alternative<WorkerJoined>(body))
        past.events.push_back(Event{0, there.now, body});
    EXPECT_FALSE(there.error) << there.error->detail;
    return answer(there.book, command);
  };
  const Command join = Join{{"join", "host", 1, 1024, 0, "test"}};
  const auto worker = std::get<JoinReply>(perform(join)).worker;
  perform(Submit{{"submit", small_spec(trials, 1), {}}});
  for (int i = 0; i < trials; ++i) {
    const Command acquire = Acquire{{"a" + std::to_string(i), worker, 1, 0, {}}};
    const auto lease = std::get<std::optional<LeaseGrant>>(perform(acquire))->lease;
    perform(SaveModel{lease, {std::string(64, 'a'), 10, 30, 0}});
    perform(Report{lease, {0, 30, Score::of(i)}});
  }
  past.workers.push_back({"", "host", 1, 1024, 0, "test"});
  Series series{RunId{TrialId{1}, 0}, "loss", {}};
  for (int i = 0; i < 5000; ++i) series.points.push_back({i, 0.5, there.now});
  past.metrics.push_back(std::move(series));
  return past;
}

struct InParts : testing::Test {
  // Begins an import of some parts, and writes the first.
  Sent& begin(const std::string& request = "import") {
    std::vector<Envelope> batch;
    Sent& sent = given.envelope(batch, Import{{request, past_of(trials)}});
    batch.back().digest = "of the document";
    given.engine->step(std::move(batch), given.now);
    return sent;
  }
  Sent& begin_beside_own() {
    given.submit("own");
    own = given.granted(given.join(), "own").lease;
    return begin();
  }
  void finish(const Sent& sent) {
    for (int steps = 0; sent.replies == 0 && steps < 99; ++steps) given.idle();
    ASSERT_EQ(sent.replies, 1);
  }
  // No command may find what the unfinished import has, and none may end the process.
  void expect_nothing_of_it() {
    const ImportedIds& ids = given.engine->book().unfinished.at(SweepId{2});
    const TrialId trial{ids.trials.after + 1};
    const ModelId model{ids.models.after + 1};
    const LeaseId lease{ids.leases.after + 1};
    const std::vector<Command> commands = {
        Steer{SweepId{2}, {Verb::stop}},
        Archive{SweepId{2}, {true}},
        Edit{SweepId{2}, {"e", 999, {}, {}}},
        Confirm{SweepId{2}, {"c", 1, 2}},
        Pin{trial, {true}},
        Tell{trial, {}},
        AddNote{{"n1", SweepId{2}, "text"}},
        AddNote{{"n2", trial, "text"}},
        AddNote{{"n3", RunId{trial, 0}, "text"}},
        AddNote{{"n4", model, "text"}},
        Evaluate{model, {"v", {"return", {1.0}}}},
        Report{lease, {0, 30, Score::of(0)}},
        SaveModel{lease, {std::string(64, 'b'), 10, 30, 0}},
        SaveArtifact{lease, {"a.png", std::string(64, 'b'), 9}},
        LogMetrics{lease, {{{"loss", 1, 0.5}}}},
    };
    std::vector<Envelope> batch;
    std::vector<const Sent*> sent;
    for (const Command& command : commands) sent.push_back(&given.envelope(batch, command));
    given.engine->step(std::move(batch), given.now);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      ASSERT_TRUE(sent[i]->refused()) << "command " << i;
      EXPECT_NE(sent[i]->reply->error().code, Code::internal) << "command " << i;
    }
  }
  [[nodiscard]] std::vector<std::string> parts() const {
    SQLite::Statement rows(*given.db,
                           "SELECT coalesce(json_extract(body, '$.part'), 'whole') FROM event"
                           " WHERE kind = 'sweep_imported' ORDER BY seq");
    std::vector<std::string> found;
    while (rows.executeStep()) found.push_back(rows.getColumn(0).getString());
    return found;
  }

  static constexpr int trials = 150;
  EngineGiven given;
  LeaseId own;
};

TEST(ImportParts, of_any_size_make_the_same_book) {
  const SweepPast past = past_of(20);
  const Import import{{"import", past}};
  ASSERT_TRUE(import.fits) << import.fits.error().detail << import.fits.error().at;
  Given whole;
  whole.submit(small_spec(1), "own");
  whole.acquire(whole.join(), "own");
  const Book before = read_book(archive_book(whole.book));
  whole.when(import);
  ASSERT_FALSE(whole.error);
  // Its service is compared with that of the others only once it is continued (rejoin).
  const auto text = [](Book& book) {
    book.sweeps.at(SweepId{2}).service = {};
    return archive_book(book);
  };
  for (const std::size_t size : {1UL, 2UL, 7UL, 50UL, 1000UL}) {
    Book book = read_book(archive_book(before));
    auto parts = ImportParts::plan(book, import);
    ASSERT_TRUE(parts.ok());
    std::int64_t seq = 100;
    while (!parts->is_done())
      for (EventBody& body : parts->next(size)) {
        evolve(book, {++seq, whole.now, std::move(body)});
        EXPECT_FALSE(book.sweeps.contains(SweepId{2}));
      }
    evolve(book, {++seq, whole.now, parts->last()});
    EXPECT_EQ(text(book), text(whole.book)) << "parts of " << size;
  }
}

TEST_F(InParts, others_are_served_between_them) {
  const Sent& import = begin_beside_own();
  ASSERT_EQ(import.replies, 0);
  EXPECT_EQ(given.submit("third"), SweepId{3});
  EXPECT_TRUE(given.step(Report{own, {0, 30, Score::of(0)}}).reply->ok());
  finish(import);
  EXPECT_EQ(import.as<Submitted>().sweep, SweepId{2});
  const auto found = parts();
  EXPECT_GE(found.size(), 4U);
  EXPECT_EQ(found.front(), "first");
  EXPECT_EQ(found.back(), "last");
  EXPECT_EQ(given.db->execAndGet("SELECT count(*) FROM metric_point").getInt(), 5000);
  const std::string book = archive_book(given.engine->whole_book());
  Book folded;
  Ledger(*given.db).replay(0, [&](const Event& event) { evolve(folded, event); });
  EXPECT_EQ(book, archive_book(folded));
}

TEST_F(InParts, nothing_exists_before_the_last) {
  begin_beside_own();
  expect_nothing_of_it();
  EXPECT_FALSE(given.engine->whole_book().sweeps.contains(SweepId{2}));
}

TEST_F(InParts, a_restart_drops_what_has_no_last_part_and_keeps_its_ids) {
  begin_beside_own();
  const std::int64_t last_trial = given.engine->book().last_trial;
  for (int boot = 0; boot < 2; ++boot) {
    given.restart();
    EXPECT_EQ(parts(), (std::vector<std::string>{"first", "dropped"})) << "once";
    expect_nothing_of_it();
    const auto seq = given.engine->last_seq();
    const auto text =
        snapshot_text(given.engine->book(), seq, event_text(*given.db, seq), book_stamp());
    auto restored = restore(text, *given.db, book_stamp());
    ASSERT_TRUE(restored.ok()) << restored.error().detail;
    given.restart(*std::move(restored));
    expect_nothing_of_it();
  }
  EXPECT_EQ(given.submit("third"), SweepId{3});
  given.step(Report{own, {0, 30, Score::of(0)}});
  const auto grant = given.granted(given.join("again"), "next");
  EXPECT_EQ(grant.attempt.run.trial, TrialId{last_trial + 1});
  finish(begin());
  EXPECT_EQ(given.engine->book().last_sweep, 4) << "the same request imports it as another sweep";
}

TEST_F(InParts, no_other_request_may_have_its_id_from_the_first_on) {
  const Sent& import = begin_beside_own();
  std::vector<Envelope> batch;
  const Sent& other = given.envelope(batch, Submit{{"import", small_spec(), {}}});
  batch.back().digest = "of another";
  given.engine->step(std::move(batch), given.now);
  ASSERT_TRUE(other.refused());
  EXPECT_EQ(other.reply->error().code, Code::conflict);
  finish(import);
  EXPECT_EQ(import.as<Submitted>().sweep, SweepId{2});
}

TEST_F(InParts, the_same_request_again_meanwhile_is_the_same_sweep) {
  const Sent& import = begin_beside_own();
  const Sent& again = begin();
  finish(import);
  finish(again);
  EXPECT_EQ(again.as<Submitted>().sweep, import.as<Submitted>().sweep);
  EXPECT_EQ(given.engine->book().last_sweep, 2);
}

TEST_F(InParts, one_that_cannot_be_read_quarantines_its_sweep_alone) {
  for (const std::string damaged : {"first", "further", "last"}) {
    EngineGiven fresh;
    fresh.submit("own");
    std::vector<Envelope> batch;
    const Sent& import = fresh.envelope(batch, Import{{"import", past_of(trials)}});
    fresh.engine->step(std::move(batch), fresh.now);
    while (import.replies == 0) fresh.idle();
    const auto last_trial = fresh.engine->book().last_trial;
    const auto last_model = fresh.engine->book().last_model;
    const auto last_lease = fresh.engine->book().last_lease;
    fresh.db->exec("DROP TRIGGER IF EXISTS event_kept");
    fresh.db->exec(
        "UPDATE event SET body = replace(body, '\"request_id\":', '\"requests\":')"
        " WHERE kind = 'sweep_imported' AND json_extract(body, '$.part') = '" +
        damaged + "'");
    fresh.restart();
    ASSERT_EQ(fresh.engine->quarantine().size(), 1U) << damaged;
    EXPECT_TRUE(fresh.engine->quarantine().contains(SweepId{2})) << damaged;
    EXPECT_EQ(fresh.engine->book().last_trial, last_trial) << damaged;
    EXPECT_EQ(fresh.engine->book().last_model, last_model) << damaged;
    EXPECT_EQ(fresh.engine->book().last_lease, last_lease) << damaged;
    EXPECT_EQ(fresh.submit("third"), SweepId{3}) << damaged;
  }
}

}  // namespace
}  // namespace hone
