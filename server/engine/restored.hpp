// A Book from which the replay continues, instead of the beginning of the ledger.
#pragma once

#include <cstdint>

#include "server/sweep/state/state.hpp"

namespace hone {

struct Restored {
  Book book;
  std::int64_t seq = 0;  // the last event in the book; 0: nothing was restored
};

}  // namespace hone
