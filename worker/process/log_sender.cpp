#include "worker/process/log_sender.hpp"

#include <chrono>
#include <utility>

#include "schemas/codec/problem.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

constexpr Duration send_timeout = seconds(10);

std::chrono::microseconds chrono_of(Duration time) { return std::chrono::microseconds(time.us); }

}  // namespace

LogSender::LogSender(const Endpoint& endpoint)
    : client_(endpoint, send_timeout), thread_([this] { run(); }) {}

LogSender::~LogSender() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, chrono_of(limits::hurry), [&] { return queue_.empty() && !sending_; });
    closed_ = true;
  }
  changed_.notify_all();
  client_.interrupt();
  thread_.join();
}

void LogSender::follow(LeaseId lease) {
  const std::scoped_lock lock(mutex_);
  followed_.try_emplace(lease);
}

bool LogSender::follows(LeaseId lease) {
  const std::scoped_lock lock(mutex_);
  return followed_.contains(lease);
}

bool LogSender::follows_any() {
  const std::scoped_lock lock(mutex_);
  return !followed_.empty();
}

void LogSender::offer(WorkerId worker, LeaseId lease, const LogFile& log) {
  const std::scoped_lock lock(mutex_);
  const auto found = followed_.find(lease);
  if (found == followed_.end() || found->second.busy) return;
  auto piece = log.since(found->second.sent);
  if (piece.bytes.empty() && found->second.answered) return;
  found->second.busy = true;
  queue_.push_back({worker, lease, std::move(piece), false});
  changed_.notify_all();
}

void LogSender::finish(WorkerId worker, LeaseId lease, const LogFile& log) {
  const std::scoped_lock lock(mutex_);
  const bool followed = followed_.erase(lease) > 0;
  auto piece = log.since(0);
  if (piece.bytes.empty() && !followed) return;
  // While the server cannot be reached, the logs of the latest runs are worth the memory.
  if (queue_.size() >= limits::logs_queued_max) {
    if (const auto dropped = followed_.find(queue_.front().lease); dropped != followed_.end())
      dropped->second.busy = false;
    queue_.pop_front();
  }
  queue_.push_back({worker, lease, std::move(piece), true});
  changed_.notify_all();
}

void LogSender::run() {
  while (const auto job = next()) {
    send(*job);
    const std::scoped_lock lock(mutex_);
    sending_ = false;
    changed_.notify_all();
  }
}

std::optional<LogSender::Job> LogSender::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || !queue_.empty(); });
  if (closed_) return std::nullopt;
  Job job = std::move(queue_.front());
  queue_.pop_front();
  sending_ = true;
  return job;
}

void LogSender::send(const Job& job) {
  auto wanted = client_.put_log(job.worker, job.lease, job.piece.offset, job.piece.bytes, job.last);
  if (job.last && !wanted && is_retryable(wanted.error().code)) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, chrono_of(limits::log_retry), [&] { return closed_; });
    lock.unlock();
    wanted = client_.put_log(job.worker, job.lease, job.piece.offset, job.piece.bytes, true);
  }
  const std::scoped_lock lock(mutex_);
  const auto found = followed_.find(job.lease);
  if (found == followed_.end()) return;
  Followed& followed = found->second;
  followed.busy = false;
  // A heartbeat starts it again.
  if (!wanted || !*wanted) {
    followed_.erase(found);
    return;
  }
  followed.answered = true;
  followed.sent = job.piece.offset + static_cast<std::int64_t>(job.piece.bytes.size());
}

}  // namespace hone::worker
