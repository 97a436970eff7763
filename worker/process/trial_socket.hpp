// The unix socket of one run: takes lines from its process and its helpers, and answers on the
// connection that asked.
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
  // Binds and listens; only this user may connect.
  static Result<TrialSocket> listen(const std::string& path);

  // What to wait for. held: nothing is read, so that the process waits.
  void watch(std::vector<pollfd>& fds, bool held) const;

  // Accepts, reads what is there and sends what is due; never blocks. Lines that do not parse are
  // answered here.
  std::vector<TrialLine> serve();
  // Only sends.
  void flush();

  // To the connection whose report or checkpoint is the oldest without an answer. Nobody listens
  // there any more: ignored.
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
  static void tell(Connection& connection, const TrialAnswer& answer);
  static void send(Connection& connection);
  void drop_closed();

  FileHandle listener_;
  std::deque<Connection> connections_;
  std::deque<int> waiting_;  // numbers of the connections that are owed an answer, in order
  int accepted_ = 0;
};

}  // namespace hone::worker
