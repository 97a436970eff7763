#include "sdk/cpp/trial.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

namespace hone {
namespace {

constexpr std::size_t line_bytes_max = 1 << 20;  // answers are a few hundred bytes

Error worker_gone() {
  return refuse(
      Code::unavailable,
      "the worker closed the connection; end this process, the run is continued elsewhere");
}

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Result<TrialVerdict> verdict_of(const Json& answer) {
  const auto word = answer.value("verdict", "");
  TrialVerdict verdict{TrialVerdict::Action::go_on, answer.value("reason", "")};
  if (word == "pause")
    verdict.action = TrialVerdict::Action::pause;
  else if (word == "stop")
    verdict.action = TrialVerdict::Action::stop;
  else if (word != "continue")
    return refuse(Code::internal, "the worker answered a report with " + to_text(answer));
  return verdict;
}

Error error_of(const Json& problem) {
  return refuse(Code::invalid, problem.value("detail", "the worker refused without a reason"),
                problem.value("at", ""));
}

}  // namespace

Result<std::unique_ptr<Trial>> Trial::connect(const std::filesystem::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const auto text = socket.string();
  if (text.size() >= sizeof address.sun_path)
    return refuse(Code::invalid, "the socket path is too long for the system: " + text);
  std::copy(text.begin(), text.end(), address.sun_path);
  const int handle = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::unique_ptr<Trial> trial(new Trial(handle, wake));  // the constructor is private
  if (handle < 0 || wake < 0)
    return refuse(Code::unavailable,
                  std::string("no socket can be opened: ") + std::strerror(errno));
  // POSIX allows this cast between its address types.
  if (::connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return refuse(Code::unavailable, "no worker answers at " + text + ": " + std::strerror(errno));
  return trial;
}

Trial::~Trial() {
  if (socket_ >= 0) ::close(socket_);
  if (wake_ >= 0) ::close(wake_);
}

Result<std::string> Trial::checkpoint(const std::filesystem::path& file, std::int64_t step,
                                      int phase) {
  const auto answer =
      ask({{"checkpoint", {{"path", file.string()}, {"step", step}, {"phase", phase}}}});
  if (!answer) return answer.error();
  try {
    return answer->at("saved").at("sha256").get<std::string>();
  } catch (const Json::exception&) {
    return refuse(Code::internal, "the worker answered a checkpoint with " + to_text(*answer));
  }
}

Result<TrialVerdict> Trial::report(int phase, std::int64_t step, Score value,
                                   std::optional<bool> seed_applied,
                                   const std::vector<Score>& further) {
  const auto number = [](Score score) {
    return score.is_diverged() ? Json("diverged") : Json(score.value());
  };
  Json body{{"phase", phase}, {"step", step}, {"value", number(value)}};
  for (const Score score : further) body["further"].push_back(number(score));
  if (seed_applied) body["seed_applied"] = *seed_applied;
  const auto answer = ask({{"report", std::move(body)}});
  if (!answer) return answer.error();
  try {
    return verdict_of(*answer);
  } catch (const Json::exception&) {
    return refuse(Code::internal, "the worker answered a report with " + to_text(*answer));
  }
}

Status Trial::metric(std::string_view name, std::int64_t step, double value) {
  if (!std::isfinite(value)) return Done{};
  const std::scoped_lock lock(mutex_);
  return send({{"metric", {{"name", name}, {"step", step}, {"value", value}}}});
}

std::string Trial::metric_fault() const {
  const std::scoped_lock lock(fault_mutex_);
  return metric_fault_;
}

void Trial::hurry(std::chrono::milliseconds patience) {
  deadline_ns_ = now_ns() + std::chrono::nanoseconds(patience).count();
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written =
      ::write(wake_, &one, sizeof one);  // cannot fail on an empty eventfd
}

Status Trial::send(const Json& message) {
  const auto line = to_text(message) + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const auto sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return worker_gone();
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return Done{};
}

Result<Json> Trial::ask(const Json& message) {
  const std::scoped_lock lock(mutex_);
  if (auto sent = send(message); !sent) return std::move(sent).error();
  for (;;) {
    const auto line = read_line();
    if (!line) return line.error();
    auto answer = parse_json(*line);
    if (!answer || !answer->is_object())
      return refuse(Code::internal,
                    "the worker sent something that is not a JSON object: " + *line);
    if (!answer->contains("error")) return answer;
    const auto& problem = answer->at("error");
    if (!problem.is_object()) return refuse(Code::internal, "the worker refused with " + *line);
    const auto error = error_of(problem);
    if (!error.at.starts_with("/metric")) return error;
    const std::scoped_lock fault_lock(
        fault_mutex_);  // of an earlier metric: nothing waits for that answer
    metric_fault_ = error.detail;
  }
}

Result<std::string> Trial::read_line() {
  for (;;) {
    if (const auto end = received_.find('\n'); end != std::string::npos) {
      auto line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    if (received_.size() > line_bytes_max)
      return refuse(Code::internal, "the worker sent a line without end");
    if (auto ready = wait_for_input(); !ready) return std::move(ready).error();
    std::array<char, 4096> buffer;
    const auto got = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return worker_gone();
    received_.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

Status Trial::wait_for_input() {
  for (;;) {
    const auto deadline = deadline_ns_.load();
    std::array<pollfd, 2> sources{{{socket_, POLLIN, 0}, {wake_, POLLIN, 0}}};
    // After hurry() the eventfd stays readable, so only the deadline counts.
    const auto left_ms =
        deadline == 0 ? -1 : std::max<std::int64_t>(0, (deadline - now_ns()) / 1'000'000);
    const auto ready = ::poll(sources.data(), deadline == 0 ? 2 : 1, static_cast<int>(left_ms));
    if (sources[0].revents != 0) return Done{};
    if (ready == 0 && deadline != 0)
      return refuse(Code::timed_out, "the worker did not answer in time");
    if (ready < 0 && errno != EINTR) return worker_gone();
  }
}

}  // namespace hone
