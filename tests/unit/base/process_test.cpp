// Real child processes. The test collects orphans, so that it sees how grandchildren end.
#include "base/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>

#include "base/files.hpp"

namespace hone {
namespace {

// What the program wrote to stdout, and how it ended.
struct Outcome {
  std::string output;
  int status = -1;
};

Outcome outcome_of(ProcessSpec spec) {
  auto pipe = make_pipe();
  spec.out = pipe->write.fd();
  const auto pid = start_process(spec);
  EXPECT_TRUE(pid) << pid.error().detail;
  pipe->write.close();
  Outcome outcome{read_to_end(pipe->read)};
  outcome.status = wait_for(*pid);
  return outcome;
}

ProcessSpec shell(const std::string& script) { return {.argv = {"sh", "-c", script}}; }

TEST(Process, runs_a_program_of_the_path) {
  const auto outcome = outcome_of({.argv = {"printf", "%s-%s", "a", "b"}});
  EXPECT_EQ(outcome.output, "a-b");
  EXPECT_TRUE(WIFEXITED(outcome.status));
  EXPECT_EQ(WEXITSTATUS(outcome.status), 0);
}

TEST(Process, returns_the_status_of_its_child) {
  EXPECT_EQ(WEXITSTATUS(outcome_of(shell("exit 7")).status), 7);
  EXPECT_EQ(WTERMSIG(outcome_of(shell("kill -9 $$")).status), 9);
}

TEST(Process, has_the_environment_and_folder_that_it_is_given) {
  auto spec = shell("echo $WHAT; pwd");
  spec.env = {{"WHAT=this"}};
  spec.program = "/bin/sh";
  spec.folder = "/usr";
  EXPECT_EQ(outcome_of(spec).output, "this\n/usr\n");
}

TEST(Process, reports_why_a_program_cannot_run) {
  const auto missing = start_process({.argv = {"/nowhere/at/all"}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::invalid);
  EXPECT_EQ(missing.error().detail, "No such file or directory");
  const auto folder = start_process({.argv = {"true"}, .folder = "/nowhere"});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().detail, "No such file or directory");
  const auto no_program = start_process({.argv = {"x"}, .program = "/etc/passwd"});
  ASSERT_FALSE(no_program);
  EXPECT_EQ(no_program.error().detail, "Permission denied");
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "every failed child was collected";
}

TEST(Process, inherits_only_the_descriptors_that_are_named) {
  auto open = make_pipe();
  auto leaked = make_pipe();
  ASSERT_EQ(::fcntl(leaked->read.fd(), F_SETFD, 0), 0) << "as a library would open it";
  auto spec = shell("ls -1 /proc/$$/fd");
  spec.inherited = {open->write.fd()};
  const auto listed = "\n" + outcome_of(spec).output;
  const auto lists = [&](int fd) {
    return listed.find("\n" + std::to_string(fd) + "\n") != std::string::npos;
  };
  EXPECT_TRUE(lists(open->write.fd())) << listed;
  EXPECT_FALSE(lists(leaked->read.fd())) << listed;
}

TEST(Process, starts_with_default_signal_handling) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(WTERMSIG(outcome_of(shell("kill -PIPE $$; echo alive")).status), SIGPIPE);
  std::signal(SIGPIPE, before);
}

TEST(Process, cannot_write_files_over_its_bound) {
  auto spec = shell("head -c 100000 /dev/zero > /dev/stdout");
  spec.file_bytes_max = 4096;
  const auto file =
      std::filesystem::temp_directory_path() / ("hone-bound-" + std::to_string(::getpid()));
  const FileHandle target(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  spec.out = target.fd();
  const auto pid = start_process(spec);
  ASSERT_TRUE(pid);
  wait_for(*pid);
  EXPECT_EQ(std::filesystem::file_size(file), 4096U);
  std::filesystem::remove(file);
}

TEST(Process, leads_a_group_of_its_own_if_asked) {
  auto spec = shell("exec sleep 1000");
  spec.own_group = true;
  const auto pid = start_process(spec);
  ASSERT_TRUE(pid);
  EXPECT_EQ(::getpgid(*pid), *pid);
  ::kill(-*pid, SIGKILL);
  EXPECT_EQ(WTERMSIG(wait_for(*pid)), SIGKILL);
}

TEST(Process, ends_with_its_parent) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  auto pipe = make_pipe();
  const auto parent = fork_process([&] {
    const auto pid = start_process({.argv = {"sleep", "1000"}, .death_signal = SIGTERM});
    if (pid) (void)write_all(pipe->write, std::to_string(*pid));
  });
  ASSERT_TRUE(parent);
  EXPECT_EQ(WEXITSTATUS(wait_for(*parent)), 0);
  pipe->write.close();
  const auto orphan = static_cast<pid_t>(std::stol(read_to_end(pipe->read)));
  EXPECT_EQ(WTERMSIG(wait_for(orphan)), SIGTERM);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(Process, is_not_started_for_a_parent_that_has_ended) {
  EXPECT_TRUE(end_with_parent(::getppid(), 0));
  EXPECT_FALSE(end_with_parent(::getpid(), 0)) << "another process than the parent";
}

TEST(Process, runs_a_function_in_a_fork) {
  auto pipe = make_pipe();
  const auto pid = fork_process([&] { (void)write_all(pipe->write, "from the child"); });
  ASSERT_TRUE(pid);
  pipe->write.close();
  EXPECT_EQ(read_to_end(pipe->read), "from the child");
  EXPECT_EQ(wait_for(*pid), 0);
}

TEST(Process, is_replaced_by_a_program) {
  auto pipe = make_pipe();
  const auto pid = fork_process([&] {
    ::dup2(pipe->write.fd(), STDOUT_FILENO);
    (void)exec_program("/bin/sh", {"sh", "-c", "echo replaced"});
  });
  ASSERT_TRUE(pid);
  pipe->write.close();
  EXPECT_EQ(read_to_end(pipe->read), "replaced\n");
  EXPECT_EQ(wait_for(*pid), 0);
  EXPECT_EQ(exec_program("/nowhere", {"x"}).code, Code::internal);
}

}  // namespace
}  // namespace hone
