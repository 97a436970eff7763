// Why no worker can train a sweep.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// A worker that was silent for longer is gone: an idle one shows itself every 5 min.
inline constexpr Duration worker_absent_after = seconds(360);

bool is_connected(const Json& worker, Instant at);

// The slots that each run of a sweep with these resources needs: a number, or the least of a range.
std::int64_t least_cpus(const Json& resources);
// Whether the worker could hold a run with these resources if all of it were free.
bool can_hold(const Json& worker, const Json& resources);

// How many GPUs of the worker have so much memory.
std::int64_t gpus_with(const Json& worker, std::int64_t memory);

// Returns a sentence if no connected worker can hold a run of `spec`, even with all slots free;
// else "". "no worker can train it: a run needs 1 slot and 5 GPUs; connected are wk_1 with 4 slots
// and 2 GPUs". Names the fleet whose pilots can, if one does.
std::string shortage_text(const Json& spec, const std::vector<Json>& workers, Instant at,
                          const std::vector<Json>& fleets = {});

// Describes what the live fleets do about a lack of workers: "fleet 'gpu' starts pilots
// when runs wait: hone fleet explain gpu". Without a live fleet, "".
struct FleetPromise {
  std::string text;
  bool starts = false;  // one of them is not halted
};
FleetPromise promise_of(const std::vector<Json>& fleets);

// shortage_text for the workers and fleets of the server; "" also without an answer.
std::string find_shortage(Session& session, const Json& spec);

// The same for a sweep as GET /v1/sweeps/{sw} returns it; "" if it has ended or a run trains.
std::string shortage_of_sweep(Session& session, const Json& sweep);

}  // namespace hone::cli
