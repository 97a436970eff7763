// Every bound and period of a worker, with units and the reason for its size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schemas/types/instant.hpp"

namespace hone::worker::limits {

// The end of a trial process.
inline constexpr Duration exit_grace = seconds(10);  // after a stop verdict, to exit by itself
inline constexpr Duration term_grace = seconds(10);  // after TERM, to save a checkpoint and exit

// Calls to the server.
inline constexpr Duration acquire_wait = seconds(20);  // long poll; the server allows 30 s
inline constexpr Duration idle_wait =
    seconds(1);  // the same where the worker leaves when there is no work
inline constexpr Duration acquire_pause =
    milliseconds(250);  // between two polls of a server that does not wait
inline constexpr Duration retry_first =
    milliseconds(100);  // a restart of the server is unseen by people
inline constexpr Duration retry_last =
    seconds(5);  // a server that is down all night is not hammered
inline constexpr Duration last_calls =
    seconds(5);  // at the end, for what must still be said to the server
inline constexpr Duration hurry = seconds(2);  // the same after a second signal
inline constexpr int internal_errors_max =
    5;  // then a server's own mistake is taken for its answer

// Telemetry of one run.
inline constexpr Duration flush_period = seconds(1);
inline constexpr std::size_t flush_points = 500;        // one request of about 25 kB
inline constexpr std::size_t batch_points_max = 5'000;  // the server takes 10'000
inline constexpr std::size_t points_max = 20'000;       // about 1 MiB; the oldest go first, counted

// Reports and checkpoints of one run that wait for the server. Beyond, the run's output is not read
// any more, so that the process waits instead of losing one.
inline constexpr std::size_t lane_items_max = 64;

// What a process writes.
inline constexpr std::size_t line_bytes_max = 1024 * 1024;  // one line of the protocol
inline constexpr std::size_t tail_bytes_max =
    8 * 1024;  // kept in memory for the end of a run, as the server takes it
inline constexpr std::int64_t log_bytes_max =
    64 * 1024 * 1024;                      // of one log file; the rest is dropped with a note
inline constexpr int connections_max = 8;  // to one run's socket: helpers of a trainer may log too

// The cache of checkpoints to continue from.
inline constexpr std::int64_t cache_bytes_max = std::int64_t{4} * 1024 * 1024 * 1024;

}  // namespace hone::worker::limits
