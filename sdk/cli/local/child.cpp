#include "sdk/cli/local/child.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/process.hpp"

namespace hone::cli {

Result<Child> start(const Program& program, bool pipe_stdout) {
  const FileHandle log(
      ::open(program.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log)
    return refuse(Code::invalid, "cannot write " + program.log + ": " + std::strerror(errno));
  Pipe output;
  if (pipe_stdout) {
    auto made = make_pipe();
    if (!made) return refuse(Code::internal, "cannot make a pipe: " + made.error().detail);
    output = *std::move(made);
  }
  struct stat before {};
  fstat(log.fd(), &before);
  const FileHandle nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto pid = start_process({.argv = program.argv,
                                  .program = program.argv[0],
                                  .in = nothing.fd(),
                                  .out = pipe_stdout ? output.write.fd() : log.fd(),
                                  .err = log.fd(),
                                  .death_signal = SIGTERM,
                                  .own_group = true});
  if (!pid)
    return refuse(Code::internal, "cannot start " + program.argv[0] + ": " + pid.error().detail);
  return Child{*pid, std::move(output.read), before.st_size};
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
