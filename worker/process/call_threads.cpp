#include "worker/process/call_threads.hpp"

#include <utility>

namespace hone::worker {
namespace {

constexpr int work_threads = 2;  // a request for work replaces one that waits at the server
constexpr int run_threads = 4;   // the upload of a large blob leaves three for reports
constexpr Duration call_timeout = seconds(30);
// The next heartbeat is due by then.
constexpr Duration beat_timeout = seconds(5);

template <class T>
Result<CallReply> as_reply(Result<T> result) {
  if (!result) return std::move(result).error();
  return CallReply{std::move(*result)};
}

struct Performer {
  Client& client;
  BlobCache& cache;
  CodeFolders& code;
  CodeRecorder& recorder;

  Result<CallReply> operator()(const JoinRequest& call) const {
    return as_reply(client.join(call));
  }
  Result<CallReply> operator()(const AcquireRequest& call) const {
    return as_reply(client.acquire(call));
  }
  Result<CallReply> operator()(const BeatCall& call) const {
    return as_reply(client.beat(call.worker, call.request));
  }
  Result<CallReply> operator()(const ReportCall& call) const {
    return as_reply(client.report(call.lease, call.request));
  }
  Result<CallReply> operator()(const SaveModelCall& call) const {
    return as_reply(client.save_model(call.lease, call.request));
  }
  Result<CallReply> operator()(const MetricsCall& call) const {
    return as_reply(client.metrics(call.lease, call.request));
  }
  Result<CallReply> operator()(const EndCall& call) const {
    return as_reply(client.end(call.lease, call.request));
  }
  Result<CallReply> operator()(const StoreBlob& call) const {
    const auto blob = client.put_blob(call.path);
    if (!blob) return blob.error();
    return CallReply{StoredBlob{blob->sha256, blob->bytes}};
  }
  Result<CallReply> operator()(const KeepFiles& call) const {
    for (const KeptFile& file : call.files) {
      const auto blob = client.put_blob(file.path);
      if (!blob && blob.error().code == Code::not_found)
        return refuse(Code::invalid, file.name + " cannot be kept: " + blob.error().detail);
      if (!blob) return blob.error();
      const auto saved = client.save_artifact(call.lease, {file.name, blob->sha256, blob->bytes});
      // Another server than the one that got the bytes: all is sent again.
      if (!saved && saved.error().code == Code::invalid && saved.error().at == "/sha256")
        return refuse(Code::unavailable, saved.error().detail);
      if (!saved) return saved.error();
    }
    return CallReply{Done{}};
  }
  Result<CallReply> operator()(const FetchBlob& call) const {
    auto path = cache.copy_for(call.lease, call.model, client);
    if (!path) return path.error();
    return CallReply{FetchedBlob{std::move(*path)}};
  }
  Result<CallReply> operator()(const FetchInputs& call) const {
    auto folder = cache.folder_for(call.lease, call.files, client);
    if (!folder) return folder.error();
    return CallReply{FetchedInputs{std::move(*folder)}};
  }
  Result<CallReply> operator()(const FetchCode& call) const {
    return as_reply(code.take(call.lease, call.code, cache, client));
  }
  Result<CallReply> operator()(const RecordCode& call) const {
    auto found = recorder.record(client, call);
    if (!found) return found.error();
    return CallReply{RecordedCode{*std::move(found)}};
  }
};

}  // namespace

Result<CallReply> perform(Client& client, BlobCache& cache, CodeFolders& code,
                          CodeRecorder& recorder, const Call& call) {
  return std::visit(Performer{client, cache, code, recorder}, call);
}

CallThreads::CallThreads(const Endpoint& endpoint, BlobCache& cache, CodeFolders& code,
                         Mailbox& mailbox)
    : cache_(cache), code_(code), mailbox_(mailbox) {
  open(work_, endpoint, call_timeout, work_threads);
  open(beats_, endpoint, beat_timeout, 1);
  open(runs_, endpoint, call_timeout, run_threads);
}

CallThreads::~CallThreads() { stop(); }

void CallThreads::send(CallId id, Call call) {
  const bool is_work =
      std::holds_alternative<JoinRequest>(call) || std::holds_alternative<AcquireRequest>(call);
  Pool& pool = is_work ? work_ : std::holds_alternative<BeatCall>(call) ? beats_ : runs_;
  const std::scoped_lock lock(pool.mutex);
  pool.queue.push_back({id, std::move(call)});
  pool.changed.notify_one();
}

void CallThreads::stop() {
  for (Pool* pool : {&work_, &beats_, &runs_}) close(*pool);
  for (Pool* pool : {&work_, &beats_, &runs_}) {
    for (auto& thread : pool->threads) thread.join();
    pool->threads.clear();
  }
}

void CallThreads::open(Pool& pool, const Endpoint& endpoint, Duration timeout, int threads) {
  for (int i = 0; i < threads; ++i) {
    Client& client = *pool.clients.emplace_back(std::make_unique<Client>(endpoint, timeout));
    pool.threads.emplace_back([this, &pool, &client] { serve(pool, client); });
  }
}

void CallThreads::serve(Pool& pool, Client& client) {
  while (auto send = next(pool))
    mailbox_.post({send->id, perform(client, cache_, code_, recorder_, send->call)});
}

std::optional<Send> CallThreads::next(Pool& pool) {
  std::unique_lock lock(pool.mutex);
  pool.changed.wait(lock, [&] { return pool.closed || !pool.queue.empty(); });
  if (pool.closed) return std::nullopt;
  Send send = std::move(pool.queue.front());
  pool.queue.pop_front();
  return send;
}

void CallThreads::close(Pool& pool) {
  {
    const std::scoped_lock lock(pool.mutex);
    pool.closed = true;
  }
  pool.changed.notify_all();
  for (auto& client : pool.clients) client->interrupt();
}

}  // namespace hone::worker
