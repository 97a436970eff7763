// Sends the logs of runs to the server: what is new of a log that a client reads, and the end of
// every log when its process has ended. Has one thread, so that a slow upload delays no report. A
// log is worth no effort: what cannot be sent twice is left in the worker's own folder.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "schemas/types/ids.hpp"
#include "sdk/cpp/client.hpp"
#include "worker/process/log_file.hpp"

namespace hone::worker {

class LogSender {
 public:
  explicit LogSender(const Endpoint& endpoint);
  ~LogSender();  // sends what is queued for at most limits::hurry
  LogSender(const LogSender&) = delete;
  LogSender& operator=(const LogSender&) = delete;

  // Starts to follow a log. Precondition: finish() will be called for the lease.
  void follow(LeaseId lease);
  // Whether a log is followed: offer() it every limits::log_period.
  [[nodiscard]] bool follows(LeaseId lease);
  [[nodiscard]] bool follows_any();
  // Sends what is new, unless the last piece is still on its way. A new follower gets all that is
  // in memory.
  void offer(WorkerId worker, LeaseId lease, const LogFile& log);
  // The process has ended: sends the end of its log, if it has one.
  void finish(WorkerId worker, LeaseId lease, const LogFile& log);

 private:
  struct Job {
    WorkerId worker;
    LeaseId lease;
    LogFile::Piece piece;
    bool last = false;
  };
  struct Followed {
    std::int64_t sent = 0;
    bool answered = false;  // the first piece is sent even if it is empty
    bool busy = false;
  };

  void run();
  std::optional<Job> next();
  void send(const Job& job);

  Client client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> queue_;
  std::map<LeaseId, Followed> followed_;
  bool sending_ = false;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace hone::worker
