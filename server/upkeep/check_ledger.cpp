#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <fstream>
#include <limits>
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
#include "server/engine/quarantine.hpp"
#include "server/engine/restored.hpp"
#include "server/limits.hpp"
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

Finding compare_tables(SQLite::Database& db, SQLite::Database& folded, const Progress& progress) {
  std::string differing;
  const auto tables = projection_tables();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (!same_rows(db, folded, tables[i]))
      differing += (differing.empty() ? "" : ", ") + std::string(tables[i]);
    progress("tables", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(tables.size()));
  }
  if (differing.empty())
    return {"query tables", Health::ok, "identical to a rebuild from the ledger"};
  return {"query tables", Health::fail,
          "they differ from the ledger: " + differing +
              "; another program changed them, or hone has a bug: report it if none did"};
}

// The whole ledger, folded once. The query tables and the ended sweeps are in a temporary database
// on the disk, and the Book has the others: the memory is that of the largest sweep, not of all.
struct Folded {
  SQLite::Database& db;
  Book book;
  std::vector<SweepId> ended;
};

void fold_ledger(SQLite::Database& from, const Progress& progress, Folded& folded) {
  const std::int64_t total = last_seq(from);
  const Ledger ledger(from);
  Projection projection(folded.db);
  EndedSweeps ended(folded.db, folded.book, {});
  std::int64_t seq = 0;
  const auto visit = [&](const Event& event) {
    ended.load(touched_by(event.body), seq);
    evolve(folded.book, event);
    expect_allowed(folded.book, event.body);
    ended.folded(event.body);
    projection.fold(event);
    seq = event.seq;
    progress("events", seq, total);
  };
  for (std::int64_t before = -1; before != seq;) {
    before = seq;
    SQLite::Transaction step(folded.db);
    folded.db.exec("PRAGMA defer_foreign_keys = ON");
    ledger.replay(seq, visit, limits::replay_step_events);
    projection.flush();
    step.commit();
    ended.leave(seq);
  }
  EndedSweeps last(folded.db, folded.book, {0, 0});
  last.begin(seq);
  last.leave(seq);
  folded.ended = EndedRows(folded.db).list(seq, book_stamp());
}

// Of the Book and of the ended sweeps.
std::uint64_t digest_of(const Folded& folded) {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t whole = checksum(archive_book(folded.book));
  EndedRows rows(folded.db);
  for (const SweepId id : folded.ended)
    whole = (whole ^ static_cast<std::uint64_t>(
                         rows.find(id, std::numeric_limits<std::int64_t>::max())->checksum)) *
            prime;
  return whole;
}

// Whether the snapshot, with the events since, is the Book of the whole ledger; its ended sweeps
// are compared one by one, and leave the restored Book.
bool same_books(SQLite::Database& db, Restored& restored, const Folded& folded) {
  Book& book = restored.book;
  EndedSweeps ended(db, book, {});
  Ledger(db).replay(restored.seq, [&](const Event& event) {
    ended.load(touched_by(event.body), restored.seq);
    evolve(book, event);
  });
  EndedRows ours(db), theirs(folded.db);
  for (const SweepId id : folded.ended) {
    const auto expected = theirs.find(id, std::numeric_limits<std::int64_t>::max());
    const bool loaded = book.sweeps.contains(id);
    const auto row = loaded ? std::nullopt : ours.find(id, restored.seq);
    if (!loaded && !row) return false;
    if ((loaded ? archive_sweep(book, id) : row->state) != expected->state) return false;
    if (loaded) remove_sweep(book, id);
  }
  return archive_book(book) == archive_book(folded.book);
}

Finding check_snapshot(SQLite::Database& db, const std::filesystem::path& file,
                       const Folded& folded) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {"snapshot", Health::ok, "none; a boot replays the whole ledger"};
  std::ostringstream text;
  text << in.rdbuf();
  auto restored = restore(text.str(), db, book_stamp());
  if (!restored)
    return {"snapshot", Health::warn, restored.error().detail + "; it is ignored at the next boot"};
  const std::string seq = std::to_string(restored->seq);
  if (same_books(db, *restored, folded))
    return {"snapshot", Health::ok,
            "with the events after " + seq + " it is the book of a full replay"};
  return {"snapshot", Health::fail,
          "it does not match the events up to " + seq + ": delete " + file.string()};
}

Finding check_links(SQLite::Database& db, const Progress& progress) {
  const std::int64_t total = last_seq(db);
  const auto checked = check_chain(db, 0, [&](std::int64_t seq) { progress("links", seq, total); });
  if (!checked) return {"links", Health::fail, checked.error().detail};
  if (checked->linked == 0)
    return {"links", Health::ok, "none: a hone without them wrote the ledger"};
  std::string words = std::to_string(checked->linked) + " events fit their links";
  if (checked->unlinked > 0) words += " (" + std::to_string(checked->unlinked) + " have none)";
  return {"links", Health::ok, words + "; the newest is " + link_text(checked->head)};
}

// The sweeps of which an event cannot be read or folded.
Findings unreadable(SQLite::Database& db, const std::string& why) {
  Quarantine sweeps = find_unreadable(db);
  sweeps.merge(read_quarantine(db));
  Findings findings{{"ledger", Health::fail, why}};
  for (const auto& [sweep, one] : sweeps)
    findings.push_back({text(sweep), Health::fail, "quarantined: run hone db repair; " + one.why});
  return findings;
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
  auto temporary = open_for_writing("");  // SQLite removes it when it is closed
  if (!temporary) return {{"query tables", Health::fail, temporary.error().detail}};
  Folded folded{**temporary, {}, {}};
  try {
    folded.db.execAndGet("PRAGMA journal_mode = OFF");
    fold_ledger(db, progress, folded);
  } catch (const SQLite::Exception&) {
    throw;
  } catch (const std::exception& trouble) {
    return unreadable(db, trouble.what());
  }
  return {{"ledger", Health::ok,
           std::to_string(last_seq(db)) + " events, without gaps; the book's digest is " +
               hex_word(digest_of(folded))},
          check_links(db, progress),
          check_snapshot(db, snapshot, folded),
          compare_tables(db, folded.db, progress)};
}

}  // namespace hone::upkeep
