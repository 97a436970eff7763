// Fills a data folder of any size through the coordinator, for `hone bench lineage`, as a server
// leaves it at its shutdown.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/result.hpp"

namespace hone::upkeep {

struct FillOptions {
  std::int64_t sweeps = 1000;
  std::int64_t trials = 100'000;     // over all sweeps
  std::int64_t running = 0;          // sweeps, as large as the others, that are half done
  std::int64_t points = 10'000'000;  // of telemetry, over all trials
  int phases = 2;                    // reports of each trial; the last one comes with a model
};

// Called with the trials done so far.
using FillProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// Rejects a folder that holds a database or that a server uses.
Status fill(const std::filesystem::path& folder, const FillOptions& options,
            const FillProgress& progress);

}  // namespace hone::upkeep
