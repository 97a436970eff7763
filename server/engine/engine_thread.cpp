#include "server/engine/engine_thread.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

#include "server/engine/book_snapshot.hpp"
#include "server/engine/engine.hpp"
#include "server/engine/inbox.hpp"
#include "server/limits.hpp"

namespace hone {

struct EngineThread::Inside {
  Inside(SQLite::Database& db, Hooks given_hooks, Clock given_clock, EngineOptions options,
         SnapshotFile* kept)
      : hooks(std::move(given_hooks)),
        clock(std::move(given_clock)),
        snapshot(kept),
        engine(db, clock(), options, kept == nullptr ? Restored{} : kept->take()) {}

  void loop();
  void drain();
  void save(bool last);
  std::optional<Duration> patience() const;

  Hooks hooks;
  Clock clock;
  SnapshotFile* snapshot;
  Engine engine;
  Inbox inbox{limits::inbox_commands_max};
  std::thread thread;
};

// After a failed commit memory is ahead of the disk, so the process must end.
void EngineThread::Inside::loop() {
  try {
    drain();
  } catch (const std::exception& why) {
    hooks.failed(why.what(), culprit_of(why));
    std::abort();
  }
}

void EngineThread::Inside::drain() {
  std::int64_t announced = 0;
  const auto announce = [&] {
    if (engine.last_seq() != announced) hooks.committed(announced = engine.last_seq());
  };
  announce();
  while (true) {
    save(false);
    auto batch = inbox.take(patience(), limits::batch_commands_max);
    if (batch.finished) break;
    engine.step(std::move(batch.envelopes), clock());
    announce();  // before the replies, whose clients may ask for the newest event
    hooks.replied();
  }
  engine.release_parked();
  hooks.replied();
  save(true);
}

// Between two batches. No command is answered meanwhile.
void EngineThread::Inside::save(bool last) {
  const bool is_whole = engine.quarantine().empty() &&  // a later start may read all
                        engine.book().importing.empty();
  if (snapshot != nullptr && is_whole)
    snapshot->consider(engine.book(), engine.last_seq(), engine.event_bytes(), last);
}

std::optional<Duration> EngineThread::Inside::patience() const {
  const auto deadline = engine.next_deadline();
  if (!deadline) return std::nullopt;
  return std::max(*deadline - clock(), Duration{});
}

EngineThread::EngineThread(SQLite::Database& db, Hooks hooks, Clock clock, EngineOptions options,
                           SnapshotFile* snapshot)
    : inside_(std::make_unique<Inside>(db, std::move(hooks), std::move(clock), options, snapshot)) {
  inside_->thread = std::thread([inside = inside_.get()] { inside->loop(); });
}

EngineThread::~EngineThread() { stop(); }

Status EngineThread::push(Envelope envelope) { return inside_->inbox.push(std::move(envelope)); }

void EngineThread::stop() {
  inside_->inbox.close();
  if (inside_->thread.joinable()) inside_->thread.join();
}

}  // namespace hone
