// What is written can be read: events that a start could not read are refused with their command,
// and a sweep that cannot be read is quarantined.
#include <cmath>
#include <limits>

#include "db/ledger/ledger.hpp"
#include "schemas/types/event.hpp"
#include "tests/unit/engine/given.hpp"

namespace hone {
namespace {

using Grant = std::optional<LeaseGrant>;

// As a hone of before, or a disk, left it.
void damage(SQLite::Database& db, const std::string& change) {
  db.exec("DROP TRIGGER IF EXISTS event_kept");
  db.exec("UPDATE event SET " + change);
}

// Appends an event that no command of this hone would.
void append(SQLite::Database& db, const EventBody& body) {
  Ledger ledger(db);
  ledger.begin();
  ledger.append({ledger.last_seq() + 1, {1'800'000'000'000'000}, body});
  ledger.commit();
}

SweepSpec log_spec() {
  SweepSpec spec = small_spec();
  spec.parameters = {{"x", FloatDomain{0.1, 1.0, Scale::log, {}, {}}, ""}};
  return spec;
}

TEST(Quarantine, a_row_that_the_tables_refuse_refuses_its_command_alone) {
  EngineGiven given;
  given.submit();
  given.db->exec(
      "CREATE TRIGGER broken BEFORE INSERT ON note BEGIN SELECT raise(ABORT, 'no room'); END");
  std::vector<Envelope> batch;
  const Sent& before = given.envelope(batch, Join{{"before", "host", 1, 64, 0, "test"}});
  const Sent& broken = given.envelope(batch, AddNote{{"note", SweepId{1}, "words", "ada"}});
  const Sent& after = given.envelope(batch, Join{{"after", "host", 1, 64, 0, "test"}});
  given.engine->step(std::move(batch), given.now);
  ASSERT_TRUE(broken.refused());
  EXPECT_EQ(broken.reply->error().code, Code::internal);
  EXPECT_NE(broken.reply->error().detail.find("no room"), std::string::npos);
  EXPECT_EQ(before.as<JoinReply>().worker, WorkerId{1});
  EXPECT_EQ(after.as<JoinReply>().worker, WorkerId{2});
  given.restart();
  EXPECT_EQ(given.engine->book().workers.size(), 2U) << "both are in the ledger";
}

TEST(Quarantine, telemetry_that_the_tables_refuse_refuses_its_command_alone) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit();
  const auto lease = given.granted(worker, "acquire").lease;
  const auto log = [&](double value) -> Command {
    return LogMetrics{lease, {{{"loss", 1, value}}}};
  };
  const Sent& broken = given.step(log(std::numeric_limits<double>::quiet_NaN()));
  ASSERT_TRUE(broken.refused());
  EXPECT_EQ(broken.reply->error().code, Code::internal);
  EXPECT_FALSE(given.step(log(0.5)).refused());
}

TEST(Quarantine, an_event_that_would_be_read_as_another_refuses_its_command) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit();
  const auto lease = given.granted(worker, "acquire").lease;
  const auto events = given.events();
  const auto report = [&](double seconds) -> Command {
    ReportRequest request;
    request.step = 10;
    request.score = Score::of(1);
    request.phase_seconds = seconds;
    return Report{lease, request};
  };
  const Sent& broken = given.step(report(std::numeric_limits<double>::quiet_NaN()));
  ASSERT_TRUE(broken.refused());
  EXPECT_EQ(broken.reply->error().code, Code::internal);
  EXPECT_EQ(given.events(), events) << "nothing of it is in the ledger";
  EXPECT_FALSE(given.step(report(0.5)).refused());
}

TEST(Quarantine, a_sweep_whose_next_run_cannot_be_recorded_does_not_keep_workers_from_others) {
  EngineGiven given;
  const auto worker = given.join();
  given.submit("first");
  given.submit("second");
  given.db->exec(
      "CREATE TRIGGER broken BEFORE INSERT ON trial WHEN NEW.sweep = 1"
      " BEGIN SELECT raise(ABORT, 'no trial'); END");
  const auto grant = given.granted(worker, "acquire");
  EXPECT_EQ(given.engine->book().trials.at(grant.attempt.run.trial).first, SweepId{2});
  EXPECT_EQ(given.engine->book().sweeps.at(SweepId{1}).state, SweepState::paused);
  given.restart();
  EXPECT_EQ(given.engine->book().sweeps.at(SweepId{1}).state, SweepState::paused);
}

class QuarantinedSweep : public testing::Test {
 protected:
  QuarantinedSweep() {
    worker = given.join();
    given.submit("first");
    first = given.granted(worker, "acquire first");
    given.submit("second");
  }
  void restart_damaged(const std::string& change) {
    damage(*given.db, change);
    given.restart();
  }

  EngineGiven given;
  WorkerId worker;
  LeaseGrant first;
};

TEST_F(QuarantinedSweep, an_unreadable_event_leaves_the_other_sweeps_served) {
  restart_damaged(
      "body = replace(body, '\"number\":', '\"numbers\":') WHERE kind = 'trial_proposed'");
  ASSERT_EQ(given.engine->quarantine().size(), 1U);
  EXPECT_TRUE(given.engine->quarantine().contains(SweepId{1}));
  EXPECT_FALSE(given.engine->book().sweeps.contains(SweepId{1}));
  const auto second = given.granted(worker, "acquire second");
  EXPECT_EQ(second.attempt.run.trial, TrialId{2}) << "no id is given again";
  EXPECT_EQ(given.submit("third"), SweepId{3});
  given.restart();
  EXPECT_EQ(given.engine->quarantine().size(), 1U);
  EXPECT_TRUE(given.engine->book().trials.contains(TrialId{2}));
}

TEST_F(QuarantinedSweep, commands_that_name_it_are_refused_with_the_reason) {
  restart_damaged("body = '{}' WHERE kind = 'sweep_submitted' AND sweep = 1");
  const Sent& steered = given.step(Steer{SweepId{1}, {Verb::stop}});
  ASSERT_TRUE(steered.refused());
  EXPECT_EQ(steered.reply->error().code, Code::conflict);
  EXPECT_NE(steered.reply->error().detail.find("quarantined"), std::string::npos);
  EXPECT_NE(steered.reply->error().detail.find("hone db repair"), std::string::npos);
  const Sent& pinned = given.step(Pin{TrialId{1}, {true}});
  ASSERT_TRUE(pinned.refused());
  EXPECT_EQ(pinned.reply->error().code, Code::conflict);
}

TEST_F(QuarantinedSweep, two_of_them_are_found_in_one_start) {
  restart_damaged("body = '{}' WHERE kind = 'sweep_submitted'");
  EXPECT_EQ(given.engine->quarantine().size(), 2U);
  EXPECT_EQ(given.submit("third"), SweepId{3});
  EXPECT_TRUE(given.step(EngineGiven::acquire(worker, "acquire third")).as<Grant>().has_value());
}

TEST_F(QuarantinedSweep, an_edit_to_a_domain_without_values_no_longer_ends_the_start) {
  given.submit("log", log_spec());
  SweepEdited edited{SweepId{3}, "edit"};
  edited.widened = {{"x", 0.0, {}, {}}};
  append(*given.db, edited);
  given.restart();
  ASSERT_EQ(given.engine->quarantine().size(), 1U);
  EXPECT_TRUE(given.engine->quarantine().contains(SweepId{3}));
  EXPECT_TRUE(given.engine->book().sweeps.contains(SweepId{1}));
}

TEST_F(QuarantinedSweep, an_unreadable_event_of_no_sweep_still_refuses_the_start) {
  damage(*given.db, "body = '{}' WHERE kind = 'worker_joined'");
  EXPECT_THROW(given.restart(), std::runtime_error);
}

}  // namespace
}  // namespace hone
