#include "db/ledger/chain.hpp"

#include <SQLiteCpp/Statement.h>

#include <charconv>
#include <fstream>
#include <span>

#include "base/hex.hpp"
#include "base/sha256.hpp"

namespace hone {
namespace {

Link blob_of(const SQLite::Column& column) {
  return {static_cast<const char*>(column.getBlob()), static_cast<std::size_t>(column.getBytes())};
}

std::string_view text_of(const SQLite::Column& column) {
  return {column.getText(), static_cast<std::size_t>(column.getBytes())};
}

Error misfit(std::int64_t seq, const std::string& what) {
  return refuse(Code::invalid, "event " + std::to_string(seq) + " of the ledger " + what +
                                   ": it was changed or damaged; restore a backup");
}

}  // namespace

std::string link_text(const Link& link) {
  return hex(std::span(reinterpret_cast<const unsigned char*>(link.data()), link.size()));
}

Link link_of(SQLite::Database& db, std::int64_t seq) {
  SQLite::Statement row(db, "SELECT link FROM event WHERE seq = ?");
  row.bind(1, seq);
  return row.executeStep() ? blob_of(row.getColumn(0)) : Link();
}

Link next_link(std::string_view before, const LedgerRow& row) {
  // The kind has no blank, so that no two rows give one text.
  const std::string head = std::to_string(row.seq) + " " + std::to_string(row.at.us) + " " +
                           std::string(row.kind) + " " +
                           (row.sweep ? std::to_string(row.sweep->value) : std::string("-")) + "\n";
  Sha256 hash;
  hash.add(before);
  hash.add(head);
  hash.add(row.body);
  return hash.finish_bytes();
}

std::string head_text(SQLite::Database& db) {
  const auto seq = db.execAndGet("SELECT coalesce(max(seq), 0) FROM event").getInt64();
  const Link link = link_of(db, seq);
  return link.empty() ? std::string() : std::to_string(seq) + ":" + link_text(link);
}

Status check_kept_head(SQLite::Database& db, const std::filesystem::path& folder) {
  constexpr std::size_t text_bytes_max = 100;  // of a number and 64 digits
  const auto path = folder / head_file;
  std::ifstream in(path, std::ios::binary);
  std::error_code unknown;
  if (!in && !std::filesystem::exists(path, unknown) && !unknown) return Done{};
  if (!in)
    return refuse(Code::conflict, "'" + path.string() + "' cannot be read: mend its permissions");
  std::string text(text_bytes_max, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  std::int64_t seq = 0;
  const char* end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, seq);
  const Link link = link_of(db, seq);
  const bool readable = number.ec == std::errc{} && number.ptr != end && *number.ptr == ':';
  if (readable && !link.empty() && std::string(number.ptr + 1, end) == link_text(link) + "\n")
    return Done{};
  return refuse(Code::conflict, "the ledger in '" + folder.string() +
                                    "' is not the one that was backed up: '" + path.string() +
                                    "' names another link of event " + std::to_string(seq) +
                                    ". Restore another backup; to open this one all the same, move "
                                    "that file away");
}

Result<ChainCheck> check_chain(SQLite::Database& db, std::int64_t after,
                               const std::function<void(std::int64_t seq)>& progress) {
  ChainCheck found;
  found.head = link_of(db, after);
  SQLite::Statement rows(
      db, "SELECT seq, at, kind, sweep, body, link FROM event WHERE seq > ? ORDER BY seq");
  rows.bind(1, after);
  for (std::int64_t next = after + 1; rows.executeStep(); ++next) {
    LedgerRow row{rows.getColumn(0).getInt64(),
                  {rows.getColumn(1).getInt64()},
                  text_of(rows.getColumn(2)),
                  {},
                  text_of(rows.getColumn(4))};
    if (row.seq != next) return misfit(next, "is missing");
    if (!rows.isColumnNull(3)) row.sweep = SweepId{rows.getColumn(3).getInt64()};
    if (rows.isColumnNull(5)) {
      if (!found.head.empty()) return misfit(next, "has lost its link");
      ++found.unlinked;
    } else {
      auto link = blob_of(rows.getColumn(5));
      if (next_link(found.head, row) != link) return misfit(next, "does not fit its link");
      found.head = std::move(link);
      ++found.linked;
    }
    progress(next);
  }
  return found;
}

}  // namespace hone
