// The hash chain over the ledger's events. Each row has the SHA-256 of the link before it and of
// its values, so that a value that was changed on the disk does not fit the links, and the newest
// link stands for every event before it. Rows that were written by a hone without the chain come
// first and have none.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/types/ids.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

// 32 bytes; empty before the first link.
using Link = std::string;

// The values of a row.
struct LedgerRow {
  std::int64_t seq = 0;
  Instant at;
  std::string_view kind;
  std::optional<SweepId> sweep;
  std::string_view body;
};

// The hex digits of a link.
std::string link_text(const Link& link);

// The link of an event; empty if it has none or is not there.
Link link_of(SQLite::Database& db, std::int64_t seq);

// The link of a row.
Link next_link(std::string_view before, const LedgerRow& row);

// "4711:9f86d0..." of the newest event; empty if it has no link.
std::string head_text(SQLite::Database& db);

// The file of a backup that has its head_text.
inline constexpr std::string_view head_file = "ledger.link";

// Compares the ledger with the head that its folder keeps from the backup it was restored from.
// Refuses (conflict) a ledger without that event, or with another link for it. A folder without the
// file is not compared.
Status check_kept_head(SQLite::Database& db, const std::filesystem::path& folder);

struct ChainCheck {
  std::int64_t linked = 0;    // events whose links were checked
  std::int64_t unlinked = 0;  // events older than the chain
  Link head;                  // of the newest event
};

// Compares the links of the events after `after` with their values. Refuses (invalid) the first
// event that does not fit, or that is missing. `progress` is called for each event.
Result<ChainCheck> check_chain(SQLite::Database& db, std::int64_t after,
                               const std::function<void(std::int64_t seq)>& progress);

}  // namespace hone
