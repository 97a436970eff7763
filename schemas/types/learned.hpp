// What a sweep learned from an earlier one when it was submitted.
#pragma once

#include <cstdint>

#include "schemas/types/ids.hpp"

namespace hone {

struct Learned {
  SweepId sweep;            // of search.warm_start
  std::int64_t used = 0;    // its trials that lie in the new space
  std::int64_t trials = 0;  // its trials with a result
  friend bool operator==(const Learned&, const Learned&) = default;
};

}  // namespace hone
