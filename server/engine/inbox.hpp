// The bounded queue in front of the engine: many threads push, the engine's thread takes. Holds the
// server's only mutex.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"
#include "server/engine/engine.hpp"

namespace hone {

class Inbox {
 public:
  explicit Inbox(std::size_t capacity) : capacity_(capacity) {}

  // Never waits. Refuses with busy when full, unavailable once closed; the envelope is then
  // dropped, its reply not called.
  Status push(Envelope envelope);

  struct Batch {
    std::vector<Envelope>
        envelopes;          // in the order in which they were pushed; empty when patience ran out
    bool finished = false;  // closed, and nothing is left
  };
  // Waits until there is something, `patience` is over (nullopt: for ever) or the inbox is closed.
  // Takes at most `max`.
  Batch take(std::optional<Duration> patience, std::size_t max);

  // What is queued can still be taken.
  void close();

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Envelope> queue_;
  bool closed_ = false;
};

}  // namespace hone
