// The queue of replies from the call threads to the loop, which waits for them in poll().
#pragma once

#include <mutex>
#include <vector>

#include "base/files.hpp"
#include "worker/agent/messages.hpp"

namespace hone::worker {

// Bounded by the calls in flight: at most one for each run, and a join, two acquires and a
// heartbeat.
class Mailbox {
 public:
  Mailbox();  // throws std::system_error if no descriptor is left

  void post(Replied reply);                            // thread-safe
  std::vector<Replied> take();                         // thread-safe; in the order of post()
  [[nodiscard]] int fd() const { return wake_.fd(); }  // readable while there are replies

 private:
  FileHandle wake_;
  std::mutex mutex_;
  std::vector<Replied> replies_;
};

}  // namespace hone::worker
