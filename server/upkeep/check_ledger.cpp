#include <SQLiteCpp/Statement.h>

#include <fstream>
#include <sstream>

#include "base/hex.hpp"
#include "db/file/database.hpp"
#include "db/ledger/chain.hpp"
#include "db/ledger/ledger.hpp"
#include "db/projection/projection.hpp"
#include "db/queries/queries.hpp"
#include "schemas/types/event.hpp"
#include "server/engine/book_archive.hpp"
#include "server/engine/book_snapshot.hpp"
#include "server/engine/ended_sweeps.hpp"
#include "server/sweep/decide.hpp"
#include "server/upkeep/parts.hpp"

namespace hone::upkeep {
namespace {

// No key has more than three columns; few tables have fewer.
std::string in_order(SQLite::Database& db, const std::string& table) {
  const std::string all = "SELECT * FROM " + table;
  const int columns = SQLite::Statement(db, all).getColumnCount();
  return all + (columns > 2 ? " ORDER BY 1, 2, 3" : columns > 1 ? " ORDER BY 1, 2" : " ORDER BY 1");
}

// Whether two tables hold the same rows, in the order of their keys.
bool same_rows(SQLite::Database& left, SQLite::Database& right, const std::string& table) {
  const std::string select = in_order(left, table);
  SQLite::Statement a(left, select), b(right, select);
  while (true) {
    const bool more = a.executeStep();
    if (more != b.executeStep()) return false;
    if (!more) return true;
    for (int at = 0; at < a.getColumnCount(); ++at)
      if (a.isColumnNull(at) != b.isColumnNull(at) ||
          a.getColumn(at).getString() != b.getColumn(at).getString())
        return false;
  }
}

Finding compare_tables(SQLite::Database& db, SQLite::Database& folded) {
  std::string differing;
  for (const char* table : projection_tables())
    if (!same_rows(db, folded, table))
      differing += (differing.empty() ? "" : ", ") + std::string(table);
  if (differing.empty())
    return {"query tables", Health::ok, "identical to a rebuild from the ledger"};
  return {"query tables", Health::fail,
          "they differ from the ledger: " + differing +
              "; another program changed them, or hone has a bug: report it if none did"};
}

Finding check_snapshot(SQLite::Database& db, const std::filesystem::path& file, const Book& book) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {"snapshot", Health::ok, "none; a boot replays the whole ledger"};
  std::ostringstream text;
  text << in.rdbuf();
  auto restored = restore(text.str(), db, book_stamp());
  if (!restored)
    return {"snapshot", Health::warn, restored.error().detail + "; it is ignored at the next boot"};
  const std::int64_t seq = restored->seq;
  load_ended(db, restored->book, seq);
  Ledger(db).replay(seq, [&](const Event& event) { evolve(restored->book, event); });
  if (archive_book(restored->book) == archive_book(book))
    return {"snapshot", Health::ok,
            "with the events after " + std::to_string(seq) + " it is the book of a full replay"};
  return {
      "snapshot", Health::fail,
      "it does not match the events up to " + std::to_string(seq) + ": delete " + file.string()};
}

Finding check_links(SQLite::Database& db) {
  const auto checked = check_chain(db, 0, [](std::int64_t) {});
  if (!checked) return {"links", Health::fail, checked.error().detail};
  if (checked->linked == 0)
    return {"links", Health::ok, "none: a hone without them wrote the ledger"};
  std::string words = std::to_string(checked->linked) + " events fit their links";
  if (checked->unlinked > 0) words += " (" + std::to_string(checked->unlinked) + " have none)";
  return {"links", Health::ok, words + "; the newest is " + link_text(checked->head)};
}

}  // namespace

Finding check_kept(SQLite::Database& db, const KeptLink& kept) {
  const std::string event = "event " + std::to_string(kept.seq);
  const Link link = link_of(db, kept.seq);
  if (link.empty()) return {"kept link", Health::fail, event + " is not there or has no link"};
  if (link_text(link) != kept.link)
    return {"kept link", Health::fail,
            event + " has another link: it, or an event before it, was changed since"};
  return {"kept link", Health::ok,
          event +
              " has the link that was kept: where all events fit their links, none up to it was "
              "changed"};
}

Findings check_ledger(SQLite::Database& db, const std::filesystem::path& snapshot,
                      const Progress& progress) {
  const std::int64_t total = last_seq(db);
  auto folded = open_for_writing(":memory:");
  if (!folded) return {{"query tables", Health::fail, folded.error().detail}};
  Book book;
  try {
    (*folded)->exec("BEGIN");
    (*folded)->exec("PRAGMA defer_foreign_keys = ON");
    Projection projection(**folded);
    Ledger(db).replay(0, [&](const Event& event) {
      evolve(book, event);
      projection.fold(event);
      progress("events", event.seq, total);
    });
    projection.flush();
  } catch (const std::runtime_error& trouble) {
    return {{"ledger", Health::fail, trouble.what()}};
  }
  return {{"ledger", Health::ok,
           std::to_string(total) + " events, without gaps; the book's digest is " +
               hex_word(digest(book))},
          check_links(db),
          check_snapshot(db, snapshot, book),
          compare_tables(db, **folded)};
}

}  // namespace hone::upkeep
