// Data folders and files: what is opened, what is refused, and what is said.
#include <fstream>

#include "db/file/migrate.hpp"
#include "tests/unit/db/given.hpp"

namespace hone {
namespace {

TEST(DataFolder, IsMadeWithItsBlobs) {
  TemporaryFolder temporary;
  const auto folder = DataFolder::open(temporary.path() / "a" / "b");
  ASSERT_TRUE(folder.ok());
  EXPECT_TRUE(std::filesystem::is_directory(folder->blobs()));
  EXPECT_EQ(folder->database(), temporary.path() / "a" / "b" / "hone.db");
}

TEST(DataFolder, BelongsToOneServer) {
  TemporaryFolder temporary;
  auto first = DataFolder::open(temporary.path());
  ASSERT_TRUE(first.ok());
  const auto second = DataFolder::open(temporary.path());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, Code::conflict);
  EXPECT_NE(second.error().detail.find("process " + std::to_string(getpid())), std::string::npos)
      << second.error().detail;
}

TEST(DataFolder, IsFreeAgainAfterItsServerAndFollowsAMove) {
  TemporaryFolder temporary;
  {
    auto first = DataFolder::open(temporary.path());
    ASSERT_TRUE(first.ok());
    DataFolder moved = std::move(*first);
    EXPECT_FALSE(DataFolder::open(temporary.path()).ok());
  }
  EXPECT_TRUE(DataFolder::open(temporary.path()).ok());
}

TEST(DataFolder, ThatCannotBeMadeIsRefused) {
  TemporaryFolder temporary;
  std::ofstream(temporary.file("plain")) << "a file";
  const auto folder = DataFolder::open(temporary.path() / "plain");
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, Code::invalid);
  EXPECT_NE(folder.error().detail.find("--data"), std::string::npos);
}

TEST(OpenDatabase, SetsUpWhatDurabilityNeeds) {
  TemporaryFolder temporary;
  const auto db = open_for_writing(temporary.file("hone.db"));
  ASSERT_TRUE(db.ok());
  EXPECT_EQ((*db)->execAndGet("PRAGMA journal_mode").getString(), "wal");
  EXPECT_EQ((*db)->execAndGet("PRAGMA synchronous").getInt(), 2);
  EXPECT_EQ((*db)->execAndGet("PRAGMA foreign_keys").getInt(), 1);
  EXPECT_EQ((*db)->execAndGet("PRAGMA user_version").getInt(), newest_schema());
  EXPECT_EQ((*db)->execAndGet("SELECT count(*) FROM migration WHERE length(sha256) = 64").getInt(),
            newest_schema());
}

TEST(OpenDatabase, AReaderSeesCommitsAndCannotWrite) {
  TemporaryFolder temporary;
  const auto db = open_for_writing(temporary.file("hone.db"));
  const auto reader = open_for_reading(temporary.file("hone.db"));
  ASSERT_TRUE(reader.ok());
  (*db)->exec("INSERT INTO event (seq, at, kind, body) VALUES (1, 0, 'x', '{}')");
  EXPECT_EQ((*reader)->execAndGet("SELECT count(*) FROM event").getInt(), 1);
  EXPECT_THROW((*reader)->exec("INSERT INTO event (seq, at, kind, body) VALUES (2, 0, 'x', '{}')"),
               SQLite::Exception);
}

TEST(OpenDatabase, RefusesANewerSchemaAndChangesNothing) {
  TemporaryFolder temporary;
  const auto file = temporary.file("hone.db");
  { (*open_for_writing(file))->exec("PRAGMA user_version = 9999"); }
  for (const auto& opened : {open_for_writing(file), open_for_reading(file)}) {
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, Code::conflict);
    EXPECT_EQ(opened.error().detail,
              "this data folder was written by a newer hone (schema 9999; this one supports up "
              "to " +
                  std::to_string(newest_schema()) + "): upgrade hone or use another --data");
  }
  SQLite::Database raw(file);
  EXPECT_EQ(raw.execAndGet("PRAGMA user_version").getInt(), 9999);
}

