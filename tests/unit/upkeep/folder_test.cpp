// Damage that a check finds, copies made while a server writes, and tokens for a stopped server.
#include <SQLiteCpp/Statement.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "db/queries/queries.hpp"
#include "db/queries/tokens.hpp"
#include "server/engine/book_archive.hpp"
#include "server/engine/book_snapshot.hpp"
#include "server/upkeep/upkeep.hpp"
#include "tests/unit/db/given.hpp"
#include "tests/unit/db/storm.hpp"

namespace hone {
namespace {

using upkeep::Health;

struct FolderTest : testing::Test {
  TemporaryFolder temporary;
  std::filesystem::path folder = temporary.path() / "data";
  std::unique_ptr<SQLite::Database> db;
  std::unique_ptr<FedLedger> fed;
  std::unique_ptr<Storm> storm;

  FolderTest() {
    std::filesystem::create_directories(folder / "blobs");
    db = open_for_writing((folder / "hone.db").string()).value();
    fed = std::make_unique<FedLedger>(*db);
    storm = std::make_unique<Storm>(
        5, [this](const Command& command, Instant now) { return fed->perform(command, now); });
    storm->blow(300);
  }
  static void ignore(std::string_view, std::int64_t, std::int64_t) {}

  [[nodiscard]] upkeep::Finding find(const std::string& what) const {
    const auto findings = upkeep::check(folder, {}, ignore);
    EXPECT_TRUE(findings.ok()) << findings.error().detail;
    for (const auto& one : *findings)
      if (one.what == what) return one;
    ADD_FAILURE() << "nothing was found out about the " << what;
    return {};
  }
  void write_snapshot(const Book& book, std::int64_t seq, const std::string& stamp) const {
    std::ofstream(folder / "book.snapshot", std::ios::binary)
        << snapshot_text(book, seq, event_text(*db, seq), stamp);
  }
  // A file of the blob store, and its digest.
  std::string put_blob(char letter) const {
    const std::string digest(64, letter);
    const auto file = folder / "blobs" / digest.substr(0, 2) / digest.substr(2);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "bytes";
    return digest;
  }
};

TEST_F(FolderTest, a_missing_event_is_named) {
  db->exec("DROP TRIGGER event_stays");
  db->exec("DELETE FROM event WHERE seq = 20");
  const auto found = find("ledger");
  EXPECT_EQ(found.health, Health::fail);
  EXPECT_NE(found.detail.find("event 20 of the ledger is missing"), std::string::npos)
      << found.detail;
}

TEST_F(FolderTest, an_unreadable_event_is_named) {
  db->exec("DROP TRIGGER event_kept");
  for (const char* body : {"{}", "not JSON", ""}) {
    SQLite::Statement damage(*db, "UPDATE event SET body = ? WHERE seq = 1");
    damage.bind(1, body);
    damage.exec();
    const auto found = find("ledger");
    EXPECT_EQ(found.health, Health::fail) << body;
    EXPECT_NE(found.detail.find("event 1 of the ledger cannot be read"), std::string::npos)
        << found.detail;
  }
}

TEST_F(FolderTest, a_snapshot_is_compared_with_a_full_replay) {
  EXPECT_NE(find("snapshot").detail.find("none"), std::string::npos);
  write_snapshot(fed->book, fed->seq, std::string(book_stamp()));
  EXPECT_EQ(find("snapshot").health, Health::ok);
  const Book before = read_book(archive_book(fed->book));
  const auto seq = fed->seq;
  storm->blow(50);
  write_snapshot(before, seq, std::string(book_stamp()));
  EXPECT_EQ(find("snapshot").health, Health::ok) << "the events after it are replayed";
}

TEST_F(FolderTest, a_snapshot_that_a_boot_would_ignore_is_a_warning) {
  write_snapshot(fed->book, fed->seq, "another build");
  EXPECT_EQ(find("snapshot").health, Health::warn);
  std::ofstream(folder / "book.snapshot") << "garbage";
  EXPECT_EQ(find("snapshot").health, Health::warn);
}

TEST_F(FolderTest, a_snapshot_of_another_state_is_a_failure) {
  Book wrong = read_book(archive_book(fed->book));
  wrong.last_at = wrong.last_at + seconds(1);
  write_snapshot(wrong, fed->seq, std::string(book_stamp()));
  const auto found = find("snapshot");
  EXPECT_EQ(found.health, Health::fail);
  EXPECT_NE(found.detail.find("book.snapshot"), std::string::npos) << "names the file to delete";
}

TEST_F(FolderTest, a_row_without_its_parent_is_counted) {
  db->exec("PRAGMA foreign_keys = OFF");
  db->exec("UPDATE run SET trial = trial + 100000 WHERE trial = 1 AND replicate = 0");
  const auto found = find("foreign keys");
  EXPECT_EQ(found.health, Health::fail);
  EXPECT_NE(found.detail.find("rows without their parent"), std::string::npos);
}

TEST_F(FolderTest, a_damaged_page_fails_the_file_and_ends_the_check) {
  db->execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
  fed.reset();
  db.reset();
  const auto file = folder / "hone.db";
  const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(file) / 2);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(middle - middle % 4096);
  bytes << std::string(3 * 4096, '\x5a');
  bytes.close();
  const auto findings = upkeep::check(folder, {}, ignore);
  ASSERT_TRUE(findings.ok()) << findings.error().detail;
  ASSERT_EQ(findings->size(), 1U) << "what follows from a damaged file is worth nothing";
  EXPECT_EQ(findings->front().what, "file");
  EXPECT_EQ(findings->front().health, Health::fail);
  EXPECT_NE(findings->front().detail.find("backup"), std::string::npos);
}

TEST_F(FolderTest, the_progress_of_a_check_reaches_its_end) {
  std::map<std::string, std::int64_t, std::less<>> last;
  const auto findings =
      upkeep::check(folder, {}, [&](std::string_view unit, std::int64_t done, std::int64_t total) {
        EXPECT_LE(done, total);
        EXPECT_GE(done, last[std::string(unit)]);
        last[std::string(unit)] = done;
      });
  ASSERT_TRUE(findings.ok());
  EXPECT_EQ(last["events"], fed->seq);
}

TEST_F(FolderTest, a_check_changes_nothing) {
  const auto tables = dump_projection(*db);
  EXPECT_EQ(find("file").health, upkeep::Health::ok);
  EXPECT_EQ(dump_projection(*db), tables);
  EXPECT_EQ(last_seq(*db), fed->seq);
}

// The copy is of one instant: what is committed while its pages are copied is not in it.
TEST_F(FolderTest, a_backup_does_not_wait_for_a_writer_and_is_of_one_instant) {
  db->exec(
      "CREATE TABLE filler AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
      " WHERE i < 6000) SELECT i, randomblob(1000) FROM n");  // several steps of the copy
  const auto before = fed->seq;
  bool has_written = false;
  const auto write_more = [&](std::string_view unit, std::int64_t done, std::int64_t total) {
    if (unit != "pages" || std::exchange(has_written, true)) return;
    EXPECT_LT(done, total);
    storm->blow(20);
  };
  const auto to = temporary.path() / "copy";
  const auto report = upkeep::back_up(folder, to, false, write_more);
  ASSERT_TRUE(report.ok()) << report.error().detail;
  EXPECT_TRUE(has_written);
  EXPECT_GT(fed->seq, before);
  EXPECT_EQ(report->events, before);
  folder = to;
  EXPECT_EQ(find("ledger").health, Health::ok);
  EXPECT_EQ(find("query tables").health, Health::ok);
}

TEST_F(FolderTest, backups_are_sound_while_a_thread_writes) {
  std::atomic<bool> ending = false;
  std::thread writer([&] {
    while (!ending) storm->blow(10);
  });
  std::int64_t events = 0;
  for (int i = 0; i < 5; ++i) {
    const auto to = temporary.path() / ("copy" + std::to_string(i));
    const auto report = upkeep::back_up(folder, to, false, ignore);
    ASSERT_TRUE(report.ok()) << report.error().detail;
    EXPECT_GE(report->events, events);
    events = report->events;
    const auto findings = upkeep::check(to, {}, ignore);
    ASSERT_TRUE(findings.ok());
    for (const auto& one : *findings)
      if (one.what != "blobs") {
        EXPECT_EQ(one.health, Health::ok) << one.what << ": " << one.detail;
      }
  }
  ending = true;
  writer.join();
}

TEST_F(FolderTest, a_backup_copies_the_blobs_that_models_and_workflows_name) {
  db->exec("UPDATE model SET dropped_at = NULL");
  const auto model = put_blob('a'), patch = put_blob('b'), unnamed = put_blob('c');
  db->exec("DELETE FROM artifact");
  db->exec("UPDATE model SET sha256 = '" + model + "', bytes = 5");
  db->exec("UPDATE workflow SET patch_sha256 = '" + patch + "'");
  const auto to = temporary.path() / "copy";
  const auto report = upkeep::back_up(folder, to, true, ignore);
  ASSERT_TRUE(report.ok()) << report.error().detail;
  const auto is_there = [&](const std::string& digest) {
    return std::filesystem::exists(to / "blobs" / digest.substr(0, 2) / digest.substr(2));
  };
  EXPECT_TRUE(is_there(model));
  EXPECT_FALSE(is_there(unnamed));
  const bool has_workflows = db->execAndGet("SELECT count(*) FROM workflow").getInt() > 0;
  EXPECT_EQ(is_there(patch), has_workflows);
  EXPECT_EQ(report->blobs, has_workflows ? 2 : 1);
}

TEST_F(FolderTest, a_backup_without_blobs_leaves_them_out) {
  db->exec("UPDATE model SET sha256 = '" + put_blob('a') + "', dropped_at = NULL");
  const auto report = upkeep::back_up(folder, temporary.path() / "copy", false, ignore);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->blobs, 0);
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path() / "copy" / "blobs"));
}

