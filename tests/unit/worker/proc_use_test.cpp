// The kernel's counters of processes: the parsers, and real trees of processes.
#include "worker/process/proc_use.hpp"

#include <unistd.h>

#include <csignal>

#include "tests/unit/worker/process_given.hpp"

namespace hone::worker {
namespace {

// proc(5): utime and stime are fields 14 and 15, those of waited-for children 16 and 17, rss is 24.
constexpr const char* stat_of_a_shell =
    "4242 (sh) S 1 4242 4242 0 -1 4194560 120 900 0 0 11 7 250 30 20 0 3 0 8812 2686976 "
    "385 18446744073709551615 1 1 0 0 0 0 0 4096 65538 0 0 0 17 3 0 0 0 0 0\n";

TEST(ProcStat, adds_the_time_of_a_process_and_its_ended_children) {
  const auto stat = parse_proc_stat(stat_of_a_shell);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->ticks, 11 + 7 + 250 + 30);
  EXPECT_EQ(stat->resident_pages, 385);
}

TEST(ProcStat, reads_past_any_name_of_a_program) {
  for (const std::string name : {"a b", "x) S 1 2 3 4 5 6 7 8 9 10 11 12 13", "((", ")", ""}) {
    std::string text = stat_of_a_shell;
    text.replace(text.find("(sh)"), 4, "(" + name + ")");
    const auto stat = parse_proc_stat(text);
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->ticks, 298) << name;
  }
}

TEST(ProcStat, refuses_what_is_not_of_its_form) {
  const std::string text = stat_of_a_shell;
  for (std::size_t length : {0UL, 4UL, 9UL, 40UL, 70UL})
    EXPECT_FALSE(parse_proc_stat(text.substr(0, length))) << length;
  for (const auto& [good, bad] : {std::pair{" 11 7 ", " 11x 7 "}, std::pair{" 11 7 ", " -1 7 "},
                                  std::pair{" 385 ", " 99999999999999999999 "}}) {
    std::string damaged = text;
    damaged.replace(damaged.find(good), std::string(good).size(), bad);
    EXPECT_FALSE(parse_proc_stat(damaged)) << bad;
  }
}

TEST(ProcChildren, lists_numbers_up_to_what_is_none) {
  EXPECT_EQ(parse_proc_children("12 345 6 "), (std::vector<pid_t>{12, 345, 6}));
  EXPECT_TRUE(parse_proc_children("").empty());
  EXPECT_TRUE(parse_proc_children("\n").empty());
  EXPECT_EQ(parse_proc_children("12 -3 4"), std::vector<pid_t>{12});
  EXPECT_EQ(parse_proc_children("12 99999999999999 4"), std::vector<pid_t>{12});
}

TEST(TreeUse, of_a_process_that_is_gone_is_unknown) {
  EXPECT_FALSE(read_tree_use(999'999'999));
  const auto own = read_tree_use(::getpid());
  ASSERT_TRUE(own);
  EXPECT_GT(own->memory_bytes, 0);
}

class UseOfRun : public WorkerProcess {};

// The time of children counts: while they run, once their parent has waited for them, at the end.
TEST_F(UseOfRun, counts_every_process_that_a_run_ever_had) {
  ASSERT_TRUE(python(R"(
import signal, subprocess, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
busy = 'import time\nwhile time.process_time() < 0.4: pass'
subprocess.run([sys.executable, '-c', busy])
held = b'x' * (64 << 20)
print('@hone {"report": {"step": 1, "value": 1}}', flush=True)
signal.sigwait({signal.SIGTERM})
)"));
  serve_until([&] { return !heard_.empty(); });
  ASSERT_FALSE(heard_.empty()) << log();
  const auto use = run_->use();
  ASSERT_TRUE(use);
  EXPECT_GE(use->cpu_s, 0.35);
  EXPECT_GE(use->memory_bytes, 64 << 20);
  run_->signal(SIGTERM);
  exited();
  const auto in_all = run_->use();
  ASSERT_TRUE(in_all);
  EXPECT_GE(in_all->cpu_s, use->cpu_s - 0.05) << "ticks are rounded";
  EXPECT_EQ(in_all->memory_bytes, 0);
}

}  // namespace
}  // namespace hone::worker
