// The bounds of standbys, with their reasons. What a primary sends is untrusted input as well.
#pragma once

#include <cstddef>
#include <cstdint>

#include "schemas/types/instant.hpp"

namespace hone::standby::limits {

// Of one page: what a standby commits at once.
inline constexpr std::int64_t page_events = 1000;
// A page ends once it has that much; one event may have 64 MiB, that of an import.
inline constexpr std::size_t page_bytes = 4 * 1024 * 1024;
inline constexpr std::size_t page_bytes_max = 160 * 1024 * 1024;  // a page and one event
inline constexpr std::size_t page_points = 20'000;                // 2 MB of a page
inline constexpr std::size_t kind_bytes_max = 64;                 // of an event; ours have up to 20
inline constexpr std::size_t name_bytes_max = 1000;               // of a metric

// A standby asks again after that time without news: its sign of life, and the delay of metrics.
inline constexpr Duration pull_wait = seconds(1);
inline constexpr Duration pull_wait_max = seconds(10);  // that a primary holds a request
inline constexpr Duration pull_time = seconds(60);      // for a page of 160 MiB
inline constexpr Duration retry_first = milliseconds(100);
inline constexpr Duration retry_last = seconds(5);

// A standby that has not asked for so long counts as gone.
inline constexpr Duration presence_time = seconds(5);
// The highest number of a term: a promotion adds one to the newest that it knows.
inline constexpr std::int64_t term_max = 1'000'000'000;

// How long a write waits for a standby (--sync-replica), unless --sync-wait sets it: longer than
// a restart of the standby, shorter than the time-out of a client.
inline constexpr Duration confirm_wait = seconds(10);
inline constexpr Duration confirm_wait_max = seconds(600);

// A primary asks the standbys that it knows whether one of them was promoted: at its start, and
// then in this period while none is attached.
inline constexpr Duration successor_time = seconds(2);  // of one question
// Of a promoted folder that is started with --follow, one each second, before it serves as the
// primary.
inline constexpr int successor_tries = 5;
inline constexpr Duration successor_period = seconds(5);
// Known standbys. A primary that has forgotten one does not recognize it once it is promoted, so
// that those of the last week stay: a longer absence is no restart of a machine.
inline constexpr std::size_t standbys_max = 16;
inline constexpr Duration in_sync_kept = seconds(7 * 86'400);
inline constexpr Duration in_sync_noted = seconds(86'400);  // how often the disk gets to know
inline constexpr std::size_t url_bytes_max = 300;
inline constexpr std::size_t state_bytes_max = 64 * 1024;  // of DATA/standby.json

inline constexpr Duration blob_time = seconds(300);  // 256 MiB at 1 MiB/s
// Blobs that a start finds missing are fetched in turns with events.
inline constexpr std::size_t blobs_each_turn = 16;
inline constexpr std::int64_t blob_bytes_max = std::int64_t{256} * 1024 * 1024;  // as an upload

}  // namespace hone::standby::limits
