// Every limit and period of a worker, with units and the reason for its size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schemas/types/instant.hpp"

namespace hone::worker::limits {

// The end of a trial process.
inline constexpr Duration exit_grace = seconds(10);  // after a stop verdict, to exit by itself
inline constexpr Duration term_grace = seconds(10);  // after TERM, to save a checkpoint and exit

// Calls to the server. A poll for work: the server allows 30 s. With --until-idle, 1 s. The pause
// is for servers that reply at once.
inline constexpr Duration acquire_wait = seconds(20);
inline constexpr Duration idle_wait = seconds(1);
inline constexpr Duration acquire_pause = milliseconds(250);
// A request that waits at the server is replaced when the free slots change, this long after it was
// sent: runs that end together cause one new request. Short next to the start of a process.
inline constexpr Duration replace_pause = milliseconds(20);
// Short enough that users do not notice a restart of the server, long enough not to load one that
// is down all night.
inline constexpr Duration retry_first = milliseconds(100);
inline constexpr Duration retry_last = seconds(5);
// When the worker exits: for the last calls to the server, and after a second signal.
inline constexpr Duration last_calls = seconds(5);
inline constexpr Duration hurry = seconds(2);
// Before the known end of the worker, what still runs gets TERM: its grace, the last calls, and
// five seconds for a machine that is busy.
inline constexpr Duration last_minute = term_grace + last_calls + seconds(5);
// A machine that cannot start processes (a full disk) requests no work for this long, so that it
// does not acquire and return every run of a sweep.
inline constexpr Duration rest = seconds(30);
// After so many internal errors in a row, the error is the answer.
// Times that the bytes of a checkpoint are sent again, as the server has not got them: each is a
// standby that took the place of its primary meanwhile.
inline constexpr int blob_losses_max = 5;
inline constexpr int internal_errors_max = 5;

// What the server refused of one run is logged so many times for each kind of line: a program that
// is wrong once is wrong in every phase.
inline constexpr int refusals_logged_max = 5;

// Telemetry of one run.
inline constexpr Duration flush_period = seconds(1);
inline constexpr std::size_t flush_points = 500;        // one request of about 25 kB
inline constexpr std::size_t batch_points_max = 5'000;  // the server accepts 10'000
inline constexpr std::size_t points_max = 20'000;       // about 1 MiB; then the oldest are dropped

// Reports and checkpoints of one run that wait for the server. When there are more, the process is
// not read from, so that it waits and none is lost.
inline constexpr std::size_t waiting_lines_max = 64;

// What a run uses: how often it is sampled, and how long an interval is that gives one point of
// each metric. The kernel counts in hundredths of a second: half a second is known to 2 %.
inline constexpr Duration use_period = seconds(5);
inline constexpr Duration use_shortest = milliseconds(500);
inline constexpr Duration use_longest = seconds(60);
// The driver's own figures are means of up to a second. One that was not read for five seconds is
// of a driver that hangs; a worker that exits waits half a second for it.
inline constexpr Duration gpu_period = seconds(1);
inline constexpr Duration gpu_stale = seconds(5);
inline constexpr Duration gpu_last = milliseconds(500);
inline constexpr std::size_t proc_processes_max = 1'000;  // of one run
inline constexpr int proc_threads_max = 256;  // of a process, whose children are looked up
inline constexpr std::size_t proc_bytes_max = 64 * 1024;  // of one file of /proc

// What the machine does: a sample is a mean over this time, the first over a shorter one, so that a
// new worker is not blank. Samples that wait for a request, as many as one carries.
inline constexpr Duration machine_period = seconds(10);
inline constexpr Duration machine_first = seconds(1);

// Output of a process: one line of the protocol; the tail that is kept in memory for the end of a
// run, as much as the server accepts; one log file, which then ends with a note.
inline constexpr std::size_t line_bytes_max = 1024 * 1024;
inline constexpr std::size_t tail_bytes_max = 8 * 1024;
inline constexpr std::int64_t log_bytes_max = 64 * 1024 * 1024;
// The end of a log that is kept in memory and sent to the server: some 3,000 lines, as much as the
// server accepts in one piece.
inline constexpr std::size_t log_piece_bytes_max = 256 * 1024;
// Between two pieces of a log that a client follows: at most 512 KiB/s; what is more is left out.
inline constexpr Duration log_period = milliseconds(500);
// Logs of ended runs that wait for the server: 16 MiB. One more try after this time.
inline constexpr std::size_t logs_queued_max = 64;
inline constexpr Duration log_retry = seconds(2);
// Lines spooled for an unreachable server. Beyond it, metric points are not spooled.
inline constexpr std::int64_t spool_bytes_max = 256 * 1024 * 1024;
// Spools of leases that a restored server never granted: as much as one full spool.
inline constexpr std::int64_t refused_bytes_max = spool_bytes_max;
// Connections to one run's socket: helper processes of a trainer may log, too.
inline constexpr int connections_max = 8;

// Result files that are followed: how often they are read, and how much at a time.
inline constexpr Duration follow_period = milliseconds(250);
inline constexpr int follow_pieces_max = 32;  // of 64 KiB: 8 MiB/s
// The rest of the file at the program's end is read in steps of 512 KiB, or less if that is many
// rows. Between two steps the worker serves everything else.
inline constexpr int last_file_pieces_max = 8;
inline constexpr std::size_t last_file_lines_max = 4'096;
// Event files: one for each writer, in the folders of experiments. 64 KiB of memory each.
inline constexpr std::size_t event_files_max = 64;
inline constexpr std::size_t event_entries_max = 10'000;  // of the folder and those below it
inline constexpr int event_depth_max = 8;
// The folder of a run: measured every fourth of these periods. The default of command.disk.
inline constexpr int measure_every = 4;
inline constexpr std::int64_t folder_bytes_max = std::int64_t{64} * 1024 * 1024 * 1024;
// Artifacts of one run.
inline constexpr std::size_t artifacts_max = 100;
inline constexpr std::int64_t artifact_bytes_max = std::int64_t{1024} * 1024 * 1024;
inline constexpr std::size_t artifact_name_bytes_max = 300;

// The cache of checkpoints.
inline constexpr std::int64_t cache_bytes_max = std::int64_t{4} * 1024 * 1024 * 1024;
// Snapshots of code that stay unpacked: of the last sweeps, 1 GiB at most besides those in use.
inline constexpr std::size_t code_folders_max = 16;

}  // namespace hone::worker::limits
