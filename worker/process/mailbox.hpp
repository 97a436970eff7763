// Answers of the calling threads on their way to the loop, which waits for them in poll().
#pragma once

#include <mutex>
#include <vector>

#include "base/files.hpp"
#include "worker/agent/words.hpp"

namespace hone::worker {

// Bounded by the calls in flight: at most one for each run and three of the worker's own.
class Mailbox {
 public:
  Mailbox();  // throws std::system_error when there is no descriptor left

  void post(Replied reply);                            // any thread
  std::vector<Replied> take();                         // the loop
  [[nodiscard]] int fd() const { return wake_.fd(); }  // readable while there is something

 private:
  FileHandle wake_;
  std::mutex mutex_;
  std::vector<Replied> replies_;
};

}  // namespace hone::worker
