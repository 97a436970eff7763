#include "db/ledger/chain.hpp"

#include <SQLiteCpp/Statement.h>

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
