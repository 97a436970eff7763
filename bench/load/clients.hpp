// What one client process does, until it is told to stop. Each counts into its own tally.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "bench/load/tally.hpp"
#include "bench/load/wire.hpp"

namespace hone::load {

// Set by the process that measures. Shared memory.
struct Signal {
  std::atomic<bool> go = false;    // everybody is connected: begin, and count from here
  std::atomic<bool> stop = false;  // finish what is open
};

struct Asking {
  Endpoint server;
  std::string sweep;
  std::string name;  // of this client; its askers are NAME-0, NAME-1, ...
  int connections = 1;
  int reports = 5;  // of a trial, before its result is told
};

// Trial after trial on every connection: ask, reports, tell, one request at a time.
void ask_and_tell(const Asking& asking, const Signal& signal, Tally& tally);

struct Fleet {
  Endpoint server;
  std::string name;
  int workers = 1;
  std::chrono::milliseconds ramp{0};    // all have their leases after this
  std::chrono::milliseconds period{0};  // between two beats, and between two reports
};

// Many workers, each on a connection of its own: joins, leases one run, then beats and reports.
void work(const Fleet& fleet, const Signal& signal, Tally& tally);

}  // namespace hone::load