TEST(OpenDatabase, RefusesAFileThatIsNoDatabase) {
  TemporaryFolder temporary;
  std::ofstream(temporary.file("hone.db")) << std::string(8192, 'x');
  const auto opened = open_for_writing(temporary.file("hone.db"));
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::invalid);
  EXPECT_NE(opened.error().detail.find("not a hone database"), std::string::npos)
      << opened.error().detail;
}

TEST(OpenDatabase, RefusesADamagedFile) {
  TemporaryFolder temporary;
  const auto file = temporary.file("hone.db");
  { ASSERT_TRUE(open_for_writing(file).ok()); }
  {
    std::fstream raw(file, std::ios::in | std::ios::out | std::ios::binary);
    raw.seekp(100);  // the b-tree of the schema starts behind the file's header
    raw << std::string(200, '\x7f');
  }
  const auto opened = open_for_writing(file);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::invalid);
  EXPECT_NE(opened.error().detail.find("damaged"), std::string::npos) << opened.error().detail;
}

TEST(OpenDatabase, RefusesATruncatedFile) {
  TemporaryFolder temporary;
  const auto file = temporary.file("hone.db");
  { ASSERT_TRUE(open_for_writing(file).ok()); }
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const auto opened = open_for_writing(file);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::invalid);
}

TEST(OpenDatabase, RefusesTheDatabaseOfAnotherProgram) {
  TemporaryFolder temporary;
  const auto file = temporary.file("hone.db");
  {
    SQLite::Database(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE song (name)");
  }
  const auto opened = open_for_writing(file);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::invalid);
  EXPECT_NE(opened.error().detail.find("another program"), std::string::npos)
      << opened.error().detail;
}

TEST(OpenDatabase, RefusesAMigrationItDoesNotKnow) {
  TemporaryFolder temporary;
  const auto file = temporary.file("hone.db");
  { (*open_for_writing(file))->exec("UPDATE migration SET sha256 = 'other' WHERE version = 2"); }
  const auto opened = open_for_writing(file);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::invalid);
  EXPECT_NE(opened.error().detail.find("schema step 2"), std::string::npos)
      << opened.error().detail;
}

TEST(OpenDatabase, RefusesAFolderThatIsNotThere) {
  TemporaryFolder temporary;
  const auto opened = open_for_writing(temporary.file("missing/hone.db"));
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Code::invalid);
}

// Created below folders that are missing too; and what is made is synced, which no test can see.
TEST(DataFolder, IsMadeOfARelativePath) {
  TemporaryFolder temporary;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(temporary.path());
  EXPECT_TRUE(DataFolder::open("x/y").ok());
  EXPECT_TRUE(DataFolder::open("z").ok());
  std::filesystem::current_path(before);
  EXPECT_TRUE(std::filesystem::is_directory(temporary.path() / "x" / "y" / "blobs"));
}

TEST(OpenDatabase, SaysWhatToDoAboutAReadOnlyFile) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everything";
  TemporaryFolder temporary;
  const auto file = temporary.file("hone.db");
  { ASSERT_TRUE(open_for_writing(file).ok()); }
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  const auto opened = open_for_writing(file);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().detail.find("permissions"), std::string::npos) << opened.error().detail;
}

// A failed sync ends the server; what it had written is read back by the next one, and would be
// lost with a power cut together with all that was committed behind it.
TEST(OpenDatabase, FoldsWhatTheServerBeforeWroteIntoTheDatabase) {
  TemporaryFolder temporary;
  const auto file = temporary.file("hone.db");
  const auto crashed = open_for_writing(file);
  ASSERT_TRUE(crashed.ok());
  (*crashed)->exec("INSERT INTO event (seq, at, kind, body) VALUES (1, 0, 'x', '{}')");
  EXPECT_GT(std::filesystem::file_size(file + "-wal"), 0U);
  const auto next = open_for_writing(file);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(std::filesystem::file_size(file + "-wal"), 0U);
  EXPECT_EQ((*next)->execAndGet("SELECT count(*) FROM event").getInt(), 1);
}

}  // namespace
}  // namespace hone
