// Reports, checkpoints and metrics of one run on their way to the server.
#include "tests/unit/worker/given.hpp"

namespace hone::worker {
namespace {

// Lines -----------------------------------------------------------------------

// A report goes to the server, its verdict back to the process.
TEST(WorkerAttempt, relays_a_report) {
  GivenAgent given;
  given.run();
  given.report(0, 0.5);
  EXPECT_EQ(given.request<ReportCall>().request.score, Score::of(0.5));
  given.verdict(Action::go_on, VerdictReason::good_enough);
  ASSERT_EQ(given.all<AnswerTrial>().size(), 1U);
  const auto answer = std::get<Verdict>(given.all<AnswerTrial>()[0].answer);
  EXPECT_EQ(answer.reason, VerdictReason::good_enough);
}

// A report without phase is of the next one.
TEST(WorkerAttempt, fills_in_the_phase) {
  GivenAgent given;
  given.run(resumed_grant());
  given.reply<FetchBlob>(CallReply{FetchedBlob{"/cache/a"}});
  for (const int phase : {1, 2}) {
    given.when(
        LineReceived{LeaseId{1}, ReportLine{std::nullopt, 10, Score::of(1)}, Origin::socket});
    EXPECT_EQ(given.request<ReportCall>().request.phase, phase);
    given.verdict(Action::go_on);
  }
}

// While the server is away a report waits, is sent again unchanged, and is answered once.
TEST(WorkerAttempt, keeps_a_report_until_the_server_is_back) {
  GivenAgent given;
  given.run();
  given.report(0, 0.5);
  const auto first = given.request<ReportCall>();
  for (int i = 0; i < 50; ++i) {
    given.reply<ReportCall>(i % 2 == 0 ? away() : refuse(Code::busy, "the inbox is full"));
    EXPECT_FALSE(given.has<AnswerTrial>());
    while (!given.call<ReportCall>()) {
      given.at_deadline();
      if (given.call<BeatCall>()) given.reply<BeatCall>(away());
    }
    EXPECT_EQ(given.request<ReportCall>().request.phase, first.request.phase);
    EXPECT_EQ(given.request<ReportCall>().request.score, first.request.score);
  }
  given.verdict(Action::go_on);
  EXPECT_EQ(given.all<AnswerTrial>().size(), 1U);
  EXPECT_FALSE(given.call<ReportCall>());
}

// Lines reach the server one at a time and in their order.
TEST(WorkerAttempt, keeps_the_order) {
  GivenAgent given;
  given.run();
  given.when(LineReceived{LeaseId{1}, CheckpointLine{"p0.pt", 10, 0}, Origin::output});
  given.report(0, 1, Origin::output);
  given.report(1, 2, Origin::output);
  EXPECT_TRUE(given.call<StoreBlob>());
  EXPECT_FALSE(given.call<ReportCall>());
  given.reply<StoreBlob>(CallReply{StoredBlob{std::string(64, 'b'), 5}});
  given.reply<SaveModelCall>(CallReply{SaveModelReply{ModelId{1}}});
  EXPECT_EQ(given.request<ReportCall>().request.phase, 0);
  given.verdict(Action::go_on);
  EXPECT_EQ(given.request<ReportCall>().request.phase, 1);
}

// A checkpoint is hashed, stored and recorded before the process is answered `saved`.
TEST(WorkerAttempt, saves_a_checkpoint) {
  GivenAgent given;
  given.run();
  given.when(LineReceived{LeaseId{1}, CheckpointLine{"p0.pt", 10, std::nullopt}, Origin::socket});
  EXPECT_EQ(given.request<StoreBlob>().path, "p0.pt");
  given.reply<StoreBlob>(CallReply{StoredBlob{std::string(64, 'b'), 5}});
  const auto save = given.request<SaveModelCall>().request;
  EXPECT_EQ(save.sha256, std::string(64, 'b'));
  EXPECT_EQ(save.bytes, 5);
  EXPECT_EQ(save.step, 10);
  EXPECT_EQ(save.phase, 0) << "of the phase that is reported next";
  EXPECT_FALSE(given.has<AnswerTrial>());
  given.reply<SaveModelCall>(CallReply{SaveModelReply{ModelId{1}}});
  EXPECT_EQ(std::get<Saved>(given.all<AnswerTrial>().at(0).answer).sha256, std::string(64, 'b'));
}

// It was saved as that of the phase after: a fork of that phase began one training too early.
TEST(WorkerAttempt, a_checkpoint_after_a_report_that_came_too_late_is_of_that_phase) {
  GivenAgent given;
  given.run();
  const auto print = [&](TrialLine line) {
    given.when(LineReceived{LeaseId{1}, std::move(line), Origin::output});
  };
  print(ReportLine{std::nullopt, 10, Score::of(1)});
  print(ReportLine{std::nullopt, 20, Score::of(2)});
  print(CheckpointLine{"p1.pt", 20, std::nullopt});
  given.verdict(Action::pause);
  given.reply<ReportCall>(refuse(Code::stale_lease, "its run was paused"));
  given.reply<StoreBlob>(CallReply{StoredBlob{std::string(64, 'b'), 5}});
  EXPECT_EQ(given.request<SaveModelCall>().request.phase, 1);
}

TEST(WorkerAttempt, checkpoints_that_follow_a_report_that_came_too_late_are_of_later_phases) {
  GivenAgent given;
  given.run();
  const auto print = [&](TrialLine line) {
    given.when(LineReceived{LeaseId{1}, std::move(line), Origin::output});
  };
  print(ReportLine{std::nullopt, 10, Score::of(1)});
  print(ReportLine{std::nullopt, 20, Score::of(2)});
  print(CheckpointLine{"p2.pt", 30, std::nullopt});
  given.verdict(Action::pause);
  given.reply<ReportCall>(refuse(Code::stale_lease, "its run was paused"));
  given.reply<StoreBlob>(CallReply{StoredBlob{std::string(64, 'b'), 5}});
  EXPECT_EQ(given.request<SaveModelCall>().request.phase, 2);
}

// A standby took the place of the server that had got the bytes.
TEST(WorkerAttempt, sends_the_bytes_of_a_checkpoint_again_where_the_server_lacks_them) {
  GivenAgent given;
  given.run();
  given.when(LineReceived{LeaseId{1}, CheckpointLine{"p0.pt", 10, 0}, Origin::socket});
  for (int loss = 0; loss <= limits::blob_losses_max; ++loss) {
    EXPECT_FALSE(given.has<AnswerTrial>());
    EXPECT_EQ(given.request<StoreBlob>().path, "p0.pt");
    given.reply<StoreBlob>(CallReply{StoredBlob{std::string(64, 'b'), 5}});
    given.reply<SaveModelCall>(refuse(Code::invalid, "no blob is here", "/sha256"));
  }
  EXPECT_EQ(std::get<Error>(given.all<AnswerTrial>().at(0).answer).at, "/sha256");
}

// A checkpoint that is not a file is the process's fault: it gets the error and may continue.
TEST(WorkerAttempt, refuses_a_checkpoint_that_is_not_there) {
  GivenAgent given;
  given.run();
  given.when(LineReceived{LeaseId{1}, CheckpointLine{"gone.pt", 10, 0}, Origin::socket});
  given.reply<StoreBlob>(refuse(Code::invalid, "is not there", "/checkpoint/path"));
  EXPECT_EQ(std::get<Error>(given.all<AnswerTrial>().at(0).answer).at, "/checkpoint/path");
  EXPECT_FALSE(given.has<Kill>());
}

// The process gets the server's error; the phase is not counted.
TEST(WorkerAttempt, relays_a_refusal) {
  GivenAgent given;
  given.run();
  given.report(2);
  given.reply<ReportCall>(refuse(Code::conflict, "phase 0 has no report yet", "/phase"));
  EXPECT_EQ(std::get<Error>(given.all<AnswerTrial>().at(0).answer).code, Code::conflict);
  given.when(LineReceived{LeaseId{1}, ReportLine{std::nullopt, 10, Score::of(1)}, Origin::socket});
  EXPECT_EQ(given.request<ReportCall>().request.phase, 0);
}

// An internal error of the server is retried a few times, then it is the answer: a process must not
// wait without end.
TEST(WorkerAttempt, gives_up_on_internal_errors) {
  GivenAgent given;
  given.run();
  given.report(0);
  int tries = 0;
  while (!given.has<AnswerTrial>() && tries < 100) {
    ++tries;
    given.reply<ReportCall>(refuse(Code::internal, "a bug"));
    while (!given.has<AnswerTrial>() && !given.call<ReportCall>()) given.at_deadline();
  }
  EXPECT_EQ(tries, limits::internal_errors_max);
}

// A process that reports more than the server accepts is not read from until there is room: it
// waits, and nothing is lost.
TEST(WorkerAttempt, holds_a_process_that_is_ahead) {
  GivenAgent given;
  given.run(small_grant(1, 1000));
  int said = 0;
  while (!given.has<Hold>() && said < 1000) given.report(said++, 1, Origin::output);
  EXPECT_EQ(said, static_cast<int>(limits::waiting_lines_max));
  EXPECT_TRUE(given.all<Hold>()[0].held);
  int taken = 0;
  do {
    EXPECT_EQ(given.request<ReportCall>().request.phase, taken++);
    given.verdict(Action::go_on);
  } while (!given.has<Hold>() && taken < said);
  EXPECT_FALSE(given.all<Hold>()[0].held);
  while (given.call<ReportCall>()) {
    EXPECT_EQ(given.request<ReportCall>().request.phase, taken++);
    given.verdict(Action::go_on);
  }
  EXPECT_EQ(taken, said) << "every report arrived";
}

// Metrics ---------------------------------------------------------------------

// Points go in batches, a second after the first.
TEST(WorkerAttempt, flushes_points_every_second) {
  GivenAgent given;
  given.run();
  for (int i = 0; i < 3; ++i)
    given.when(LineReceived{LeaseId{1}, MetricPoint{"loss", i, 1.0}, Origin::socket});
  EXPECT_FALSE(given.call<MetricsCall>());
  given.after(seconds(1));
  EXPECT_EQ(given.request<MetricsCall>().request.points.size(), 3U);
}

TEST(WorkerAttempt, flushes_five_hundred_points_at_once) {
  GivenAgent given;
  given.run();
  for (int i = 0; i < 500; ++i)
    given.when(LineReceived{LeaseId{1}, MetricPoint{"loss", i, 1.0}, Origin::socket});
  EXPECT_EQ(given.request<MetricsCall>().request.points.size(), 500U);
}

// Points logged before a report are at the server before it, so that a curve is complete when its
// run ends.
TEST(WorkerAttempt, points_go_before_the_report) {
  GivenAgent given;
  given.run();
  given.when(LineReceived{LeaseId{1}, MetricPoint{"loss", 1, 1.0}, Origin::socket});
  given.report(0);
  EXPECT_TRUE(given.call<MetricsCall>());
  EXPECT_FALSE(given.call<ReportCall>());
  given.reply<MetricsCall>(CallReply{Done{}});
  EXPECT_TRUE(given.call<ReportCall>());
}

// Telemetry is bounded: the oldest points are dropped, and their number is logged.
TEST(WorkerAttempt, drops_the_oldest_points_and_says_so) {
  GivenAgent given;
  given.run();
  given.when(LineReceived{LeaseId{1}, MetricPoint{"loss", -1, 1.0}, Origin::socket});
  given.after(seconds(1));  // this flush never gets an answer until the end
  const auto kept = static_cast<std::int64_t>(limits::points_max);
  for (std::int64_t i = 0; i < kept + 7; ++i)
    given.when(LineReceived{LeaseId{1}, MetricPoint{"loss", i, 1.0}, Origin::socket});
  given.reply<MetricsCall>(CallReply{Done{}});
  ASSERT_EQ(given.all<Note>().size(), 1U);
  EXPECT_NE(given.all<Note>()[0].text.find("7 metric points were dropped"), std::string::npos);
  EXPECT_EQ(given.request<MetricsCall>().request.points.front().step, 7);
}

// One bad point cost all that were logged with it.
TEST(WorkerAttempt, sends_the_points_again_without_the_one_that_was_refused) {
  GivenAgent given;
  given.run();
  for (const char* name : {"good", "bad", "also good"})
    given.when(LineReceived{LeaseId{1}, MetricPoint{name, 1, 1.0}, Origin::socket});
  given.exit(1);
  given.reply<MetricsCall>(refuse(Code::invalid, "must be better", "/points/1/name"));
  const auto& points = given.request<MetricsCall>().request.points;
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].name + points[1].name, "goodalso good");
  given.reply<MetricsCall>(CallReply{Done{}});
  EXPECT_TRUE(given.call<EndCall>());
}

