// The runs that a run has next to it on its worker, and what it is forecast to lose and to bring
// there (server/sweep/lease/neighbours.cpp).
#pragma once

#include <cstdint>

#include "schemas/types/ids.hpp"

namespace hone {

// Speeds are relative to those of the same runs alone on the worker.
struct Neighbours {
  int runs = 1;               // that were there
  double speed = 1;           // of the run next to them
  double without = 1;         // sum of the speeds of the runs that were there
  double with = 1;            // the same with the run
  std::int64_t measured = 0;  // measurements of its pair with a neighbour that has the fewest
  bool again = false;         // the sum falls, but the measurement is old: the pair is tried again
  friend bool operator==(const Neighbours&, const Neighbours&) = default;
};

// A slot that stays free although a sweep has a run for it.
struct KeptFree {
  SweepId sweep{};
  Neighbours neighbours;
  friend bool operator==(const KeptFree&, const KeptFree&) = default;
};

}  // namespace hone
