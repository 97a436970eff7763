// What the server refuses of a program that gets no answers: the log of its run has it.
#include "tests/unit/worker/given.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

// The refusal was in the worker's log alone: the run, whose log has a report, ended "without any
// report".
TEST(WorkerAttempt, writes_why_a_report_was_refused_into_the_log_of_the_run_and_its_end) {
  GivenAgent given;
  given.run();
  given.report(0, 1, Origin::output);
  given.exit(0);
  given.reply<ReportCall>(refuse(Code::invalid, "one value for each objective", "/further"));
  ASSERT_EQ(given.all<Remark>().size(), 1U);
  EXPECT_EQ(given.all<Remark>()[0].text, "its report was refused: one value for each objective");
  const EndRequest end = given.request<EndCall>().request;
  EXPECT_EQ(end.reason, EndReason::no_report);
  EXPECT_EQ(end.detail,
            "exited with status 0 without any report: its report was refused: one value for each "
            "objective");
  EXPECT_NE(end.log_tail.find("the last line\n[hone: its report was refused"), std::string::npos);
}

TEST(WorkerAttempt, writes_a_few_refusals_of_each_kind_into_the_log_of_the_run) {
  GivenAgent given;
  given.run(small_grant(1, 20));
  int remarks = 0, last = 0;
  for (int i = 0; i < 10; ++i) {
    given.when(LineReceived{LeaseId{1}, CheckpointLine{"./8.json", 10, 0}, Origin::output});
    given.reply<StoreBlob>(refuse(Code::invalid, "is not inside HONE_CHECKPOINT_DIR"));
    remarks += static_cast<int>(given.all<Remark>().size());
    if (given.has<Remark>()) last = i;
  }
  EXPECT_EQ(remarks, limits::refusals_logged_max);
  EXPECT_EQ(last, limits::refusals_logged_max - 1);
  given.report(0);
  given.reply<ReportCall>(refuse(Code::invalid, "no"));
  EXPECT_TRUE(given.has<Remark>()) << "another kind has its own bound";
}

// Under a lease that a verdict closed, whatever a program still prints is refused.
TEST(WorkerAttempt, writes_nothing_of_reports_after_the_verdict_that_ended_the_run) {
  GivenAgent given;
  given.run();
  given.report(0, 1, Origin::output);
  given.verdict(Action::stop);
  given.report(1, 1, Origin::output);
  given.reply<ReportCall>(stale());
  EXPECT_FALSE(given.has<Remark>());
}

}  // namespace
}  // namespace hone::worker
