// hone bench load: measures many clients against one server, with the times of the disk and the
// processors.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "sdk/cli/render/screen.hpp"

namespace hone::load {

struct LoadOptions {
  int clients = 8;       // processes
  int connections = 16;  // of each client: more do not help on two cores
  int workers = 0;       // > 0: simulated workers instead of askers
  std::chrono::milliseconds duration{20'000};
  std::chrono::milliseconds period{10'000};  // between two beats or reports of a worker
  std::chrono::milliseconds ramp{20'000};    // time in which all workers get their leases
  std::string server;                        // "": start one in `folder`
  std::string folder = "/tmp";
  std::vector<int> report_connections;  // not empty: only reports, with each of these numbers
};

// Shows one line of progress.
using ShowProgress = std::function<void(const std::string& line)>;

// Returns the measurement as one JSON object. Fails if nothing could be measured; errors that
// clients received are part of the result.
Result<Json> measure(const LoadOptions& options, const ShowProgress& show_progress);

// Whether no client received an error.
bool is_sound(const Json& result);

// The measurement as a table.
std::string load_text(const Json& result, const cli::Screen& screen);

}  // namespace hone::load
