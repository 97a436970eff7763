// How fast work goes on, and when it will be over.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/types/instant.hpp"

namespace hone::cli {

// A smoothed rate: recent progress counts most, with a memory that grows with the age of the work,
// so that phases of ten minutes do not make the estimate swing. Before the memory is full it is the
// plain mean.
class Pace {
 public:
  // The first call is the anchor. Times must not go backwards; `done` may (it then counts as no
  // progress).
  void observe(Instant at, std::int64_t done);

  // Units a second; nullopt until there has been progress after the anchor.
  [[nodiscard]] std::optional<double> per_second() const;

  // Time left until `expected`; nullopt while it is unknown, and once `expected` is reached (the
  // end is then not a matter of pace).
  [[nodiscard]] std::optional<Duration> left(std::int64_t expected) const;

 private:
  std::optional<Instant> anchor_;
  Instant last_at_;
  std::int64_t last_done_ = 0;
  double weighted_rate_ = 0;
  double weight_ = 0;
};

}  // namespace hone::cli
