// What one client process does until `Signal::stop`. Each process counts into its own tally.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "bench/load/tally.hpp"
#include "bench/load/wire.hpp"

namespace hone::load {

// Set by the process that measures. Shared memory.
struct Signal {
  std::atomic<bool> go = false;    // all clients are connected: begin and count
  std::atomic<bool> stop = false;  // finish the open requests
};

struct AskerOptions {
  Endpoint server;
  std::string sweep;
  std::string name;  // of this client; its askers are NAME-0, NAME-1, ...
  int connections = 1;
  int reports = 5;  // of a trial, before its result
};

// Evaluates trial after trial on every connection: ask, reports, tell, one request at a time.
void run_askers(const AskerOptions& options, const Signal& signal, Tally& tally);

struct FleetOptions {
  Endpoint server;
  std::string name;
  int workers = 1;
  std::chrono::milliseconds ramp{0};    // all have their leases after this
  std::chrono::milliseconds period{0};  // between two beats, and between two reports
};

// Simulates workers, each with its own connection: joins, leases one run, then beats and reports.
void run_workers(const FleetOptions& options, const Signal& signal, Tally& tally);

}  // namespace hone::load
