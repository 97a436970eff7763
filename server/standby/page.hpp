// A page of the ledger, from a primary to a standby, and the request for it. A request is also the
// confirmation: everything up to `after` is on the standby's disk.
//
// A page is a line of JSON, then for each event "SEQ AT KIND SWEEP BYTES LINK\n", its body and
// "\n", then for each metric point "TRIAL REPLICATE STEP VALUE AT NAME\n". SWEEP and LINK are "-"
// where there is none. Bodies are the exact bytes of the ledger, so that the standby's hash chain
// continues with the same links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone::standby {

// The place of a standby in the metric points that a primary holds in memory.
struct FeedPlace {
  std::string life;  // of the primary's process; empty: none yet
  std::int64_t next = 0;
};

struct Pull {
  std::int64_t after = 0;
  std::string link;       // of that event, in hex; empty if it has none
  std::string digest;     // of the standby's secret
  std::string url;        // of the standby
  std::int64_t term = 0;  // the newest that the standby has seen
  Duration wait{};        // for news
  FeedPlace feed;
};

std::string text(const Pull& pull);
// Refuses (invalid) anything else than text() makes, and values beyond their bounds.
Result<Pull> parse_pull(std::string_view text);

struct Row {
  std::int64_t seq = 0;
  Instant at;
  std::string kind;
  std::optional<SweepId> sweep;
  std::string body;
  std::string link;  // in hex; empty if it has none
};

struct Point {
  RunId run;
  std::string name;
  std::int64_t step = 0;
  double value = 0;
  Instant at;
};

struct Page {
  std::string version;      // of the primary's hone
  std::int64_t term = 0;    // of the primary
  std::int64_t newest = 0;  // event of the primary
  bool sync = false;        // whether the primary waits for confirmations
  FeedPlace feed;           // after the points of this page
  bool gap = false;         // points between the standby's place and these are not in memory
  std::vector<Row> rows;
  std::vector<Point> points;
};

std::string text(const Page& page);
// Refuses (invalid) bytes that text() does not make, events that do not follow `after` one by one,
// and sizes beyond their bounds.
Result<Page> parse_page(std::string_view bytes, std::int64_t after);

}  // namespace hone::standby
