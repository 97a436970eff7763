// Classes of failures, from signals, out-of-memory kills and logs.
#include "worker/agent/evidence.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "worker/agent/exit.hpp"

namespace hone::worker {
namespace {

Failure of_log(const std::string& log) { return evidence_of({true, 0, false}, log).failure; }
Failure of_signal(int signal, const std::string& log = {}) {
  return evidence_of({true, signal, false}, log).failure;
}

TEST(Evidence, of_logs) {
  EXPECT_EQ(of_log("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB"), Failure::oom);
  EXPECT_EQ(of_log("Traceback ...\nMemoryError\n"), Failure::oom);
  EXPECT_TRUE(evidence_of({true}, "torch.OutOfMemoryError: CUDA out of memory.").gpu_full);
  EXPECT_FALSE(evidence_of({true}, "Traceback ...\nMemoryError\n").gpu_full);
  EXPECT_EQ(of_log("OSError: [Errno 28] No space left on device"), Failure::infra);
  EXPECT_EQ(of_log("ConnectionRefusedError: [Errno 111] Connection refused"), Failure::infra);
  EXPECT_EQ(of_log("hone-train: not on this machine: backend cuda needs a GPU"), Failure::infra);
  EXPECT_EQ(of_log("Traceback ...\nValueError: lr must be positive\n"), Failure::user_error);
  EXPECT_EQ(of_log(""), Failure::user_error);
}

TEST(Evidence, the_last_match_in_a_log_counts) {
  EXPECT_EQ(of_log("Connection refused, trying again\nepoch 1\nTraceback\nKeyError: 'lr'\n"),
            Failure::user_error);
  EXPECT_EQ(of_log("KeyError: x\nTraceback\nKeyError: 'x'\nMemoryError\n"), Failure::oom);
}

TEST(Evidence, of_signals) {
  EXPECT_EQ(of_signal(SIGKILL), Failure::infra);
  EXPECT_EQ(evidence_of({true, SIGKILL, true}, "").failure, Failure::oom);
  EXPECT_EQ(of_signal(SIGTERM), Failure::preempted);
  EXPECT_EQ(of_signal(SIGSEGV), Failure::crash);
  EXPECT_EQ(of_signal(SIGBUS), Failure::infra);
  EXPECT_EQ(of_signal(SIGXCPU), Failure::timed_out);
  EXPECT_EQ(of_signal(SIGABRT, "terminate called ... 'std::bad_alloc'"), Failure::oom);
  EXPECT_EQ(of_signal(SIGTERM, "x\nValueError: y\n"), Failure::preempted)
      << "a log does not explain a signal from outside";
  EXPECT_EQ(of_signal(SIGRTMIN), Failure::crash);
}

// sbatch --signal=USR1@60 was taken for a crash, which counts.
TEST(Evidence, the_warning_before_the_end_of_a_job_is_a_preemption) {
  for (const int number : {SIGUSR1, SIGUSR2}) {
    EXPECT_EQ(of_signal(number), Failure::preempted);
    EXPECT_EQ(of_signal(number, "x\nValueError: y\n"), Failure::preempted);
    const Exited by_shell{LeaseId{1}, false, 128 + number, "", false};
    EXPECT_EQ(end_of_exit(by_shell, {1, 3}).failure, Failure::preempted);
  }
}

TEST(Evidence, is_in_the_detail_and_reads_the_status_of_a_shell) {
  const Exited killed{LeaseId{1}, false, 137, "", true};
  const EndRequest end = end_of_exit(killed, {1, 3});
  EXPECT_EQ(end.failure, Failure::oom);
  EXPECT_NE(end.detail.find("lack of memory"), std::string::npos);
}

TEST(Evidence, none_is_looked_for_where_all_went_well) {
  const Exited well{LeaseId{1}, false, 0, "MemoryError", false};
  EXPECT_EQ(end_of_exit(well, {3, 3}).failure, Failure::none);
}

// A command's program cannot write a file larger than command.disk: its own fault, and the same on
// every worker.
TEST(Evidence, a_file_that_outgrew_its_bound_is_a_disk_limit) {
  const Exited by_signal{LeaseId{1}, true, SIGXFSZ, "", false};
  const Exited by_shell{LeaseId{1}, false, 128 + SIGXFSZ, "File size limit exceeded", false};
  const Exited python{LeaseId{1}, false, 1, "OSError: [Errno 27] File too large\n", false};
  for (const Exited& exit : {by_signal, by_shell, python}) {
    const EndRequest end = end_of_exit(exit, {1, 3}, true);
    EXPECT_EQ(end.reason, EndReason::disk_limit);
    EXPECT_EQ(end.failure, Failure::user_error);
    EXPECT_NE(end.detail.find("command.disk"), std::string::npos);
    EXPECT_EQ(end_of_exit(exit, {1, 3}).failure, Failure::infra) << "another limit";
  }
  const Exited survived{LeaseId{1}, false, 1,
                        "File too large, continuing\nTraceback\nKeyError: 'x'\n", false};
  EXPECT_EQ(end_of_exit(survived, {1, 3}, true).reason, EndReason::exit_code);
}

TEST(Evidence, of_a_full_gpu_is_in_the_end_of_the_run) {
  const auto end_of = [](const std::string& log) {
    return end_of_exit({LeaseId{1}, false, 1, log}, {0, 3});
  };
  EXPECT_TRUE(end_of("torch.OutOfMemoryError: CUDA out of memory.").gpu_full);
  EXPECT_FALSE(end_of("MemoryError").gpu_full);
}

}  // namespace
}  // namespace hone::worker
