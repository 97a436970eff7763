// The threads that speak to the server, so that the loop never waits for it. The long poll for work
// and the heartbeats have a thread each: a slow report delays neither. All others share a few.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sdk/cpp/client.hpp"
#include "worker/agent/words.hpp"
#include "worker/process/blob_cache.hpp"
#include "worker/process/mailbox.hpp"

namespace hone::worker {

class CallThreads {
 public:
  // `cache` and `mailbox` must outlive it. Every call is answered in `mailbox`.
  CallThreads(const Endpoint& endpoint, BlobCache& cache, Mailbox& mailbox);
  ~CallThreads();  // stop()

  // StoreBlob::path must be absolute here.
  void send(CallId id, Call call);

  // Gives up what is under way and joins. Idempotent.
  void stop();

 private:
  // A queue and the threads that serve it, each with its own connection.
  struct Lane {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Send> queue;
    bool closed = false;
    std::vector<std::unique_ptr<Client>> clients;
    std::vector<std::thread> threads;
  };

  void open(Lane& lane, const Endpoint& endpoint, Duration timeout, int threads);
  void serve(Lane& lane, Client& client);
  static std::optional<Send> next(Lane& lane);
  static void close(Lane& lane);

  BlobCache& cache_;
  Mailbox& mailbox_;
  Lane work_;  // join, acquire
  Lane beats_;
  Lane runs_;  // reports, models, metrics, ends, blobs
};

// One call, blocking.
Result<CallReply> perform(Client& client, BlobCache& cache, const Call& call);

}  // namespace hone::worker
