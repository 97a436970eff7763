// How fast runs are next to others on the same worker: what the Book keeps of it.
//
// A phase counts if its worker measured its seconds, the server saw its reports as far apart, and
// no run joined or left the worker meanwhile. The first phase of an attempt does not, and phases of
// other runs do not before it has ended, as it also starts a process. Phases of one run with
// different neighbours, where those differ by runs of one kind, give a measurement of the pair.
// Other parameters therefore change nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schemas/types/instant.hpp"
#include "server/forecast/packing.hpp"

namespace hone {

// Steps per second of a run next to runs of these kinds.
struct PaceAmong {
  std::vector<int> kinds;  // sorted; empty: alone
  double sum = 0;
  std::int64_t phases = 0;
  [[nodiscard]] double mean() const { return sum / static_cast<double>(phases); }
};

// The newest measurement of a pair: the phases of a minute.
struct Measurement {
  Instant from{};  // of the first
  Instant at{};    // of the last
};

// The table of a host with so many slots and GPUs, for the workers of one token. Kinds of runs are
// digests (server/sweep/lease/neighbours.cpp).
struct PairsOfHost {
  forecast::PairEstimate speeds{1};  // unmeasured runs do not disturb each other
  std::map<forecast::PairKey, Measurement> newest;
  Instant at{};  // of the newest of all
};

// Hosts, and pairs of kinds on each; those measured longest ago are forgotten. 350 B a pair: at
// most 23 MB. A fleet's machines are named again and again, and a laboratory trains a few programs.
inline constexpr std::size_t neighbour_hosts_max = 256;
inline constexpr std::size_t neighbour_pairs_max = 256;

using PairsByHost = std::map<std::string, PairsOfHost>;

}  // namespace hone
