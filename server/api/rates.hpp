// Request rates: a token bucket for each client. Pure: time is an argument.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "schemas/types/instant.hpp"

namespace hone::api {

class Rates {
 public:
  // Each key may send `per_s` requests a second continuously, and `burst` at once. Beyond keys_max
  // keys, new ones share one bucket.
  Rates(std::int64_t per_s, std::int64_t burst, std::size_t keys_max);

  // Counts one request. Returns how long to wait for the next one, or nullopt if the request may
  // proceed. A time before the last one counts as the last one.
  std::optional<Duration> take(const std::string& key, Instant now);

  [[nodiscard]] std::size_t size() const { return full_at_.size(); }

 private:
  void forget_full(Instant now);

  Duration period_;  // until one more request is allowed
  Duration depth_;   // until an empty bucket is full
  std::size_t keys_max_;
  std::map<std::string, Instant> full_at_;  // when the bucket will be full again
};

}  // namespace hone::api
