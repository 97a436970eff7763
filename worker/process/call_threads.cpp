#include "worker/process/call_threads.hpp"

#include <utility>

namespace hone::worker {
namespace {

constexpr int run_threads = 4;  // a blob of 256 MiB on its way leaves three for reports
constexpr Duration call_timeout = seconds(30);
constexpr Duration beat_timeout =
    seconds(5);  // a beat that is later than that has been overtaken by the next

template <class T>
Result<CallReply> as_reply(Result<T> result) {
  if (!result) return std::move(result).error();
  return CallReply{std::move(*result)};
}

struct Performer {
  Client& client;
  BlobCache& cache;

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
      if (!blob) return blob.error();
      const auto saved = client.save_artifact(call.lease, {file.name, blob->sha256, blob->bytes});
      if (!saved) return saved.error();
    }
    return CallReply{Done{}};
  }
  Result<CallReply> operator()(const FetchBlob& call) const {
    auto path = cache.get(call.model, client);
    if (!path) return path.error();
    return CallReply{FetchedBlob{std::move(*path)}};
  }
};

}  // namespace

Result<CallReply> perform(Client& client, BlobCache& cache, const Call& call) {
  return std::visit(Performer{client, cache}, call);
}

CallThreads::CallThreads(const Endpoint& endpoint, BlobCache& cache, Mailbox& mailbox)
    : cache_(cache), mailbox_(mailbox) {
  open(work_, endpoint, call_timeout, 1);
  open(beats_, endpoint, beat_timeout, 1);
  open(runs_, endpoint, call_timeout, run_threads);
}

CallThreads::~CallThreads() { stop(); }

void CallThreads::send(CallId id, Call call) {
  const bool is_work =
      std::holds_alternative<JoinRequest>(call) || std::holds_alternative<AcquireRequest>(call);
  Lane& lane = is_work ? work_ : std::holds_alternative<BeatCall>(call) ? beats_ : runs_;
  const std::scoped_lock lock(lane.mutex);
  lane.queue.push_back({id, std::move(call)});
  lane.changed.notify_one();
}

void CallThreads::stop() {
  for (Lane* lane : {&work_, &beats_, &runs_}) close(*lane);
  for (Lane* lane : {&work_, &beats_, &runs_}) {
    for (auto& thread : lane->threads) thread.join();
    lane->threads.clear();
  }
}

void CallThreads::open(Lane& lane, const Endpoint& endpoint, Duration timeout, int threads) {
  for (int i = 0; i < threads; ++i) {
    Client& client = *lane.clients.emplace_back(std::make_unique<Client>(endpoint, timeout));
    lane.threads.emplace_back([this, &lane, &client] { serve(lane, client); });
  }
}

void CallThreads::serve(Lane& lane, Client& client) {
  while (auto send = next(lane)) mailbox_.post({send->id, perform(client, cache_, send->call)});
}

std::optional<Send> CallThreads::next(Lane& lane) {
  std::unique_lock lock(lane.mutex);
  lane.changed.wait(lock, [&] { return lane.closed || !lane.queue.empty(); });
  if (lane.closed) return std::nullopt;
  Send send = std::move(lane.queue.front());
  lane.queue.pop_front();
  return send;
}

void CallThreads::close(Lane& lane) {
  {
    const std::scoped_lock lock(lane.mutex);
    lane.closed = true;
  }
  lane.changed.notify_all();
  for (auto& client : lane.clients) client->interrupt();
}

}  // namespace hone::worker
