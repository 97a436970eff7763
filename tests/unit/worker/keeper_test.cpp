// The keeper between a worker and a trial: no process outlives what started it. Waits for the ends
// of processes by pidfd, since most of them are not children of the test.
#include "worker/process/keeper.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "tests/unit/worker/process_given.hpp"
#include "worker/process/child.hpp"

namespace hone::worker {
namespace {

// A process that may end later: named by a descriptor, so that its number cannot be another's.
class Watched {
 public:
  explicit Watched(pid_t pid)
      : pid_(pid), file_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

  [[nodiscard]] bool exists() const { return static_cast<bool>(file_); }
  // Waits for its end; false if it is still there after `wait_ms`.
  [[nodiscard]] bool ends(int wait_ms = patience_ms) const {
    pollfd fd{file_.fd(), POLLIN, 0};
    return ::poll(&fd, 1, wait_ms) == 1;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
  FileHandle file_;
};

// The numbers on the first lines that a process writes.
std::vector<pid_t> read_numbers(const FileHandle& file, int count) {
  std::string lines;
  while (std::count(lines.begin(), lines.end(), '\n') < count) {
    pollfd fd{file.fd(), POLLIN, 0};
    if (::poll(&fd, 1, patience_ms) != 1) break;
    char c = 0;
    if (::read(file.fd(), &c, 1) != 1) break;
    lines += c;
  }
  std::istringstream text(lines);
  std::vector<pid_t> numbers;
  for (pid_t number = 0; text >> number;) numbers.push_back(number);
  return numbers;
}

constexpr int family_lines = 3;  // that a family writes

// A trial with a helper in its group and a daemon in another session. Sets its traps, prints the
// three numbers and waits. Helper and daemon print an empty line each once a signal ends them: just
// after its fork a helper still has the traps of the trial, and would lose a signal by its exec.
std::string family(const std::string& traps) {
  return traps +
         "; (trap - TERM USR1; echo; exec sleep 1000) & helper=$!;"
         " setsid sh -c 'echo; exec sleep 1000' & daemon=$!; echo $$ $helper $daemon; wait";
}

class Keeper : public InFolder {
 protected:
  void start(const std::string& text) {
    auto child = start_child({{"/bin/sh", "-c", text}, {"PATH=/usr/bin:/bin"}, folder_});
    ASSERT_TRUE(child) << child.error().detail;
    child_ = std::move(*child);
    for (const pid_t pid : read_numbers(child_.out, family_lines)) family_.emplace_back(pid);
    ASSERT_EQ(family_.size(), 3U);
    for (const Watched& one : family_) ASSERT_TRUE(one.exists());
  }
  // Reaps the keeper, which has ended or will.
  ChildEnd collected() {
    EXPECT_TRUE(Watched(child_.pid).ends());
    return collect_child(child_.pid).value_or(ChildEnd{});
  }
  void expect_no_survivor() {
    for (const Watched& one : family_) EXPECT_TRUE(one.ends()) << one.pid();
  }

