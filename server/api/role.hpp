// What a server is to its ledger: the primary, which writes it, or a follower, which copies it and
// answers reads. Thread-safe.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "schemas/types/instant.hpp"

namespace hone::api {

class Role {
 public:
  // Of a primary. `term`: as clients return it; empty if it was never promoted.
  explicit Role(std::string term) : term_(std::move(term)) {}
  // Of a follower of the server at `primary`.
  Role(std::string primary, Instant since)
      : follower_(true), primary_(std::move(primary)), complete_at_us_(since.us) {}

  [[nodiscard]] bool is_follower() const { return follower_; }
  [[nodiscard]] const std::string& term() const { return term_; }
  [[nodiscard]] const std::string& primary() const { return primary_; }

  // A follower's progress. `newest`: the last event of the primary that it knows of.
  void followed(std::int64_t applied, std::int64_t newest, Instant now) {
    applied_ = applied;
    newest_ = newest;
    if (applied >= newest) complete_at_us_ = now.us;
    set_trouble({});
  }
  void set_trouble(std::string why) {
    const std::lock_guard lock(mutex_);
    trouble_ = std::move(why);
  }
  [[nodiscard]] std::string trouble() const {
    const std::lock_guard lock(mutex_);
    return trouble_;
  }
  void set_missing_blobs(std::int64_t count) { missing_blobs_ = count; }
  [[nodiscard]] std::int64_t missing_blobs() const { return missing_blobs_; }
  [[nodiscard]] std::int64_t lag_events() const {
    return std::max<std::int64_t>(newest_ - applied_, 0);
  }
  // Since it last had everything that the primary had.
  [[nodiscard]] Duration lag(Instant now) const {
    return {std::max<std::int64_t>(now.us - complete_at_us_, 0)};
  }

  // A primary's standbys: how many ask for events, and the newest event that one of them has.
  void confirmed(std::int64_t seq) {
    if (seq > confirmed_) confirmed_ = seq;
  }
  void set_standbys(int count) { standbys_ = count; }
  [[nodiscard]] std::int64_t confirmed() const { return confirmed_; }
  [[nodiscard]] int standbys() const { return standbys_; }

 private:
  const bool follower_ = false;
  const std::string term_;
  const std::string primary_;
  std::atomic<std::int64_t> applied_ = 0, newest_ = 0, complete_at_us_ = 0, missing_blobs_ = 0;
  std::atomic<std::int64_t> confirmed_ = 0;
  std::atomic<int> standbys_ = 0;
  mutable std::mutex mutex_;
  std::string trouble_;  // why a follower cannot follow; empty: it can
};

}  // namespace hone::api
