// The threads that call the server, so that the loop never waits for it. Requests for work and
// heartbeats have separate threads: a slow report delays neither. All other calls share a few.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sdk/cpp/client.hpp"
#include "worker/agent/messages.hpp"
#include "worker/process/blob_cache.hpp"
#include "worker/process/code_folders.hpp"
#include "worker/process/code_recorder.hpp"
#include "worker/process/mailbox.hpp"

namespace hone::worker {

class CallThreads {
 public:
  // `cache`, `code` and `mailbox` must outlive it. Posts the reply to every call in `mailbox`.
  CallThreads(const Endpoint& endpoint, BlobCache& cache, CodeFolders& code, Mailbox& mailbox);
  ~CallThreads();  // stop()

  // Does not block. StoreBlob::path must be absolute.
  void send(CallId id, Call call);

  // Interrupts the calls in flight, drops those that wait, and joins the threads. Idempotent.
  void stop();

 private:
  // A queue of calls and the threads that make them, each with its own connection.
  struct Pool {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Send> queue;
    bool closed = false;
    std::vector<std::unique_ptr<Client>> clients;
    std::vector<std::thread> threads;
  };

  void open(Pool& pool, const Endpoint& endpoint, Duration timeout, int threads);
  void serve(Pool& pool, Client& client);
  static std::optional<Send> next(Pool& pool);
  static void close(Pool& pool);

  BlobCache& cache_;
  CodeFolders& code_;
  CodeRecorder recorder_;
  Mailbox& mailbox_;
  Pool work_;  // join, acquire
  Pool beats_;
  Pool runs_;  // reports, models, metrics, ends, blobs
};

// Makes one call and waits for its reply.
Result<CallReply> perform(Client& client, BlobCache& cache, CodeFolders& code,
                          CodeRecorder& recorder, const Call& call);

}  // namespace hone::worker