  Child child_;
  std::vector<Watched> family_;  // the trial, its helper, its daemon
};

TEST_F(Keeper, ends_as_the_trial_does_after_all_its_descendants) {
  start(family("trap 'exit 7' USR1"));
  ::kill(family_[0].pid(), SIGUSR1);
  const auto end = collected();
  EXPECT_FALSE(end.by_signal);
  EXPECT_EQ(end.number, 7);
  for (const Watched& one : family_) EXPECT_TRUE(one.ends(0)) << "before its keeper";
}

TEST_F(Keeper, ends_by_the_signal_that_ended_the_trial) {
  start(family(":"));
  ::kill(family_[0].pid(), SIGSEGV);
  const auto end = collected();
  EXPECT_TRUE(end.by_signal);
  EXPECT_EQ(end.number, SIGSEGV);
  expect_no_survivor();
}

TEST_F(Keeper, is_not_collected_before_it_ends) {
  start(family(":"));
  EXPECT_FALSE(collect_child(child_.pid));
  signal_child(child_.pid, SIGKILL);
  EXPECT_EQ(collected().number, SIGKILL);
  EXPECT_FALSE(collect_child(child_.pid)) << "once";
}

TEST_F(Keeper, that_its_trial_has_stopped_still_ends) {
  start(family("kill -STOP $PPID"));
  signal_child(child_.pid, SIGKILL);
  EXPECT_EQ(collected().number, SIGKILL);
  expect_no_survivor();
}

// The worker waited for a file that the keeper had not closed yet, without an end.
TEST_F(Keeper, that_its_trial_stops_at_once_does_not_hold_up_the_worker) {
  constexpr int often = 100;  // a few of these hung on a busy machine
  for (int i = 0; i < often; ++i) {
    auto child = start_child({{"/bin/sh", "-c", "kill -STOP $PPID; echo; exec sleep 1000"},
                              {"PATH=/usr/bin:/bin"},
                              folder_});
    ASSERT_TRUE(child) << child.error().detail;
    child_ = *std::move(child);
    pollfd line{child_.out.fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&line, 1, patience_ms), 1);
    signal_child(child_.pid, SIGKILL);
    ASSERT_EQ(collected().number, SIGKILL);
  }
}

TEST_F(Keeper, kills_a_daemon_in_another_session) {
  start(family("trap '' TERM"));
  signal_child(child_.pid, SIGKILL);
  const auto end = collected();
  EXPECT_TRUE(end.by_signal);
  EXPECT_EQ(end.number, SIGKILL);
  expect_no_survivor();
}

TEST_F(Keeper, passes_term_to_the_group_of_the_trial) {
  start(family("trap 'wait $helper; exit 143' TERM"));
  signal_child(child_.pid, SIGTERM);
  const auto end = collected();
  EXPECT_FALSE(end.by_signal) << "the trial handles it";
  EXPECT_EQ(end.number, 143);
  expect_no_survivor();
}

TEST_F(Keeper, that_is_killed_takes_the_trial_with_it_and_leaves_orphans_to_the_worker) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  start(family(":"));
  ::kill(child_.pid, SIGKILL);
  EXPECT_EQ(collected().number, SIGKILL);
  EXPECT_TRUE(family_[0].ends()) << "the trial";
  EXPECT_FALSE(family_[2].ends(0)) << "the daemon has a new parent";
  const pid_t spared = std::min(family_[1].pid(), family_[2].pid());
  end_strays(&spared, 1);
  EXPECT_TRUE(family_[family_[1].pid() == spared ? 2 : 1].ends());
  EXPECT_FALSE(family_[family_[1].pid() == spared ? 1 : 2].ends(0)) << "a known child";
  end_strays(nullptr, 0);
  expect_no_survivor();
  while (::waitpid(-1, nullptr, 0) > 0) continue;
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

// A stand-in for a worker: starts a trial, passes on its line, and waits to be killed.
[[noreturn]] void play_worker(const std::string& folder, const std::string& text, int out) {
  const auto child = start_child({{"/bin/sh", "-c", text}, {"PATH=/usr/bin:/bin"}, folder});
  if (!child) ::_exit(1);
  std::string line = std::to_string(child->pid);
  for (const pid_t pid : read_numbers(child->out, family_lines)) line += " " + std::to_string(pid);
  line += "\n";
  if (::write(out, line.data(), line.size()) < 0) ::_exit(1);
  for (;;) ::pause();
}

class DeadWorker : public InFolder, public testing::WithParamInterface<int> {};

// However the worker dies, the keeper, the trial, its helpers and its daemons go with it.
TEST_P(DeadWorker, leaves_no_process_behind) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const FileHandle from(ends[0]);
  FileHandle to(ends[1]);
  const pid_t worker = ::fork();
  if (worker == 0) play_worker(folder_, family("trap '' TERM"), to.fd());
  to.close();
  std::vector<Watched> all;
  for (const pid_t pid : read_numbers(from, 1)) all.emplace_back(pid);
  ASSERT_EQ(all.size(), 4U) << "the keeper, the trial, its helper, its daemon";
  for (const Watched& one : all) EXPECT_FALSE(one.ends(0));
  ::kill(worker, GetParam());
  ASSERT_EQ(::waitpid(worker, nullptr, 0), worker);
  for (const Watched& one : all) EXPECT_TRUE(one.ends()) << one.pid();
}

INSTANTIATE_TEST_SUITE_P(Keeper, DeadWorker, testing::Values(SIGKILL, SIGSEGV, SIGTERM),
                         [](const auto& one) {
                           if (one.param == SIGKILL) return "killed";
                           return one.param == SIGSEGV ? "crashed" : "terminated";
                         });

// Starting ----------------------------------------------------------------------------------------

class StartChild : public InFolder {
 protected:
  Error refused(ChildSpec spec) {
    spec.folder = spec.folder.empty() ? folder_ : spec.folder;
    const auto child = start_child(spec);
    EXPECT_FALSE(child);
    return child ? Error{} : child.error();
  }
};

TEST_F(StartChild, names_what_it_cannot_run) {
  EXPECT_EQ(refused({{}, {}, {}}).code, Code::invalid);
  EXPECT_EQ(refused({{""}, {}, {}}).code, Code::invalid);
  EXPECT_EQ(refused({{"/no/such/program"}, {}, {}}).code, Code::not_found);
  EXPECT_EQ(refused({{"no-such-program"}, {"PATH=/usr/bin"}, {}}).code, Code::not_found);
  EXPECT_EQ(refused({{folder_}, {}, {}}).code, Code::not_found) << "a folder";
  write("text", "no program");
  EXPECT_EQ(refused({{"./text"}, {}, {}}).code, Code::not_found) << "not executable";
  const Error error = refused({{"/bin/true"}, {}, path("missing")});
  EXPECT_EQ(error.code, Code::invalid);
  EXPECT_NE(error.detail.find("missing"), std::string::npos);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "no child is left";
}

TEST_F(StartChild, finds_the_program_on_the_path_of_its_own_environment) {
  write("mine", "#!/bin/sh\necho 7 8 9\n");
  fs::permissions(path("mine"), fs::perms::owner_all);
  auto child = start_child({{"mine"}, {"PATH=/no/such:" + folder_ + ":/bin"}, folder_});
  ASSERT_TRUE(child) << child.error().detail;
  EXPECT_EQ(read_numbers(child->out, 1), (std::vector<pid_t>{7, 8, 9}));
  EXPECT_TRUE(Watched(child->pid).ends());
  EXPECT_TRUE(collect_child(child->pid));
}

TEST_F(StartChild, bounds_the_size_of_one_file) {
  auto child = start_child(
      {{"/bin/sh", "-c", "head -c 5000 /dev/zero > large"}, {"PATH=/bin"}, folder_, 1000});
  ASSERT_TRUE(child) << child.error().detail;
  EXPECT_TRUE(Watched(child->pid).ends());
  const auto end = collect_child(child->pid);
  ASSERT_TRUE(end);
  EXPECT_NE(end->number, 0);
  EXPECT_EQ(fs::file_size(path("large")), 1000U);
}

}  // namespace
}  // namespace hone::worker
