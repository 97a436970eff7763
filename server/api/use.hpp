// What a run used of its machine, as its worker measured it (worker/agent/use_meter.hpp).
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>

#include "db/queries/queries.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/budget_spec.hpp"

namespace hone::api {

struct RunUse {
  MetricSummary cores;                   // busy at a time
  std::optional<double> memory_bytes{};  // the most that was seen
  ResourcesSpec claimed;
  std::optional<MetricSummary> gpu_busy{};   // share of time in which its GPUs worked
  std::optional<double> gpu_memory_bytes{};  // the most that was seen
};

// "512 MiB", "1.2 GiB".
std::string memory_text(double bytes);

// nullopt if nothing was measured: by an older worker, an asked trial, a run of less than half a
// second.
std::optional<RunUse> read_use(SQLite::Database& db, RunId run, const ResourcesSpec& claimed);

// "It kept 0.4 of the 2 cores of its slots busy (mean of 10 measurements) and had at most 1.2 GiB
// of memory: either this parameter set leaves the processor idle, or other processes of the machine
// used it, which hone does not measure."
std::string use_text(const RunUse& use);
// {cpu_cores, cpus, gpus, memory_bytes, gpu_busy, gpu_memory_bytes, measurements, text}, or null.
Json render_use(const std::optional<RunUse>& use);

// The same of a worker: "2 runs keep 3.1 cores busy, with 1.2 GiB of memory".
Json render_use(const std::optional<WorkerUse>& use);

}  // namespace hone::api