TEST_F(FolderTest, a_backup_replaces_what_an_interrupted_one_left) {
  const auto partial = temporary.path() / "copy.partial";
  std::filesystem::create_directories(partial);
  std::ofstream(partial / "hone.db") << "half";
  const auto report = upkeep::back_up(folder, temporary.path() / "copy", true, ignore);
  ASSERT_TRUE(report.ok()) << report.error().detail;
  EXPECT_FALSE(std::filesystem::exists(partial));
  EXPECT_EQ(report->events, fed->seq);
}

TEST_F(FolderTest, a_backup_that_cannot_be_made_leaves_no_folder_of_its_name) {
  std::ofstream(temporary.path() / "file") << "in the way";
  const auto to = temporary.path() / "file" / "copy";
  const auto refused = upkeep::back_up(folder, to, true, ignore);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_FALSE(std::filesystem::exists(to));
  EXPECT_EQ(upkeep::back_up(temporary.path() / "none", to, true, ignore).error().code,
            Code::not_found);
}

TEST_F(FolderTest, an_upgrade_of_the_newest_schema_changes_nothing) {
  fed.reset();
  db.reset();
  const auto report = upkeep::upgrade(folder);
  ASSERT_TRUE(report.ok()) << report.error().detail;
  EXPECT_EQ(report->from, 0);
  EXPECT_EQ(report->backup, "");
  EXPECT_EQ(upkeep::upgrade(temporary.path()).error().code, Code::not_found);
}

