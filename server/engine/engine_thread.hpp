// The thread around the Engine, and the bounded inbox in front of it: the only mutex of the server.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "db/ledger/ledger.hpp"
#include "server/engine/clock.hpp"
#include "server/engine/envelope.hpp"

namespace hone {

class SnapshotFile;

class EngineThread {
 public:
  struct Hooks {
    // After every commit that appended events, on the engine's thread, with the newest seq.
    std::function<void(std::int64_t seq)> committed;
    // The batch could not be written: log and end the process. Must not return.
    std::function<void(const std::string& why, Culprit culprit)> failed;
    // After the replies of every batch, on the engine's thread.
    std::function<void()> replied = [] {};
  };

  // Replays the ledger after what `snapshot` has read, if there is one (throws when that fails: the
  // process cannot start), then starts the thread, which keeps the snapshot up to date. `db` and
  // `snapshot` must outlive it.
  explicit EngineThread(SQLite::Database& db, Hooks hooks, Clock clock = SystemClock{},
                        EngineOptions options = {}, SnapshotFile* snapshot = nullptr);
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
