#include "sdk/cli/local/supervisor.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "sdk/cli/render/numbers.hpp"

namespace hone::cli {
namespace {

constexpr Duration grace = seconds(15);  // between TERM and KILL

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

std::string url_in(const std::string& line) {
  auto start = line.find("http://");
  if (start == std::string::npos) start = line.find("https://");
  if (start == std::string::npos) return {};
  const auto end = line.find_first_of(" \t\r\"',", start);
  return line.substr(start, end == std::string::npos ? end : end - start);
}

// Replaces "every address", which no certificate names, by loopback.
std::string on_this_machine(std::string url) {
  for (const auto& [every, own] :
       {std::pair{"//0.0.0.0:", "//127.0.0.1:"}, std::pair{"//[::]:", "//[::1]:"}})
    if (const auto at = url.find(every); at != std::string::npos)
      url.replace(at, std::string_view(every).size(), own);
  return url;
}

// Empty for a process killed by a signal: the last line of its log is about something else.
std::string reason_in_log(const Program& program, const Child& child, int wait_status) {
  return WIFEXITED(wait_status) ? last_sentence(program.log, child.log_start) : std::string();
}

// A memory killer or a user; the other signals are faults of the process itself.
EndedBy ended_by(int wait_status) {
  if (!WIFSIGNALED(wait_status)) return EndedBy::itself;
  const int signal = WTERMSIG(wait_status);
  const bool sent = signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
  return sent ? EndedBy::another : EndedBy::itself;
}

std::string quoted_reason(const std::string& sentence) {
  return sentence.empty() ? "" : ": " + sentence;
}

}  // namespace

Supervisor::Supervisor(UpPlan plan, Report report,
                       std::function<void(const std::string& url)> ready)
    : plan_(std::move(plan)), report_(std::move(report)), ready_(std::move(ready)) {
  const sigset_t set = watched_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

Supervisor::~Supervisor() {
  if (signals_ >= 0) close(signals_);
}

Exit Supervisor::run() {
  if (!start_server()) return Exit::general;
  while (server_ && stops_asked_ == 0) {
    wait_for_event();
    reap();
    if (server_ && stops_asked_ == 0) restart_due_workers();
  }
  stop_all();
  return server_failed_ ? Exit::general : Exit::ok;
}

bool Supervisor::start_server() {
  auto child = start(plan_.server, true);
  if (!child) {
    report_(child.error().detail);
    return false;
  }
  server_ = *std::move(child);
  return true;
}

void Supervisor::start_workers(const std::string& url) {
  for (auto& program : plan_.workers) {
    for (auto& word : program.argv)
      if (word == "@URL@") word = url;
    workers_.push_back({program, std::nullopt, {}, {}, {}});
  }
  for (auto& worker : workers_) start_worker(worker);
}

void Supervisor::start_worker(Worker& worker) {
  auto child = start(worker.program, false);
  worker.started_at = now();
  if (child) {
    worker.child = *std::move(child);
    return;
  }
  worker.due_at = worker.started_at + worker.backoff.after_a_life_of({}, EndedBy::itself);
  report_(worker.program.name + ": " + child.error().detail);
}

void Supervisor::wait_for_event() {
  const int server_output = server_ ? server_->stdout_end.fd() : -1;
  std::array<pollfd, 2> watched = {{{signals_, POLLIN, 0}, {server_output, POLLIN, 0}}};
  poll(watched.data(), watched.size(), milliseconds_to_next_due());
  if (watched[0].revents != 0) read_signals();
  if (watched[1].revents != 0) read_server_output();
}

int Supervisor::milliseconds_to_next_due() const {
  std::int64_t soonest = -1;
  const Instant t = now();
  for (const auto& worker : workers_) {
    if (worker.child) continue;
    const std::int64_t left = std::max<std::int64_t>(0, (worker.due_at - t).us / 1000 + 1);
    soonest = soonest < 0 ? left : std::min(soonest, left);
  }
  return static_cast<int>(soonest);
}

void Supervisor::read_signals() {
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    if (info.ssi_signo != SIGCHLD) ++stops_asked_;
}

// The first line with a URL means that the server is ready. Its stdout does not go to its log: the
// last sentence there is the reason of its end, and comes from stderr alone.
void Supervisor::read_server_output() {
  std::array<char, 4096> buffer{};
  const ssize_t got = read(server_->stdout_end.fd(), buffer.data(), buffer.size());
  if (got <= 0) {
    server_->stdout_end.close();
    return;
  }
  partial_line_.append(buffer.data(), static_cast<std::size_t>(got));
  for (auto end = partial_line_.find('\n'); end != std::string::npos;
       end = partial_line_.find('\n')) {
    handle_server_line(partial_line_.substr(0, end));
    partial_line_.erase(0, end + 1);
  }
}

void Supervisor::handle_server_line(const std::string& line) {
  if (!url_.empty()) return;
  url_ = on_this_machine(url_in(line));
  if (url_.empty()) return;
  start_workers(url_);
  ready_(url_);
}

void Supervisor::reap() {
  int status = 0;
  for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
    if (server_ && server_->pid == pid) handle_server_exit(status);
    for (auto& worker : workers_)
      if (worker.child && worker.child->pid == pid) handle_worker_exit(worker, status);
  }
}

void Supervisor::handle_server_exit(int wait_status) {
  while (server_->stdout_end) read_server_output();
  const std::string sentence = reason_in_log(plan_.server, *server_, wait_status);
  const bool was_ready = !url_.empty();
  server_.reset();
  if (stops_asked_ > 0) return;
  server_failed_ = true;
  if (!was_ready) {
    report_(sentence.empty() ? "the server did not start (" + end_text(wait_status) + "); see " +
                                   plan_.server.log
                             : sentence);
    return;
  }
  report_(
      "the server ended (" + end_text(wait_status) + ")" + quoted_reason(sentence) +
      "\nNothing acknowledged is lost: run `hone up` again to continue. Log: " + plan_.server.log);
}

void Supervisor::handle_worker_exit(Worker& worker, int wait_status) {
  const std::string sentence = reason_in_log(worker.program, *worker.child, wait_status);
  worker.child.reset();
  if (stops_asked_ > 0 || !server_) return;
  const Instant t = now();
  const Duration wait =
      worker.backoff.after_a_life_of(t - worker.started_at, ended_by(wait_status));
  worker.due_at = t + wait;
  report_(worker.program.name + " ended (" + end_text(wait_status) + ")" + quoted_reason(sentence) +
          "; starting it again in " + std::to_string(wait.us / 1'000'000) + "s");
}

void Supervisor::restart_due_workers() {
  for (auto& worker : workers_)
    if (!worker.child && worker.due_at <= now()) start_worker(worker);
}

std::vector<pid_t> Supervisor::living_workers() const {
  std::vector<pid_t> pids;
  for (const auto& worker : workers_)
    if (worker.child) pids.push_back(worker.child->pid);
  return pids;
}

// Stops the workers first: they return their runs while the server still listens.
void Supervisor::stop_all() {
  const auto workers = living_workers();
  if (stops_asked_ > 0 && !workers.empty())
    report_("stopping the workers, then the server (Ctrl-C again: at once)");
  stop_within(workers, grace);
  if (server_) stop_within({server_->pid}, grace);
}

void Supervisor::stop_within(const std::vector<pid_t>& pids, Duration time) {
  const auto is_alive = [&](pid_t pid) {
    return (server_ && server_->pid == pid) ||
           std::any_of(workers_.begin(), workers_.end(),
                       [&](const Worker& w) { return w.child && w.child->pid == pid; });
  };
  const auto send_signal = [&](int signal) {
    for (const pid_t pid : pids)
      if (is_alive(pid)) kill(pid, signal);
  };
  const auto any_alive = [&] { return std::any_of(pids.begin(), pids.end(), is_alive); };
  send_signal(SIGTERM);
  const int stops_before = stops_asked_;
  for (const Instant limit = now() + time;
       any_alive() && now() < limit && stops_asked_ == stops_before;) {
    std::array<pollfd, 2> watched = {
        {{signals_, POLLIN, 0}, {server_ ? server_->stdout_end.fd() : -1, POLLIN, 0}}};
    poll(watched.data(), watched.size(), static_cast<int>((limit - now()).us / 1000 + 1));
    if (watched[0].revents != 0) read_signals();
    if (watched[1].revents != 0) read_server_output();
    reap();
  }
  if (!any_alive()) return;
  send_signal(SIGKILL);
  for (const pid_t pid : pids)
    if (is_alive(pid)) waitpid(pid, nullptr, 0);
}

}  // namespace hone::cli
