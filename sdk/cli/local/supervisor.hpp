// A server and its workers, kept running until a signal or the server's end.
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
  using Say = std::function<void(const std::string& message)>;

  // `ready` is called once, with the server's URL, when the workers have been started.
  Supervisor(UpPlan plan, Say say, std::function<void(const std::string& url)> ready);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Blocks. Ok after SIGINT, SIGTERM or SIGHUP, general when the server ended by itself or never
  // came up (said why).
  Exit run();

 private:
  struct Worker {
    Program program;
    std::optional<Child> child;
    Instant started_at;
    Instant due_at;  // to be started again
    Backoff backoff;
  };

  bool start_server();
  void start_workers(const std::string& url);
  void start_worker(Worker& worker);
  void wait_for_something();
  void read_signals();
  void read_server_output();
  void hear_line(const std::string& line);
  void reap();
  void mourn_server(int wait_status);
  void mourn_worker(Worker& worker, int wait_status);
  void restart_due_workers();
  void stop_all();
  void stop_within(const std::vector<pid_t>& pids, Duration grace);
  [[nodiscard]] int milliseconds_to_next_due() const;
  [[nodiscard]] std::vector<pid_t> living_workers() const;

  UpPlan plan_;
  Say say_;
  std::function<void(const std::string& url)> ready_;
  std::optional<Child> server_;
  std::vector<Worker> workers_;
  std::string url_;           // empty until the server is ready
  std::string partial_line_;  // of the server's stdout
  int signals_ = -1;          // signalfd
  int stops_asked_ =
      0;  // signals seen that ask us to stop; from the second on nothing is waited for
  bool server_failed_ = false;
};

}  // namespace hone::cli
