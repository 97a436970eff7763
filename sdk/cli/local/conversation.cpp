#include "sdk/cli/local/conversation.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sdk/cli/local/child.hpp"

namespace hone::cli {
namespace {

// Nobody answers a question with more than this; a program that prints without end is stopped here.
constexpr std::size_t line_bytes_max = 1 << 20;
constexpr Duration patience_at_end = seconds(1);

struct Pipe {
  int read = -1;
  int write = -1;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{ends[0], ends[1]};
}

void ignore_broken_pipes(bool ignore) {
  struct sigaction action {};
  action.sa_handler = ignore ? SIG_IGN : SIG_DFL;
  sigaction(SIGPIPE, &action, nullptr);
}

// `trouble` closes by itself when the program starts; else it carries errno.
[[noreturn]] void become_program(char* const* argv, int in, int out, int trouble, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(127);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  ignore_broken_pipes(false);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvp(argv[0], argv);
  const int why = errno;
  [[maybe_unused]] const auto written = write(trouble, &why, sizeof why);
  _exit(127);
}

Error cannot_start(const std::string& program, int why) {
  return refuse(Code::invalid, "cannot start '" + program + "': " + std::strerror(why));
}

}  // namespace

Result<std::unique_ptr<Conversation>> Conversation::start(const std::vector<std::string>& argv) {
  const auto to = make_pipe();
  const auto from = make_pipe();
  const auto trouble = make_pipe();
  if (!to || !from || !trouble) return cannot_start(argv.at(0), errno);
  std::vector<char*> words;
  for (const auto& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become_program(words.data(), to->read, from->write, trouble->write, parent);
  const int fork_trouble = errno;
  close(to->read);
  close(from->write);
  close(trouble->write);
  if (pid < 0) return cannot_start(argv.at(0), fork_trouble);
  ignore_broken_pipes(true);
  std::unique_ptr<Conversation> conversation(new Conversation(pid, to->write, from->read));
  int why = 0;
  const auto failed = read(trouble->read, &why, sizeof why);
  close(trouble->read);
  if (failed > 0) return cannot_start(argv.at(0), why);
  return conversation;
}

Conversation::~Conversation() {
  if (to_ >= 0) close(to_);
  close(from_);
  if (reaped_within(patience_at_end)) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Conversation::reaped_within(Duration time) {
  constexpr Duration step = milliseconds(20);
  for (Duration waited{}; !status_; waited.us += step.us) {
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) status_ = status;
    if (status_ || waited.us >= time.us) break;
    poll(nullptr, 0, static_cast<int>(step.us / 1000));
  }
  return status_.has_value();
}

Error Conversation::gone() {
  if (!reaped_within(patience_at_end))
    return refuse(Code::internal, "it closed its output but runs on");
  return refuse(Code::internal, "it ended with " + end_text(*status_));
}

Status Conversation::say(const std::string& line) {
  const std::string whole = line + "\n";
  for (std::size_t sent = 0; sent < whole.size();) {
    const auto written = write(to_, whole.data() + sent, whole.size() - sent);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return gone();
    sent += static_cast<std::size_t>(written);
  }
  return Done{};
}

Result<std::optional<std::string>> Conversation::hear(Duration time) {
  while (true) {
    if (const auto end = heard_.find('\n'); end != std::string::npos) {
      std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return std::optional(std::move(line));
    }
    if (heard_.size() > line_bytes_max)
      return refuse(Code::internal, "it wrote " + std::to_string(heard_.size()) +
                                        " bytes without the end of a line");
    pollfd waiting{from_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(time.us / 1000));
    if (ready <= 0) return std::optional<std::string>();
    std::array<char, 65536> bytes{};
    const auto count = read(from_, bytes.data(), bytes.size());
    if (count <= 0) return gone();
    heard_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace hone::cli
