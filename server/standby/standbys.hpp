// The standbys of a running primary. Thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "server/standby/page.hpp"
#include "server/standby/state.hpp"

namespace hone::standby {

class Standbys {
 public:
  // Called once a standby was promoted, after this is on the disk. Ends the process.
  using Replaced = std::function<void(const std::string& sentence)>;

  Standbys(std::filesystem::path folder, State state, bool sync, Replaced replaced)
      : folder_(std::move(folder)),
        sync_(sync),
        replaced_(std::move(replaced)),
        state_(std::move(state)) {}

  // Whether an acknowledgement waits for a standby.
  [[nodiscard]] bool sync() const { return sync_; }
  [[nodiscard]] std::int64_t term() const;
  [[nodiscard]] std::vector<Known> list() const;

  // Whether `pull` changes nothing that is on the disk: its standby is known under that URL, and,
  // if it is in sync, was noted to be so within a day.
  [[nodiscard]] bool knows(const Pull& pull, bool in_sync, Instant now) const;
  // Adds the standby, and notes whether it is in sync. Waits for the disk. Refuses (unavailable) if
  // it cannot be written, and (busy) as enroll.
  Status add(const Pull& pull, bool in_sync, const Present& present, Instant now);

  // Ends the process if `term` proves that a standby was promoted. `url`: where it is, if known.
  void consider(const Term& term, const std::string& url);

 private:
  const std::filesystem::path folder_;
  const bool sync_;
  const Replaced replaced_;
  mutable std::mutex mutex_;
  State state_;
};

}  // namespace hone::standby
