// The thread around the Engine, and the bounded inbox in front of it: the only mutex of the server.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "server/engine/clock.hpp"
#include "server/engine/envelope.hpp"

namespace hone {

struct Book;
struct Restored;

class EngineThread {
 public:
  struct Hooks {
    // After every commit that appended events, on the engine's thread, with the newest seq.
    std::function<void(std::int64_t seq)> committed;
    // The commit failed: log and end the process. Must not return.
    std::function<void(const std::string& why)> failed;
    // Between two batches, on the engine's thread; `last`: none follows. `bytes` is
    // Engine::event_bytes. No command is answered meanwhile.
    std::function<void(const Book& book, std::int64_t seq, std::int64_t bytes, bool last)> settled =
        nullptr;
    // After the replies of every batch, on the engine's thread.
    std::function<void()> replied = [] {};
  };

  // Replays the ledger after `restored` (throws when that fails: the process cannot start), then
  // starts the thread. `db` must outlive it.
  EngineThread(SQLite::Database& db, Hooks hooks, Clock clock, EngineOptions options,
               Restored restored);
  // Replays the whole ledger.
  explicit EngineThread(SQLite::Database& db, Hooks hooks, Clock clock = SystemClock{},
                        EngineOptions options = {});
  ~EngineThread();  // stop()

  // Thread-safe, never blocks. Refuses with busy when the inbox is full, unavailable after stop();
  // the envelope's reply is then not called.
  Status push(Envelope envelope);

  // Closes the inbox, lets the engine answer its queue, joins. Idempotent.
  void stop();

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace hone
