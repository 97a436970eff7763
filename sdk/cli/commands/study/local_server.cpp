#include "sdk/cli/commands/study/local_server.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "base/process.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/interrupt.hpp"

namespace hone::cli {
namespace {

constexpr Duration start_patience = seconds(60);  // an earlier server takes up to 30 s to end
constexpr Duration between_tries = milliseconds(500);

std::string url_file(const std::string& folder) { return folder + "/study.url"; }

// The address that `hone up` prints; empty if it ends before.
std::string url_printed(const Child& child, Instant limit) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (now() < limit) {
    pollfd watched{child.stdout_end.fd(), POLLIN, 0};
    if (poll(&watched, 1, 100) <= 0) continue;
    const ssize_t got = read(child.stdout_end.fd(), buffer.data(), buffer.size());
    if (got <= 0) return {};
    text.append(buffer.data(), static_cast<std::size_t>(got));
    const auto begin = text.find("http://");
    const auto end = begin == text.npos ? begin : text.find_first_of(" \n", begin);
    if (end != text.npos) return text.substr(begin, end - begin);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<LocalServer>> LocalServer::start(const std::string& folder, int slots) {
  const auto program = find_program("hone");
  if (!program) return program.error();
  const Program up{"hone up",
                   {*program, "up", "--data", folder, "--listen", "127.0.0.1:0", "--slots",
                    std::to_string(slots > 0 ? slots : 1), "--workers", slots > 0 ? "1" : "0"},
                   folder + "/study.log"};
  std::string reason;
  for (const Instant limit = now() + start_patience; now() < limit;) {
    auto child = cli::start(up, true);
    if (!child) return child.error();
    auto url = url_printed(*child, limit);
    if (!url.empty()) {
      if (slots > 0)
        if (const auto kept = write_file(url_file(folder), url); !kept) return kept.error();
      return std::unique_ptr<LocalServer>(
          new LocalServer(*std::move(child), std::move(url), slots > 0 ? folder : ""));
    }
    kill(child->pid, SIGTERM);
    wait_for(child->pid);
    reason = last_sentence(up.log, child->log_start);
    if (interrupted_within(between_tries)) break;
  }
  return refuse(Code::unavailable,
                "the study's server did not start: " + reason + "; see " + up.log);
}

LocalServer::~LocalServer() {
  if (!folder_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(url_file(folder_), ignored);
  }
  kill(child_.pid, SIGTERM);
  wait_for(child_.pid);
}

std::string recorded_url(const std::string& folder) {
  const auto text = read_file(url_file(folder));
  return text ? *text : std::string();
}

}  // namespace hone::cli