CreateTokenRequest admin_token(const std::string& name) {
  return {"request-" + name, name, Scope::admin, std::string(64, name.front()), {}};
}

TEST_F(FolderTest, a_token_can_be_added_while_no_server_runs) {
  const auto before = read_keys(*db).size();
  fed.reset();
  db.reset();
  const auto made = upkeep::create_token(folder, admin_token("a"));
  ASSERT_TRUE(made.ok()) << made.error().detail;
  const auto keys = read_keys(**open_for_reading((folder / "hone.db").string()));
  ASSERT_EQ(keys.size(), before + 1);
  EXPECT_EQ(keys.back().token, *made);
  EXPECT_EQ(keys.back().sha256, std::string(64, 'a'));
  EXPECT_TRUE(keys.back().scopes.holds(Scope::admin));
  const auto again =
      upkeep::create_token(folder, {"other", "a", Scope::read, std::string(64, 'b'), {}});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().at, "/name") << "a live token has the name";
  EXPECT_EQ(find("ledger").health, Health::ok);
}

TEST_F(FolderTest, a_token_is_not_added_under_a_running_server) {
  const auto server = DataFolder::open(folder);
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(upkeep::create_token(folder, admin_token("a")).error().code, Code::conflict);
  EXPECT_EQ(upkeep::create_token(temporary.path(), admin_token("a")).error().code, Code::not_found);
}

}  // namespace
}  // namespace hone
