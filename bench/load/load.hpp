// hone bench load: many clients against one server, what they got, and what the disk and the
// processors allowed meanwhile.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "sdk/cli/render/screen.hpp"

namespace hone::load {

struct Plan {
  int clients = 8;       // processes
  int connections = 16;  // of each: more do not pay on two cores
  int workers = 0;       // > 0: simulated workers in place of askers
  std::chrono::milliseconds duration{20'000};
  std::chrono::milliseconds period{10'000};  // of a worker's beats and reports
  std::chrono::milliseconds ramp{20'000};    // for all workers to have their leases
  std::string server;                        // "": one is started on `folder`
  std::string folder = "/tmp";
  std::vector<int> report_connections;  // not empty: reports alone, at each of these counts
};

// A line for people while it goes on.
using Say = std::function<void(const std::string& line)>;

// The measurement as one JSON object. Refuses what could not be measured; errors that clients got
// are part of the result.
Result<Json> measure(const Plan& plan, const Say& say);

// Every client got what it asked for.
bool is_sound(const Json& result);

// The same as a table.
std::string load_text(const Json& result, const cli::Screen& screen);

}  // namespace hone::load
