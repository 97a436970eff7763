// Why runs failed, in a line each, and which of these lines are the same.
#include "server/api/outcome.hpp"

#include <gtest/gtest.h>

namespace hone::api {
namespace {

FailedRun failed(std::int64_t trial, Failure failure, std::string detail, std::string log = {},
                 EndReason reason = EndReason::exit_code) {
  return {{TrialId{trial}, 0}, reason, failure, std::move(detail), std::move(log)};
}

TEST(Cause, is_the_last_line_of_a_program_that_ended_itself) {
  const auto run = failed(1, Failure::user_error, "exited with status 1 after 3 of 10 phases",
                          "step 1\n  File x\nRuntimeError: CUDA error\n\n");
  EXPECT_EQ(cause_of(run), "RuntimeError: CUDA error");
}

// Both streams are one log, in the order in which they arrive.
TEST(Cause, a_report_that_arrived_after_the_traceback_was_the_cause) {
  EXPECT_EQ(cause_of(failed(1, Failure::user_error, "exited with status 1",
                            "KeyError: 'reward'\n@hone {\"report\": {\"value\": 3}}\n")),
            "KeyError: 'reward'");
  EXPECT_EQ(cause_of(failed(1, Failure::user_error, "exited with status 3", "@hone {}\n\n")),
            "exited with status 3");
}

TEST(Cause, is_what_the_worker_saw_where_the_log_is_about_something_else) {
  EXPECT_EQ(cause_of(failed(1, Failure::user_error, "exited with status 0 without any report",
                            "all is well\n", EndReason::no_report)),
            "exited with status 0 without any report");
  EXPECT_EQ(cause_of(failed(1, Failure::crash, "ended by SIGSEGV (a crash)", "epoch 3 loss 0.1\n",
                            EndReason::retries_exhausted)),
            "ended by SIGSEGV (a crash)");
  EXPECT_EQ(cause_of(failed(1, Failure::user_error, "exited with status 3")),
            "exited with status 3");
}

TEST(Cause, is_the_text_by_which_the_worker_knew_the_class) {
  const auto run = failed(1, Failure::oom,
                          "exited with status 1 after 0 of 9 phases; its log says \"CUDA out of "
                          "memory\"",
                          "CUDA out of memory. Tried to allocate 20 MiB\nsee the docs\n",
                          EndReason::retries_exhausted);
  EXPECT_EQ(cause_of(run), "CUDA out of memory");
}

// Six runs that lacked memory were six causes, since each named another number of bytes.
TEST(Causes, that_differ_in_numbers_were_listed_one_by_one) {
  std::vector<FailedRun> runs;
  runs.push_back(failed(1, Failure::user_error, "", "ValueError: lr 0.1 at 0x7ffe01 is too large"));
  runs.push_back(failed(2, Failure::user_error, "", "KeyError: 'reward'"));
  runs.push_back(
      failed(3, Failure::user_error, "", "ValueError: lr -3e-05 at 0x55d0 is too large"));
  const auto groups = group_causes(runs);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].runs, 2);
  EXPECT_EQ(groups[0].cause, "ValueError: lr 0.1 at 0x7ffe01 is too large");
  EXPECT_EQ(groups[0].first, (RunId{TrialId{1}, 0}));
  EXPECT_EQ(groups[1].runs, 1);
}

TEST(Causes, the_most_frequent_is_first_and_names_are_not_numbers) {
  std::vector<FailedRun> runs;
  runs.push_back(failed(1, Failure::user_error, "", "no module a"));
  for (int i = 2; i < 5; ++i) runs.push_back(failed(i, Failure::user_error, "", "no module b"));
  const auto groups = group_causes(runs);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].cause, "no module b");
  EXPECT_EQ(groups[0].runs, 3);
}

}  // namespace
}  // namespace hone::api
