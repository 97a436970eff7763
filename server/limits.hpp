// Every bound of the server, with units and the reason for its size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "schemas/types/instant.hpp"

namespace hone::limits {

// Leases. schemas/types/timing.hpp has the times that clients must know as well.
inline constexpr int lease_s_min = 5;     // --lease: a heartbeat a second
inline constexpr int lease_s_max = 3600;  // the run of a dead worker would wait for an hour
// A long poll holds a parked slot no longer than this.
inline constexpr Duration acquire_wait_max = seconds(30);

// The engine.
// As many as connections, since each waits for at most one reply: 8 s of 10,000 workers.
inline constexpr std::size_t inbox_commands_max = 16'384;
// One commit takes about 1 ms, so replies stay prompt.
inline constexpr std::size_t batch_commands_max = 256;
// Of events since the last snapshot, at least: half a second of a boot.
inline constexpr std::int64_t snapshot_bytes = 16 * 1024 * 1024;
inline constexpr std::int64_t snapshot_bytes_least = 1024 * 1024;  // at shutdown: else no gain
// Ended sweeps in memory: those that users look at and workers still send files for. 20,000 trials
// take 60 MB; a larger sweep stays alone.
inline constexpr std::size_t ended_sweeps_kept = 64;
inline constexpr std::size_t ended_trials_kept = 20'000;
inline constexpr std::int64_t replay_step_events = 20'000;  // then ended sweeps leave: some 20 MB
inline constexpr std::size_t parked_acquires_max = 2048;    // workers waiting for a run

// A larger database is not checked at a start, which is to take less than a second: SQLite reads
// some 550 MB a second and cannot be interrupted.
inline constexpr std::int64_t checked_bytes_max = 128 * 1024 * 1024;
// The newest events, whose links are checked at a start.
inline constexpr std::int64_t checked_events_max = 100'000;

// Metric points in memory for standbys, 80 bytes and a name each: half a minute of 3,000 a second.
inline constexpr std::size_t feed_points_max = 100'000;

// HTTP.
inline constexpr std::size_t header_bytes_max = 16 * 1024;
inline constexpr std::size_t token_bytes_max = 512;               // of a secret; ours have 69
inline constexpr std::size_t body_bytes_max = 4 * 1024 * 1024;    // a sweep file is at most 1 MiB
inline constexpr std::size_t blob_bytes_max = 256 * 1024 * 1024;  // one checkpoint
// 10,000 workers and 6,000 other clients; 13 KiB each.
inline constexpr std::size_t connections_max = 16'384;
// An eighth of all, so that one address cannot lock out the others. Loopback clients are exempt.
inline constexpr std::size_t connections_per_peer_max = 2048;
// Of one token or address, sustained: 10,000 workers need 2,000. Loopback clients are exempt.
inline constexpr std::int64_t requests_per_s = 5'000;
inline constexpr std::int64_t burst_s = 2;            // at once: as many as in 2 s
inline constexpr std::size_t rate_keys_max = 10'000;  // tokens and addresses counted; 1 MB
inline constexpr std::size_t header_fields_max = 64;  // browsers send about 20
// A route that reads discards the body of its request, but for a plan, whose body is a sweep file.
// Open routes take no body.
inline constexpr std::size_t read_body_bytes_max = 4 * 1024;
// Bodies up to this size are not counted, so that reports and heartbeats never wait for large
// bodies of others: 64 MiB of 16,384 connections.
inline constexpr std::size_t small_body_bytes = 4 * 1024;
// Of bodies and pieces of blobs in memory: three of the largest imports, or 1,024 transfers of
// blobs. Of one address half of it, so that it cannot lock out the others.
inline constexpr std::size_t bodies_bytes_max = 256 * 1024 * 1024;
inline constexpr std::size_t bodies_per_client_bytes_max = bodies_bytes_max / 2;
// Of answers that their clients have not read yet: two of the largest exports. Beyond, the
// connection is closed in the middle of its answer.
inline constexpr std::size_t answers_bytes_max = 1024 * 1024 * 1024;
inline constexpr std::size_t answers_per_client_bytes_max = answers_bytes_max / 2;
// A larger body is neither copied behind its header nor written in one piece: 4 MB take 1 to 5 ms
// of the io thread, in which reports wait.
inline constexpr std::size_t joined_body_bytes_max = 64 * 1024;
// Larger bodies are parsed on a separate thread: 64 KiB take 1 ms of the io thread, 60 MB five
// seconds. One at a time, so that the memory is that of one document; imports, which take as long
// as all others together, have a thread for themselves.
inline constexpr std::size_t io_parse_bytes_max = 64 * 1024;
inline constexpr std::size_t parser_threads = 1;
inline constexpr std::size_t import_threads = 1;
// Of the values of one body: ten times the text of the largest import. Our own exports take eight
// times their text, brackets alone 27 times.
inline constexpr std::size_t document_bytes_max = 640 * 1024 * 1024;
// Of TLS: three round trips at most. While others wait for the place of a handshake, less: twice
// the three round trips around the world.
inline constexpr Duration handshake_time = seconds(10);
inline constexpr Duration handshake_time_least = seconds(2);
inline constexpr std::size_t handshakes_max = 192;        // of 90 KB: 17 MB
inline constexpr Duration request_timeout = seconds(30);  // from the first byte to the last
inline constexpr Duration linger_time = seconds(2);       // for a client to read a refusal
inline constexpr std::size_t linger_bytes_max = 64 * 1024 * 1024;  // that it sends meanwhile
// Between a PUT and the command that names the blob, a worker may wait for the server to return.
inline constexpr Duration blob_grace = seconds(600);
inline constexpr std::size_t blob_piece_bytes = 256 * 1024;  // memory of a transfer; 1 ms of disk
inline constexpr Duration drain_time = seconds(5);           // for open requests at shutdown

// Reads.
inline constexpr std::int64_t page_items_max = 1000;
inline constexpr std::int64_t page_items_default = 100;
inline constexpr std::size_t page_points_max = 20'000;  // of a page of curves: 1.5 MB of body
// GET /best?within=: ten years, the longest time of a phase.
inline constexpr std::int64_t within_seconds_max = 315'360'000;
inline constexpr std::int64_t incumbent_runs_max = 20'000;      // about a second of reading
inline constexpr std::size_t page_bytes_max = 4 * 1024 * 1024;  // of a page of events
// A larger event is listed without its content: an import has up to 64 MiB, a submission 4.
inline constexpr std::size_t event_bytes_max = 4 * 1024 * 1024;
// Waiting reads of one token or address: more than a browser's tabs and scripts ask at once, and
// what a thread answers within the time of a read. Of all: sixteen such clients. Beyond: 503.
inline constexpr std::size_t reads_queued_each_max = 256;
inline constexpr std::size_t reads_queued_max = 4'096;
// What one job may put a token or address behind the others: ten pages of the slowest kind.
inline constexpr Duration debt_max = seconds(1);
// Pieces of blobs and other work of the disk: each holds 256 KiB, which the bound of bodies counts.
inline constexpr std::size_t disk_jobs_queued_each_max = 1'024;
inline constexpr std::size_t disk_jobs_queued_max = 4'096;
// Reads of whole sweeps (replay, filters): they have one reader thread, pages have one for
// themselves. A user's terminals run a few of them at once.
inline constexpr std::size_t heavy_reads_max = 64;
inline constexpr std::size_t heavy_reads_per_speaker_max = 8;
// From the header of a request until its answer is there; then 504. Pages take milliseconds, the
// replay of 5,000,000 events half a minute.
inline constexpr Duration read_time = seconds(30);
inline constexpr Duration heavy_read_time = seconds(120);
inline constexpr Duration read_watch_period = milliseconds(100);  // of clients that may have left
inline constexpr int lineage_nodes_max = 10'000;                  // larger graphs are for export
inline constexpr std::size_t watchers_max = 256;                  // open event streams
// Of one token or address: a quarter, so that one cannot keep all others from watching. A browser
// has one for all its tabs, `hone events --follow` one each. Clients on this machine count as well.
inline constexpr std::size_t watchers_per_speaker_max = watchers_max / 4;
inline constexpr std::int64_t watch_batch_events = 200;  // one write: what a slow watcher holds
// 256 watchers hold 64 MiB, and each one event that may be larger.
inline constexpr std::size_t watch_batch_bytes = 256 * 1024;
inline constexpr Duration watch_quiet_time = seconds(15);  // proxies close after a silent minute
// Two for users' reads: one more would take a core from the writer. One for standbys, event streams
// and logs, whose reads take a millisecond and never wait for users' reads.
inline constexpr std::size_t reader_threads = 3;
inline constexpr std::size_t disk_threads = 2;  // for blobs: an fsync may take seconds

// The dashboard's reads. Each holds one reader for at most about two seconds.
inline constexpr std::int64_t columns_rows_max = 200'000;       // of a sweep: 20 MB of body
inline constexpr std::int64_t scanned_reports_max = 2'000'000;  // for history, phases and matrix
inline constexpr std::int64_t matrix_cells_max = 2'000'000;     // of 4 B: a body of 8 MB
inline constexpr std::int64_t history_points_max = 2'000;       // more than a screen has pixels
inline constexpr std::size_t timeline_spans_max = 20'000;       // 4 MB of body
inline constexpr std::size_t busy_sweeps_max = 6;               // as many as there are colours
inline constexpr std::size_t slot_workers_max = 1'000;          // named with their idle shares
inline constexpr std::int64_t waiting_sweeps_max = 50;          // explained for one worker
inline constexpr std::int64_t open_sweeps_max = 1'000;          // looked at for them
inline constexpr Duration worker_history_time = seconds(2 * 3600);  // without `from`
inline constexpr std::int64_t changed_events_max = 100'000;         // beyond: all rows are cheaper
inline constexpr std::int64_t digest_events_max = 5'000;            // read for a frame
inline constexpr std::size_t digest_ids_max = 2'000;                // a frame of 64 kB
inline constexpr Duration digest_min = milliseconds(100);           // between two frames
inline constexpr Duration digest_max = seconds(10);
inline constexpr std::int64_t causes_runs_max =
    1'000;  // failed runs that are grouped: 2 MB of logs
inline constexpr std::int64_t timed_runs_max = 20'000;  // of a sweep: 20 ms for their attempts
inline constexpr Duration pace_time = seconds(600);  // over which the speed of a sweep is measured
// Reports that are counted for the time left: fewer would make it swing, each takes microseconds.
inline constexpr double pace_reports_min = 20;
inline constexpr double pace_reports_max = 10'000;
// What GET /metrics compares forecasts with: the newest of them, as an error of years ago says
// nothing about today's sweeps. Each is computed once.
inline constexpr std::int64_t scored_runs_max = 100;
inline constexpr std::int64_t scored_attempts_max = 1'000;  // looked at for them
inline constexpr std::int64_t scored_sweeps_max = 20;
inline constexpr std::int64_t scored_sweeps_scanned_max = 200;  // looked at for them
inline constexpr std::int64_t scored_sweep_reports_max = 20'000;

// What machines of workers did (api/workers/machine_history.hpp), in memory: means of 10 s of the
// last 15 min, of a minute of 2 h, of 10 min of a day. 354 means of 40 B and their keeping: 18 kB a
// worker, 18 MB of all. Of more workers, those that came first are kept, until they are silent.
struct MachineTier {
  std::int64_t seconds;
  std::size_t kept;
};
inline constexpr std::array<MachineTier, 3> machine_tiers{{{10, 90}, {60, 120}, {600, 144}}};
inline constexpr std::size_t machines_kept_max = 1'000;
inline constexpr Duration machine_quiet_time = seconds(600);

inline constexpr std::size_t export_events_max = 2'000'000;  // of one document: 400 MB of it
inline constexpr std::size_t export_points_max = 1'500'000;  // likewise
// GET /v1/sweeps/{sweep}/report: a file that a browser opens in a second, some 30 MB at most. The
// page names what these leave out.
inline constexpr int report_trials_max = 200;                        // with details: the best
inline constexpr std::size_t report_runs_max = 30;                   // of one of them
inline constexpr int report_series_points_max = 200;                 // of a run's metric
inline constexpr int report_pages_max = 100;                         // of one list: 100,000 rows
inline constexpr std::int64_t report_cells_max = 500'000;            // runs x points of the curves
inline constexpr std::int64_t report_details_bytes_max = 24 << 20U;  // of answers about trials
inline constexpr std::size_t replay_events_max = 5'000'000;          // half a minute of a reader

// Bodies.
// A sweep with its history: seconds of the engine, requested by hand.
inline constexpr std::size_t import_bytes_max = 64 * 1024 * 1024;
// Bounds a part of a large import, while which the engine takes no command: some 10 ms each.
inline constexpr std::size_t import_part_events = 256;
inline constexpr std::size_t import_part_points = 2'048;
inline constexpr std::size_t pilot_log_bytes_max = 64 * 1024;  // of an answer: its end
inline constexpr std::size_t points_max = 10'000;              // metric points in one request
inline constexpr std::size_t log_tail_bytes_max = 8 * 1024;

// Logs of runs (server/api/runs/logs.hpp). A piece in a request, and what is kept of one log: some
// 3,000 lines, of which a reader sees the last.
inline constexpr std::size_t log_bytes_max = 256 * 1024;
// Running runs whose log is read at the same time: 16 MiB of memory.
inline constexpr std::size_t logs_followed_max = 64;
// From the last read until the worker stops sending: readers poll every second.
inline constexpr Duration log_wanted_time = seconds(15);
// From the end of an attempt until its log counts as lost. A program may take 10 s to exit after
// its last verdict, and a worker sends the log again once.
inline constexpr Duration log_late_time = seconds(20);
// Of the logs of ended attempts on disk; then the oldest are removed. 4,096 full logs, or 100,000
// of 10 kB.
inline constexpr std::int64_t logs_kept_bytes_max = std::int64_t{1024} * 1024 * 1024;
inline constexpr std::size_t logs_kept_max = 100'000;

}  // namespace hone::limits
