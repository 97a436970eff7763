// A copy of a ledger, row by row: what a standby does with what its primary sends.
#include <SQLiteCpp/Statement.h>

#include "db/ledger/chain.hpp"
#include "db/queries/queries.hpp"
#include "tests/unit/db/queries_given.hpp"

namespace hone {
namespace {

struct RawRow {
  std::int64_t seq, at;
  std::string kind;
  std::optional<SweepId> sweep;
  std::string body;
  Link link;
};

std::vector<RawRow> rows_of(SQLite::Database& db) {
  SQLite::Statement s(db, "SELECT seq, at, kind, sweep, body, link FROM event ORDER BY seq");
  std::vector<RawRow> rows;
  while (s.executeStep()) {
    RawRow row{s.getColumn(0).getInt64(),  s.getColumn(1).getInt64(),
               s.getColumn(2).getString(), {},
               s.getColumn(4).getString(), s.getColumn(5).getString()};
    if (!s.isColumnNull(3)) row.sweep = SweepId{s.getColumn(3).getInt64()};
    rows.push_back(std::move(row));
  }
  return rows;
}

Status append(Ledger& ledger, const RawRow& row) {
  return ledger.append_row({row.seq, {row.at}, row.kind, row.sweep, row.body}, row.link);
}

// The history of Queries is copied.
class AppendRow : public Queries {
 protected:
  AppendRow() : rows_(rows_of(*db)) { ledger_.begin(); }

  // Refused, after which the copy continues with the right row.
  void expect_refused(const RawRow& row, Code code) {
    const auto appended = append(ledger_, row);
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().code, code) << appended.error().detail;
    ledger_.rollback();
    ledger_.begin();
    EXPECT_TRUE(append(ledger_, rows_[0]));
    EXPECT_TRUE(append(ledger_, rows_[1]));
  }

  std::unique_ptr<SQLite::Database> copy_ = open_in_memory();
  Ledger ledger_{*copy_};
  const std::vector<RawRow> rows_;
};

TEST_F(AppendRow, copies_every_byte_and_folds_the_query_tables) {
  for (const RawRow& row : rows_) ASSERT_TRUE(append(ledger_, row));
  ledger_.commit();
  EXPECT_EQ(head_text(*copy_), head_text(*db));
  EXPECT_TRUE(check_chain(*copy_, 0, [](std::int64_t) {}));
  EXPECT_EQ(rows_of(*copy_).back().body, rows_.back().body);
  EXPECT_EQ(find_sweep(*copy_, SweepId{1})->name, find_sweep(*db, SweepId{1})->name);
}

TEST_F(AppendRow, refuses_a_row_that_does_not_continue_the_chain) {
  RawRow changed = rows_[0];
  changed.at += 1;
  expect_refused(changed, Code::conflict);
}

TEST_F(AppendRow, refuses_a_gap_and_a_repetition) {
  expect_refused(rows_[1], Code::conflict);
  EXPECT_FALSE(append(ledger_, rows_[1]));
}

TEST_F(AppendRow, refuses_a_row_without_a_link_after_one_that_has_one) {
  ASSERT_TRUE(append(ledger_, rows_[0]));
  RawRow bare = rows_[1];
  bare.link.clear();
  expect_refused(bare, Code::conflict);
}

TEST_F(AppendRow, refuses_an_event_that_it_does_not_know) {
  RawRow unknown = rows_[0];
  unknown.kind = "rocket_launched";
  unknown.link = next_link({}, {unknown.seq, {unknown.at}, unknown.kind, {}, unknown.body});
  expect_refused(unknown, Code::invalid);
}

TEST_F(AppendRow, takes_rows_that_are_older_than_the_chain) {
  RawRow old = rows_[0];
  old.link.clear();
  EXPECT_TRUE(append(ledger_, old));
}

}  // namespace
}  // namespace hone
