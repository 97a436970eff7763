// How often somebody may ask: a token bucket for each. Pure: time is an argument.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "schemas/types/instant.hpp"

namespace hone::api {

class Rates {
 public:
  // Each may send `per_s` requests a second for ever, and `burst` at once. Counts keys_max of them
  // apart; beyond that, newcomers share one bucket.
  Rates(std::int64_t per_s, std::int64_t burst, std::size_t keys_max);

  // Counts one request. nullopt: go on; else how long to wait until one more would do. Time that
  // goes backwards counts as standing still.
  std::optional<Duration> take(const std::string& who, Instant now);

  [[nodiscard]] std::size_t size() const { return full_at_.size(); }

 private:
  void forget_full(Instant now);

  Duration period_;  // in which one request comes back
  Duration depth_;   // of the whole bucket
  std::size_t keys_max_;
  std::map<std::string, Instant> full_at_;  // when the bucket will be full again
};

}  // namespace hone::api
