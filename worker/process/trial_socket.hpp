// The unix socket of one run: reads lines from its process and helpers, and answers on the
// connection that sent the line.
#pragma once

#include <poll.h>

#include <deque>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "worker/agent/trial_line.hpp"
#include "worker/process/line_reader.hpp"

namespace hone::worker {

class TrialSocket {
 public:
  // Binds and listens. Only the same user may connect.
  static Result<TrialSocket> listen(const std::string& path);

  // Adds what to wait for. `held`: nothing is read, so that the process waits.
  void watch(std::vector<pollfd>& fds, bool held) const;

  // Accepts, reads and sends without blocking. Answers invalid lines itself.
  std::vector<TrialLine> serve();
  // Only sends.
  void flush();

  // Whether a process has connected.
  [[nodiscard]] bool was_used() const { return accepted_ > 0; }

  // Answers the oldest unanswered report or checkpoint. Does nothing if its connection is closed.
  void answer(const TrialAnswer& answer);

 private:
  struct Connection {
    FileHandle file;
    LineReader reader;
    std::string unsent;
    int number = 0;
  };

  explicit TrialSocket(FileHandle listener) : listener_(std::move(listener)) {}
  void accept();
  void read(Connection& connection, std::vector<TrialLine>& lines);
  void take_line(Connection& connection, std::string_view text, bool too_long,
                 std::vector<TrialLine>& lines);
  static void reply(Connection& connection, const TrialAnswer& answer);
  static void send(Connection& connection);
  void drop_closed();

  FileHandle listener_;
  std::deque<Connection> connections_;
  std::deque<int> waiting_;  // numbers of the connections that wait for an answer, in order
  int accepted_ = 0;
};

}  // namespace hone::worker