// Points that are left when the process exits are sent before its end.
TEST(WorkerAttempt, flushes_the_last_points) {
  GivenAgent given;
  given.run();
  given.when(LineReceived{LeaseId{1}, MetricPoint{"loss", 1, 1.0}, Origin::socket});
  given.exit(1);
  EXPECT_TRUE(given.call<MetricsCall>());
  EXPECT_FALSE(given.call<EndCall>());
  given.reply<MetricsCall>(refuse(Code::invalid, "a bad name"));
  EXPECT_TRUE(given.call<EndCall>()) << "refused telemetry is no reason to stop";
}

TEST(WorkerAttempt, internal_errors_of_an_earlier_call_do_not_count) {
  GivenAgent given;
  given.run();
  for (int phase = 0; phase < 2; ++phase) {
    given.report(phase);
    for (int error = 1; error < limits::internal_errors_max; ++error) {
      given.reply<ReportCall>(refuse(Code::internal, "a bug"));
      ASSERT_FALSE(given.has<AnswerTrial>()) << "phase " << phase;
      while (!given.call<ReportCall>()) given.at_deadline();
    }
    given.verdict(Action::go_on);
  }
}

// The code is recorded before the process starts, so that a later commit is not taken for it.
TEST(WorkerAgent, records_the_code_before_it_starts_a_run) {
  auto config = GivenAgent::with_slots(1);
  config.records_code = true;
  GivenAgent given(config);
  given.join();
  given.grant(small_grant(1));
  EXPECT_TRUE(given.all<Spawn>().empty());
  EXPECT_TRUE(given.call<RecordCode>());
  given.reply<RecordCode>(CallReply{RecordedCode{}});
  EXPECT_EQ(given.all<Spawn>().size(), 1U);
}

