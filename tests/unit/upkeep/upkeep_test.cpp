// What `hone db` does to a data folder.
#include "server/upkeep/upkeep.hpp"

#include <fstream>

#include "db/ledger/chain.hpp"
#include "tests/unit/db/given.hpp"
#include "tests/unit/db/storm.hpp"

namespace hone {
namespace {

constexpr auto abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

struct UpkeepTest : testing::Test {
  TemporaryFolder temporary;
  std::filesystem::path folder = temporary.path() / "data";
  std::unique_ptr<SQLite::Database> db;

  UpkeepTest() {
    std::filesystem::create_directories(folder / "blobs");
    db = std::move(open_for_writing((folder / "hone.db").string()).value());
    FedLedger fed(*db);
    Storm(3, [&](const Command& c, Instant now) { return fed.perform(c, now); }).blow(100);
  }
  static void ignore(std::string_view, std::int64_t, std::int64_t) {}

  std::map<std::string, upkeep::Finding> look(const std::filesystem::path& at) {
    const auto found = upkeep::check(at, {}, ignore);
    EXPECT_TRUE(found.ok()) << found.error().detail;
    std::map<std::string, upkeep::Finding> named;
    for (const auto& one : *found) named[one.what] = one;
    return named;
  }
  void put_blob(const std::filesystem::path& at) const {
    std::filesystem::create_directories(at / "blobs" / "ba");
    std::ofstream(at / "blobs" / "ba" / std::string(abc).substr(2)) << "abc";
  }
};

TEST_F(UpkeepTest, a_backup_that_was_changed_and_linked_again_is_found_when_it_is_opened) {
  const auto copied = upkeep::back_up(folder, temporary.path() / "copy", true, ignore);
  ASSERT_TRUE(copied.ok()) << copied.error().detail;
  EXPECT_TRUE(copied->head.starts_with(std::to_string(copied->events) + ":")) << copied->head;
  auto copy = std::move(open_for_writing((copied->folder / "hone.db").string()).value());
  EXPECT_TRUE(check_kept_head(*copy, copied->folder).ok());
  // The newest event goes: all that are left fit their links.
  copy->exec("DROP TRIGGER event_stays");
  copy->exec("DELETE FROM event WHERE seq = (SELECT max(seq) FROM event)");
  EXPECT_TRUE(check_chain(*copy, 0, [](std::int64_t) {}).ok());
  EXPECT_FALSE(check_kept_head(*copy, copied->folder).ok());
  copy.reset();
  EXPECT_EQ(look(copied->folder)["backup"].health, upkeep::Health::fail);
  EXPECT_FALSE(look(folder).contains("backup")) << "no backup";
}

TEST_F(UpkeepTest, a_head_that_cannot_be_read_is_no_head) {
  for (const char* text : {"", "x", "12", "12:", ":ab", "99999999999999999999:ab", "0:\n"}) {
    std::ofstream(folder / head_file, std::ios::binary) << text;
    EXPECT_FALSE(check_kept_head(*db, folder).ok()) << text;
  }
}

TEST_F(UpkeepTest, ASoundFolderIsFoundSoundBeforeAndAfterACopy) {
  auto found = look(folder);
  for (const char* what : {"file", "foreign keys", "ledger", "snapshot", "query tables"})
    EXPECT_EQ(found[what].health, upkeep::Health::ok) << what << ": " << found[what].detail;
  const auto copied = upkeep::back_up(folder, temporary.path() / "copy", true, ignore);
  ASSERT_TRUE(copied.ok()) << copied.error().detail;
  EXPECT_EQ(look(copied->folder)["ledger"].detail, found["ledger"].detail);
  EXPECT_EQ(look(copied->folder)["query tables"].health, upkeep::Health::ok);
  EXPECT_EQ(upkeep::back_up(folder, temporary.path() / "copy", true, ignore).error().code,
            Code::conflict);
}

TEST_F(UpkeepTest, MissingAndDamagedCheckpointsAreNamed) {
  db->exec("UPDATE model SET dropped_at = NULL");  // as if all of them were kept
  EXPECT_EQ(look(folder)["blobs"].health, upkeep::Health::fail) << "the storm's have no bytes";
  put_blob(folder);
  EXPECT_EQ(look(folder)["orphans"].detail.substr(0, 7), "1 files");
  db->exec(std::string("UPDATE model SET sha256 = '") + abc + "'");
  EXPECT_EQ(look(folder)["blobs"].health, upkeep::Health::ok);
  std::ofstream(folder / "blobs" / "ba" / std::string(abc).substr(2)) << "abd";
  EXPECT_NE(look(folder)["blobs"].detail.find("1 damaged"), std::string::npos);
}

TEST_F(UpkeepTest, AQueryTableThatTheLedgerDoesNotTellIsNamed) {
  db->exec("UPDATE run SET reports = reports + 1");
  const auto found = look(folder)["query tables"];
  EXPECT_EQ(found.health, upkeep::Health::fail);
  EXPECT_NE(found.detail.find("run"), std::string::npos) << found.detail;
}

TEST_F(UpkeepTest, AFileThatIsCutShortIsNotSound) {
  db.reset();
  std::filesystem::resize_file(folder / "hone.db",
                               std::filesystem::file_size(folder / "hone.db") / 2);
  const auto found = upkeep::check(folder, {}, ignore);
  EXPECT_TRUE(!found.ok() || found->front().health == upkeep::Health::fail);
}

TEST_F(UpkeepTest, AFolderWithoutADatabaseIsNotFound) {
  EXPECT_EQ(upkeep::check(temporary.path(), {}, ignore).error().code, Code::not_found);
}

TEST_F(UpkeepTest, AnUpgradeRefusesBesideAServer) {
  const auto server = DataFolder::open(folder);
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(upkeep::upgrade(folder).error().code, Code::conflict);
}

struct PruneTest : UpkeepTest {
  static constexpr auto ended =
      " JOIN trial t ON t.id = p.trial JOIN sweep s ON s.id = t.sweep"
      " WHERE s.ended_at IS NOT NULL AND p.name = 'loss'";

