// The logs of attempts, outside the ledger. While a client reads the log of a running attempt, its
// worker sends what is new, which is kept in memory; the end of the log is kept in a file when the
// process has ended. Both are bounded (server/limits.hpp). Thread-safe; keep() and read() may wait
// for the disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {
struct BeatReply;
}

namespace hone::api {

struct LogPiece {
  std::int64_t offset = 0;  // of the first byte in the whole log
  std::string bytes{};
};

class LogStore {
 public:
  // Finds the logs in the folder, which is created with the first log.
  explicit LogStore(std::filesystem::path folder);

  // Asks the worker of an attempt to send its log for the next seconds, unless it is complete.
  // Returns false while as many logs are followed as may be.
  bool want(LeaseId lease, Instant now);
  // Sets log_wanted in the answer to a heartbeat.
  void mark(BeatReply& reply, Instant now) const;

  // Adds a piece that the worker sent, and returns whether to send more. A piece that does not
  // continue the others replaces them: what lies between was never sent.
  bool add(LeaseId lease, const LogPiece& piece, Instant now);
  // Keeps the end of the log of a process that has ended. Removes the oldest logs beyond the bound.
  Status keep(LeaseId lease, const LogPiece& piece);

  struct View {
    LogPiece log;
    bool complete = false;  // the process has ended, and this is the end of its log
  };
  // nullopt where no byte of the log was received.
  [[nodiscard]] std::optional<View> read(LeaseId lease) const;

 private:
  struct Followed {
    LogPiece log;
    Instant wanted_until;
    bool answered = false;  // the worker has sent a piece, perhaps an empty one
  };
  struct Kept {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
  };

  void find_kept();
  void drop_unwanted(Instant now);
  void remove_oldest();
  [[nodiscard]] std::filesystem::path file_of(LeaseId lease, std::int64_t offset) const;

  const std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::map<LeaseId, Followed> followed_;
  std::map<LeaseId, Kept> kept_;  // leases are numbered by time: the first is the oldest
  std::int64_t kept_bytes_ = 0;
};

}  // namespace hone::api