// A commit in the first second of a run was not noticed: its program read other code than was
// recorded.
TEST(WorkerAgent, reads_the_code_of_a_command_again_at_its_end) {
  auto config = GivenAgent::with_slots(1);
  config.records_code = true;
  GivenAgent given(config);
  given.join();
  LeaseGrant grant = small_grant(1);
  grant.trainer = CommandTrainer{.argv = {"train"}};
  given.grant(grant);
  EXPECT_FALSE(given.request<RecordCode>().before);
  WorkflowInfo found;
  found.git_commit = "c0ffee";
  given.reply<RecordCode>(CallReply{RecordedCode{found}});
  given.exit(1);
  EXPECT_FALSE(given.call<EndCall>());
  EXPECT_EQ(given.request<RecordCode>().before, found);
  given.reply<RecordCode>(CallReply{RecordedCode{}});
  EXPECT_TRUE(given.call<EndCall>());
}

// A snapshot is this run's alone, and a trainer of hone is not read from a folder.
TEST(WorkerAgent, reads_code_that_cannot_change_once) {
  auto config = GivenAgent::with_slots(1);
  config.records_code = true;
  GivenAgent given(config);
  given.join();
  LeaseGrant grant = small_grant(1);
  grant.trainer = BuiltinTrainer{.name = "ppo", .settings = {}};
  given.grant(grant);
  given.reply<RecordCode>(CallReply{RecordedCode{}});
  given.exit(1);
  EXPECT_FALSE(given.call<RecordCode>());
  EXPECT_TRUE(given.call<EndCall>());
}