  // Every run of every sweep gets a long and a short series.
  PruneTest() {
    db->exec("DELETE FROM metric_point");
    db->exec(
        "WITH RECURSIVE k(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM k WHERE n < 999)"
        " INSERT INTO metric_point SELECT trial, replicate, 'loss', 10 * n, n, 7 FROM run, k");
    db->exec(
        "INSERT INTO metric_point SELECT trial, replicate, 'few', step, value, at"
        " FROM metric_point WHERE step < 50");
  }
  static std::int64_t count(SQLite::Database& in, const std::string& rest) {
    return in.execAndGet("SELECT count(*) FROM metric_point p" + rest).getInt64();
  }
  Result<upkeep::PruneReport> prune(std::int64_t kept, const std::filesystem::path& to = {}) {
    return upkeep::prune(folder, {{}, kept, to}, ignore);
  }
};

TEST_F(PruneTest, ThinsOnlyLongSeriesOfEndedSweepsAndKeepsTheirEnds) {
  const auto before = count(*db, ""), of_ended = count(*db, ended);
  ASSERT_GT(of_ended, 0);
  ASSERT_GT(before, of_ended * 2) << "some sweeps run";
  const auto done = prune(20);
  ASSERT_TRUE(done.ok()) << done.error().detail;
  EXPECT_EQ(done->points, of_ended / 1000 * 980);
  EXPECT_EQ(count(*db, ""), before - done->points);
  EXPECT_EQ(count(*db, std::string(ended) + " AND step IN (0, 9990)"), of_ended / 1000 * 2);
  EXPECT_LT(done->bytes_after, done->bytes_before);
  const auto gap = db->execAndGet(
      "SELECT max(gap) FROM (SELECT step - lag(step) OVER"
      " (PARTITION BY p.trial, replicate ORDER BY step) AS gap"
      " FROM metric_point p" +
      std::string(ended) + ")");
  EXPECT_LE(gap.getInt(), 530) << "evenly: 1000 points in 19 steps";
  EXPECT_EQ(prune(20)->points, 0) << "a second time";
  EXPECT_EQ(look(folder)["query tables"].health, upkeep::Health::ok);
}

TEST_F(PruneTest, MovesThePointsToAnArchiveThatTakesMoreLater) {
  const auto before = count(*db, "");
  const auto file = temporary.path() / "old.db";
  ASSERT_TRUE(prune(100, file).ok());
  const auto done = prune(2, file);
  ASSERT_TRUE(done.ok()) << done.error().detail;
  SQLite::Database archive(file.string(), SQLite::OPEN_READONLY);
  EXPECT_EQ(count(archive, "") + count(*db, ""), before);
  EXPECT_EQ(
      archive.execAndGet("SELECT count(*) FROM metric_point WHERE step <> 10 * value").getInt(), 0);
}

// Trials have the same numbers in every ledger: the points of one once replaced the other's.
TEST_F(PruneTest, RefusesTheArchiveOfAnotherFolderAndPointsOfOtherRunsWithTheSameNumber) {
  const auto file = temporary.path() / "old.db";
  ASSERT_TRUE(prune(100, file).ok());
  const auto before = count(*db, "");
  db->exec("UPDATE metric_point SET value = value + 1 WHERE step % 20 = 10");  // after a restore
  db->exec(
      "INSERT OR IGNORE INTO metric_point SELECT trial, replicate, name, step + 10, -1, 8"
      " FROM metric_point WHERE name = 'loss'");
  EXPECT_EQ(prune(2, file).error().code, Code::invalid);
  EXPECT_GE(count(*db, ""), before) << "nothing was deleted";
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE source SET first_event = 'another'");
  const auto refused = prune(2, file).error();
  EXPECT_NE(refused.detail.find("another data folder"), std::string::npos) << refused.detail;
}

TEST_F(PruneTest, RefusesAnotherDatabaseAsArchiveAndAFolderInUse) {
  const auto other = temporary.path() / "other.db";
  SQLite::Database(other.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE family (name TEXT)");
  EXPECT_EQ(prune(2, other).error().code, Code::invalid);
  EXPECT_EQ(prune(2, temporary.path() / "no" / "such.db").error().code, Code::unavailable);
  const auto before = count(*db, "");
  const auto server = DataFolder::open(folder);
  EXPECT_EQ(prune(2).error().code, Code::conflict);
  EXPECT_EQ(count(*db, ""), before);
}

}  // namespace
}  // namespace hone
