#include "sdk/cli/local/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

namespace hone::cli {
namespace {

struct Ends {
  int log = -1;
  int stdout_ours = -1;
  int stdout_theirs = -1;
};

Result<Ends> open_ends(const Program& program, bool pipe_stdout) {
  Ends ends;
  ends.log = open(program.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (ends.log < 0)
    return refuse(Code::invalid, "cannot write " + program.log + ": " + std::strerror(errno));
  if (!pipe_stdout) return ends;
  std::array<int, 2> pair{};
  if (pipe2(pair.data(), O_CLOEXEC) != 0) {
    close(ends.log);
    return refuse(Code::internal, std::string("cannot make a pipe: ") + std::strerror(errno));
  }
  ends.stdout_ours = pair[0];
  ends.stdout_theirs = pair[1];
  return ends;
}

// Between fork and exec: nothing but calls that are safe there.
[[noreturn]] void become_child(char* const* argv, const Ends& ends, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);  // the parent died before the line above
  dup2(ends.stdout_theirs >= 0 ? ends.stdout_theirs : ends.log, STDOUT_FILENO);
  dup2(ends.log, STDERR_FILENO);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv(argv[0], argv);
  _exit(127);
}

}  // namespace

Result<Child> start(const Program& program, bool pipe_stdout) {
  const auto ends = open_ends(program, pipe_stdout);
  if (!ends) return ends.error();
  struct stat log {};
  fstat(ends->log, &log);
  std::vector<char*> argv;
  for (const auto& word : program.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become_child(argv.data(), *ends, parent);
  close(ends->log);
  if (ends->stdout_theirs >= 0) close(ends->stdout_theirs);
  if (pid < 0) {
    if (ends->stdout_ours >= 0) close(ends->stdout_ours);
    return refuse(Code::internal, "cannot start " + program.argv[0] + ": " + std::strerror(errno));
  }
  return Child{pid, ends->stdout_ours, log.st_size};
}

std::string end_text(int wait_status) {
  if (WIFEXITED(wait_status)) return "exit status " + std::to_string(WEXITSTATUS(wait_status));
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  }
  return "wait status " + std::to_string(wait_status);
}

std::string sentence_in(const std::string& log_text) {
  std::istringstream lines(log_text);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  // "2026-11-21T10:04:05.123Z error hone-server: the sentence"
  static const std::regex stamps(
      R"(^((\[[^\]]*\]|[0-9][0-9T:.Z-]{7,})\s+)*((trace|debug|info|warning|error|critical)\s+)?)");
  static const std::regex program(R"(^hone(-[a-z]+)?: )");
  last = std::regex_replace(last, stamps, "");
  return std::regex_replace(last, program, "");
}

std::string last_sentence(const std::string& log, std::int64_t log_start) {
  std::ifstream file(log, std::ios::binary);
  file.seekg(log_start);
  std::ostringstream text;
  text << file.rdbuf();
  return sentence_in(text.str());
}

}  // namespace hone::cli
