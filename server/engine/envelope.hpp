// What the engine is given: commands with the calls that take their replies, and its options.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "schemas/types/timing.hpp"
#include "server/engine/meter.hpp"
#include "server/limits.hpp"
#include "server/sweep/state/caller.hpp"
#include "server/sweep/state/command.hpp"

namespace hone {

class MetricFeed;

// A command and its reply. `reply` is called exactly once, on the engine's thread, after the commit
// (for a parked Acquire: when there is a run for it, its wait is over, or a newer one of the same
// worker replaces it). It must return at once and must not throw.
struct Envelope {
  Command command;
  std::function<void(Result<Reply>)> reply;
  Caller by{};
  // SHA-256 of the request's method, path and body. A request id that was used with another digest
  // is refused (conflict). Empty: not compared.
  std::string digest{};
};

// How many ended sweeps stay in the Book. Beyond either bound those that were used least recently
// leave, until half of it is free; the sweep used last stays.
struct EndedBounds {
  std::size_t sweeps = limits::ended_sweeps_kept;
  std::size_t trials = limits::ended_trials_kept;
};

struct EngineOptions {
  Duration lease = default_lease;
  Meter* meter = nullptr;  // measures the work, if set
  EndedBounds ended{};
  MetricFeed* feed = nullptr;  // gets the metric points, if set
  Epoch epoch{};               // of the leases that this engine grants (server/engine/epoch.hpp)
  // Called with a sentence for each sweep that the start quarantined, and, on the engine's thread,
  // for each command that was refused because of a mistake of hone or damaged data.
  std::function<void(const std::string& why)> fault = [](const std::string&) {};
};

}  // namespace hone
