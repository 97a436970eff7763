#include "server/engine/engine_thread.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

#include "server/engine/engine.hpp"
#include "server/engine/inbox.hpp"
#include "server/limits.hpp"

namespace hone {

struct EngineThread::Inside {
  Inside(SQLite::Database& db, Hooks given_hooks, Clock given_clock, EngineOptions options,
         Restored restored)
      : hooks(std::move(given_hooks)),
        clock(std::move(given_clock)),
        engine(db, clock(), options, std::move(restored)) {}

  void loop();
  void drain();
  std::optional<Duration> patience() const;

  Hooks hooks;
  Clock clock;
  Engine engine;
  Inbox inbox{limits::inbox_commands_max};
  std::thread thread;
};

// After a failed commit memory is ahead of the disk, so the process must end.
void EngineThread::Inside::loop() {
  try {
    drain();
  } catch (const std::exception& why) {
    hooks.failed(why.what());
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
    if (hooks.settled) hooks.settled(engine.book(), announced, engine.event_bytes(), false);
    auto batch = inbox.take(patience(), limits::batch_commands_max);
    if (batch.finished) break;
    engine.step(std::move(batch.envelopes), clock());
    announce();  // before the replies, whose clients may ask for the newest event
    hooks.replied();
  }
  engine.release_parked();
  hooks.replied();
  if (hooks.settled) hooks.settled(engine.book(), announced, engine.event_bytes(), true);
}

std::optional<Duration> EngineThread::Inside::patience() const {
  const auto deadline = engine.next_deadline();
  if (!deadline) return std::nullopt;
  return std::max(*deadline - clock(), Duration{});
}

EngineThread::EngineThread(SQLite::Database& db, Hooks hooks, Clock clock, EngineOptions options,
                           Restored restored)
    : inside_(std::make_unique<Inside>(db, std::move(hooks), std::move(clock), options,
                                       std::move(restored))) {
  inside_->thread = std::thread([inside = inside_.get()] { inside->loop(); });
}

EngineThread::EngineThread(SQLite::Database& db, Hooks hooks, Clock clock, EngineOptions options)
    : EngineThread(db, std::move(hooks), std::move(clock), options, Restored{}) {}

EngineThread::~EngineThread() { stop(); }

Status EngineThread::push(Envelope envelope) { return inside_->inbox.push(std::move(envelope)); }

void EngineThread::stop() {
  inside_->inbox.close();
  if (inside_->thread.joinable()) inside_->thread.join();
}

}  // namespace hone
