#include "sdk/cli/local/conversation.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

#include "base/private_namespaces.hpp"
#include "base/process.hpp"
#include "sdk/cli/local/child.hpp"
#include "sdk/cpp/secrets.hpp"

namespace hone::cli {
namespace {

// No answer is longer than this; the bound stops a program that prints without end.
constexpr std::size_t line_bytes_max = 1 << 20;
constexpr Duration patience_at_end = seconds(1);

Error cannot_start(const std::string& program, const Error& why) {
  return refuse(Code::invalid, "cannot start '" + program + "': " + why.detail);
}

}  // namespace

Result<std::unique_ptr<Conversation>> Conversation::start(const std::vector<std::string>& argv,
                                                          bool sandbox) {
  if (sandbox)
    if (auto allowed = check_private_namespaces(); !allowed) return allowed.error();
  auto to = make_pipe();
  auto from = make_pipe();
  for (const auto* pipe : {&to, &from})
    if (!*pipe) return cannot_start(argv.at(0), pipe->error());
  const auto pid = start_process({.argv = argv,
                                  .env = environment_without_secrets(),
                                  .in = to->read.fd(),
                                  .out = from->write.fd(),
                                  .death_signal = SIGTERM},
                                 sandbox ? begin_in_private_namespaces : nullptr);
  if (!pid) return cannot_start(argv.at(0), pid.error());
  std::signal(SIGPIPE, SIG_IGN);
  return std::unique_ptr<Conversation>(
      new Conversation(*pid, std::move(to->write), std::move(from->read)));
}

Conversation::~Conversation() {
  to_.close();
  from_.close();
  if (reaped_within(patience_at_end)) return;
  kill(pid_, SIGKILL);
  wait_for(pid_);
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
  return write_all(to_, line + "\n") ? Status(Done{}) : gone();
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
    pollfd waiting{from_.fd(), POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(time.us / 1000));
    if (ready <= 0) return std::optional<std::string>();
    std::array<char, 65536> bytes{};
    const auto count = read(from_.fd(), bytes.data(), bytes.size());
    if (count <= 0 && !heard_.empty()) return std::optional(std::exchange(heard_, {}));
    if (count <= 0) return gone();
    heard_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace hone::cli
