// What `hone db` does to a data folder.
#include "server/upkeep/upkeep.hpp"

#include <fstream>

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
    const auto found = upkeep::check(at, ignore);
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
  const auto found = upkeep::check(folder, ignore);
  EXPECT_TRUE(!found.ok() || found->front().health == upkeep::Health::fail);
}

TEST_F(UpkeepTest, AFolderWithoutADatabaseIsNotFound) {
  EXPECT_EQ(upkeep::check(temporary.path(), ignore).error().code, Code::not_found);
}

TEST_F(UpkeepTest, AnUpgradeRefusesBesideAServer) {
  const auto server = DataFolder::open(folder);
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(upkeep::upgrade(folder).error().code, Code::conflict);
}

}  // namespace
}  // namespace hone
