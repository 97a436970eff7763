#pragma once

namespace hone::rl {

// A value that is annealed linearly; `done` is the share of the budget that is trained, 0 to 1.
struct Schedule {
  double start = 0;
  double end = 0;
  [[nodiscard]] double at(double done) const { return start + (end - start) * done; }
};

}  // namespace hone::rl
