// Pages that a standby appends: all of one, or nothing.
#include "server/standby/ledger_page.hpp"

#include <gtest/gtest.h>

#include "db/file/database.hpp"
#include "db/ledger/chain.hpp"

namespace hone::standby {
namespace {

// A page of these events, linked as a primary links them.
Page page_of(const std::vector<std::pair<std::string, std::string>>& events) {
  Page page;
  Link link;
  for (const auto& [kind, body] : events) {
    Row row{static_cast<std::int64_t>(page.rows.size()) + 1, {5}, kind, {}, body, {}};
    link = next_link(link, {row.seq, row.at, row.kind, row.sweep, row.body});
    row.link = link_text(link);
    page.rows.push_back(row);
  }
  return page;
}

class StandbyLedger : public testing::Test {
 protected:
  Status append(const Page& page) {
    ledger_.begin();
    auto appended = append_page(ledger_, page);
    if (appended)
      ledger_.commit();
    else
      ledger_.rollback();
    return appended;
  }

  std::unique_ptr<SQLite::Database> db_ = *open_for_writing(":memory:");
  Ledger ledger_{*db_};
};

const std::pair<std::string, std::string> started{
    "server_started", R"({"hone_version": "0.1.0", "lease_us": 15000000})"};

TEST_F(StandbyLedger, has_the_events_of_a_page) {
  ASSERT_TRUE(append(page_of({started})));
  EXPECT_EQ(ledger_.last_seq(), 1);
}

// The change of a run that was never added ended the process of the standby.
TEST_F(StandbyLedger, events_that_contradict_each_other_ended_the_standby) {
  const auto refused = append(page_of(
      {started,
       {"run_ended", R"({"run": "rn_7.0", "state": "completed", "reason": "budget_reached",)"
                     R"( "exit_code": 0, "detail": "", "log_tail": ""})"}}));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().detail.find("contradict each other"), std::string::npos)
      << refused.error().detail;
  EXPECT_EQ(ledger_.last_seq(), 0) << "nothing of the page is kept";
  EXPECT_TRUE(append(page_of({started}))) << "and the standby follows on";
}

TEST_F(StandbyLedger, an_event_with_another_link_is_refused) {
  auto page = page_of({started, started});
  page.rows[1].body += " ";
  const auto refused = append(page);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_EQ(ledger_.last_seq(), 0);
}

}  // namespace
}  // namespace hone::standby
