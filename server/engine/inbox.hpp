// The bounded queue in front of the engine: many threads push, the engine's thread takes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"
#include "server/engine/envelope.hpp"

namespace hone {

class Inbox {
 public:
  explicit Inbox(std::size_t capacity) : capacity_(capacity) {}

  // Never waits. Refuses (busy) when full and (unavailable) when closed; the envelope is then
  // dropped without a call of its reply.
  Status push(Envelope envelope);

  struct Batch {
    std::vector<Envelope> envelopes;  // in the order of push; empty after `patience`
    bool finished = false;            // closed and empty
  };
  // Waits until the queue holds an envelope, `patience` is over (nullopt: no limit) or the inbox is
  // closed. Takes at most `max` envelopes.
  Batch take(std::optional<Duration> patience, std::size_t max);

  // Refuses further envelopes. Those in the queue can still be taken.
  void close();

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Envelope> queue_;
  bool closed_ = false;
};

}  // namespace hone
