// Runs a server and its workers until a signal or the end of the server.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sdk/cli/local/backoff.hpp"
#include "sdk/cli/local/child.hpp"
#include "sdk/cli/session/exit_codes.hpp"

namespace hone::cli {

struct UpPlan {
  Program server;                // prints a line with its URL on stdout once it is ready
  std::vector<Program> workers;  // "@URL@" in their argv becomes that URL
};

class Supervisor {
 public:
  using Report = std::function<void(const std::string& message)>;

  // Calls `ready` once, with the URL of the server, after starting the workers.
  Supervisor(UpPlan plan, Report report, std::function<void(const std::string& url)> ready);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Blocks until the end. Returns ok after SIGINT, SIGTERM or SIGHUP; general, after a report of
  // the reason, if the server did not start or ended by itself.
  Exit run();

 private:
  struct Worker {
    Program program;
    std::optional<Child> child;
    Instant started_at;
    Instant due_at;  // of the next start
    Backoff backoff;
  };

  bool start_server();
  void start_workers(const std::string& url);
  void start_worker(Worker& worker);
  void wait_for_event();
  void read_signals();
  void read_server_output();
  void handle_server_line(const std::string& line);
  void reap();
  void handle_server_exit(int wait_status);
  void handle_worker_exit(Worker& worker, int wait_status);
  void restart_due_workers();
  void stop_all();
  void stop_within(const std::vector<pid_t>& pids, Duration grace);
  [[nodiscard]] int milliseconds_to_next_due() const;
  [[nodiscard]] std::vector<pid_t> living_workers() const;

  UpPlan plan_;
  Report report_;
  std::function<void(const std::string& url)> ready_;
  std::optional<Child> server_;
  std::vector<Worker> workers_;
  std::string url_;           // empty until the server is ready
  std::string partial_line_;  // of the server's stdout
  int signals_ = -1;          // signalfd
  int stops_asked_ = 0;       // signals to stop so far; the second one stops at once
  bool server_failed_ = false;
};

}  // namespace hone::cli
