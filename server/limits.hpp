// Every bound of the server, with units and the reason for its size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schemas/types/instant.hpp"

namespace hone::limits {

// Leases and heartbeats.
inline constexpr Duration lease_length =
    seconds(15);  // a dead worker's run waits this long at most
inline constexpr Duration heartbeat_period = seconds(3);  // four may be lost before the lease is
inline constexpr int lease_s_min = 5;                     // --lease: heartbeats every second
inline constexpr int lease_s_max = 3600;                  // a dead worker's run would wait an hour
inline constexpr Duration acquire_wait_max =
    seconds(30);  // a long poll holds a parked slot no longer than this

// The engine.
inline constexpr std::size_t inbox_commands_max =
    16'384;  // as many as connections: each waits for one at most; 8 s of 10,000 workers
inline constexpr std::size_t batch_commands_max =
    256;  // one commit: about 1 ms of work, so replies stay prompt
inline constexpr std::int64_t snapshot_events =
    200'000;  // since the last, at least: seconds of a boot
inline constexpr std::int64_t snapshot_events_least = 5'000;  // at shutdown: else not worth a file
inline constexpr std::size_t parked_acquires_max = 2048;      // workers waiting for work

// HTTP.
inline constexpr std::size_t header_bytes_max = 16 * 1024;
inline constexpr std::size_t token_bytes_max = 512;               // of a secret; ours have 69
inline constexpr std::size_t body_bytes_max = 4 * 1024 * 1024;    // a sweep file is at most 1 MiB
inline constexpr std::size_t blob_bytes_max = 256 * 1024 * 1024;  // one checkpoint
inline constexpr std::size_t connections_max =
    16'384;  // 10,000 workers and 6,000 others; 13 KiB each
inline constexpr std::size_t connections_per_peer_max =
    2048;  // an eighth of all: one address cannot keep the others out. Not for this machine's own
inline constexpr std::int64_t requests_per_s =
    5'000;  // of a token or address, for ever: 10,000 workers need 2,000. Not for this machine's
            // own
inline constexpr std::int64_t burst_s = 2;                // as many at once as come back in 2 s
inline constexpr std::size_t rate_keys_max = 10'000;      // counted apart; 1 MB
inline constexpr std::size_t header_fields_max = 64;      // browsers send about 20
inline constexpr Duration handshake_time = seconds(10);   // of TLS: three round trips at most
inline constexpr Duration request_timeout = seconds(30);  // from the first byte to the last
inline constexpr Duration idle_timeout = seconds(120);    // keep-alive without a request
inline constexpr Duration linger_time = seconds(2);       // for a client to read why it was refused
inline constexpr std::size_t linger_bytes_max = 64 * 1024 * 1024;  // that it sends meanwhile
// Between a PUT and the command that names it, a worker may have to wait for the server to return.
inline constexpr Duration blob_grace = seconds(600);
inline constexpr std::size_t blob_piece_bytes = 256 * 1024;  // memory of a transfer; 1 ms of disk
inline constexpr Duration drain_time = seconds(5);           // for open requests at shutdown

// Reads.
inline constexpr std::int64_t page_items_max = 1000;
inline constexpr std::int64_t page_items_default = 100;
inline constexpr std::size_t page_points_max = 20'000;      // of a page of curves: 1.5 MB of body
inline constexpr std::int64_t incumbent_runs_max = 20'000;  // read off the tables: about a second
inline constexpr std::size_t reads_queued_max = 1024;       // beyond: 503
inline constexpr int lineage_nodes_max =
    10'000;  // a graph larger than this is for export, not for a page
inline constexpr std::size_t watchers_max = 256;           // open event streams
inline constexpr std::int64_t watch_batch_events = 200;    // one write: what a slow watcher holds
inline constexpr Duration watch_quiet_time = seconds(15);  // a proxy closes after a silent minute
inline constexpr std::size_t reader_threads = 2;  // a third would only take a core from the writer
inline constexpr std::size_t disk_threads = 2;    // for blobs: an fsync may take seconds

inline constexpr std::size_t export_events_max = 2'000'000;   // of one document: 400 MB of it
inline constexpr std::size_t export_points_max = 1'500'000;   // likewise
inline constexpr std::int64_t replay_events_max = 5'000'000;  // half a minute of a reader

// Bodies.
inline constexpr std::size_t import_bytes_max =
    64 * 1024 * 1024;  // a sweep with its past: seconds of the engine, asked for by hand
inline constexpr std::size_t points_max = 10'000;  // metric points in one request
inline constexpr std::size_t log_tail_bytes_max = 8 * 1024;

}  // namespace hone::limits