// A server of an earlier version has no such route; a lease that is over starts nothing.
TEST(WorkerAgent, starts_a_run_whose_code_the_server_does_not_take) {
  for (const auto& [code, starts] :
       {std::pair{Code::not_found, 1U}, std::pair{Code::stale_lease, 0U}}) {
    auto config = GivenAgent::with_slots(1);
    config.records_code = true;
    GivenAgent given(config);
    given.join();
    given.grant(small_grant(1));
    given.reply<RecordCode>(refuse(code, "no"));
    EXPECT_EQ(given.all<Spawn>().size(), starts);
  }
}

TEST(WorkerAttempt, a_lone_metric_point_wakes_the_agent_when_its_batch_is_due) {
  GivenAgent given;
  given.run();
  given.when(LineReceived{LeaseId{1}, MetricPoint{"loss", 1, 0.5}, Origin::socket});
  ASSERT_TRUE(given.agent.next_deadline());
  EXPECT_LE(*given.agent.next_deadline(), given.now + limits::flush_period);
}

// The agent would be woken without end: points are sent once the call is answered.
TEST(WorkerAttempt, points_that_are_due_do_not_wake_the_agent_while_a_call_is_open) {
  GivenAgent given;
  given.run();
  given.report(0);
  given.when(LineReceived{LeaseId{1}, MetricPoint{"loss", 1, 0.5}, Origin::socket});
  given.after(limits::flush_period);
  const auto deadline = given.agent.next_deadline();
  EXPECT_TRUE(!deadline || *deadline > given.now);
}

}  // namespace
}  // namespace hone::worker
