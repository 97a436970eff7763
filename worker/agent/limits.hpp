// Every bound and period of a worker, with units and the reason for its size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schemas/types/instant.hpp"

namespace hone::worker::limits {

// The end of a trial process.
inline constexpr Duration exit_grace = seconds(10);  // after a stop verdict, to exit by itself
inline constexpr Duration term_grace = seconds(10);  // after TERM, to save a checkpoint and exit

// Calls to the server. A poll for work: the server allows 30 s; where the worker leaves when there
// is none, 1 s. The pause is for servers that answer at once.
inline constexpr Duration acquire_wait = seconds(20);
inline constexpr Duration idle_wait = seconds(1);
inline constexpr Duration acquire_pause = milliseconds(250);
// A restart of the server is unseen by people; one that is down all night is not hammered.
inline constexpr Duration retry_first = milliseconds(100);
inline constexpr Duration retry_last = seconds(5);
// At the end, for what must still be said to the server; and after a second signal.
inline constexpr Duration last_calls = seconds(5);
inline constexpr Duration hurry = seconds(2);
// A machine that cannot start processes (a full disk, say) asks for no work this long, so that it
// does not take a whole sweep's runs and return them.
inline constexpr Duration rest = seconds(30);
// Then a server's own mistake is taken for its answer.
inline constexpr int internal_errors_max = 5;

// Telemetry of one run.
inline constexpr Duration flush_period = seconds(1);
inline constexpr std::size_t flush_points = 500;        // one request of about 25 kB
inline constexpr std::size_t batch_points_max = 5'000;  // the server takes 10'000
inline constexpr std::size_t points_max = 20'000;       // about 1 MiB; the oldest go first, counted

// Reports and checkpoints of one run that wait for the server. Beyond, the run's output is not read
// any more, so that the process waits instead of losing one.
inline constexpr std::size_t lane_items_max = 64;

// What a process writes: one line of the protocol; what is kept in memory for the end of a run, as
// much as the server takes; one log file, of which the rest is dropped with a note.
inline constexpr std::size_t line_bytes_max = 1024 * 1024;
inline constexpr std::size_t tail_bytes_max = 8 * 1024;
inline constexpr std::int64_t log_bytes_max = 64 * 1024 * 1024;
// What is spooled for a server that is away: then metric points are not spooled any more.
inline constexpr std::int64_t spool_bytes_max = 256 * 1024 * 1024;
// Connections to one run's socket: helpers of a trainer may log, too.
inline constexpr int connections_max = 8;

// Files of a program that are followed: how often they are looked at, and how much is read then.
inline constexpr Duration follow_period = milliseconds(250);
inline constexpr int follow_pieces_max = 32;  // of 64 KiB: 8 MiB/s
// What is still in the file when the program has ended is read in steps, between which the worker
// does all else: 512 KiB each, or less where that is many rows.
inline constexpr int last_file_pieces_max = 8;
inline constexpr std::size_t last_file_lines_max = 4'096;
// The folder of a run: measured each fourth of these periods. What a sweep says less of may hold.
inline constexpr int measure_every = 4;
inline constexpr std::int64_t folder_bytes_max = std::int64_t{64} * 1024 * 1024 * 1024;
// What a run leaves and is kept.
inline constexpr std::size_t artifacts_max = 100;
inline constexpr std::int64_t artifact_bytes_max = std::int64_t{1024} * 1024 * 1024;
inline constexpr std::size_t artifact_name_bytes_max = 300;

// The cache of checkpoints to continue from.
inline constexpr std::int64_t cache_bytes_max = std::int64_t{4} * 1024 * 1024 * 1024;

}  // namespace hone::worker::limits
