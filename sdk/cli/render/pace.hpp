// How fast work proceeds, and when it will end.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/types/instant.hpp"

namespace hone::cli {

// A smoothed rate. Recent progress counts most; the memory grows with the age of the work, so that
// phases of ten minutes do not make the estimate swing. Until the memory is full it is the mean.
class Pace {
 public:
  // The first call sets the start. Times must not go backwards; `done` may, which counts as no
  // progress.
  void observe(Instant at, std::int64_t done);

  // Units a second; nullopt until there is progress after the start.
  [[nodiscard]] std::optional<double> per_second() const;

  // Time left until `expected`; nullopt while it is unknown, and once `expected` is reached.
  [[nodiscard]] std::optional<Duration> left(std::int64_t expected) const;

 private:
  std::optional<Instant> anchor_;
  Instant last_at_;
  std::int64_t last_done_ = 0;
  double weighted_rate_ = 0;
  double weight_ = 0;
};

}  // namespace hone::cli
