// A Book kept as a snapshot: what it gives back, and what must not be used.
#include <fstream>

#include "db/queries/queries.hpp"
#include "server/engine/book_archive.hpp"
#include "server/engine/book_snapshot.hpp"
#include "server/limits.hpp"
#include "tests/unit/db/given.hpp"
#include "tests/unit/db/storm.hpp"
#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

constexpr std::string_view ours = "this build";

Book replayed(SQLite::Database& db, Restored from = {}) {
  Ledger(db).replay(from.seq, [&](const Event& event) { evolve(from.book, event); });
  return std::move(from.book);
}

struct SnapshotTest : testing::Test {
  std::unique_ptr<SQLite::Database> db = open_in_memory();
  FedLedger fed{*db};

  void blow(std::uint64_t seed, int commands) {
    Storm(seed, [this](const Command& c, Instant now) {
      return fed.perform(c, now);
    }).blow(commands);
  }
  std::string snapshot() {
    return snapshot_text(fed.book, fed.seq, event_text(*db, fed.seq), ours);
  }
};

TEST(Snapshot, AndTheEventsSinceGiveTheBookOfAFullReplay) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto own = open_in_memory();
    FedLedger ledger(*own);
    std::vector<std::string> taken;
    int commands = 0;
    Storm storm(seed, [&](const Command& c, Instant now) {
      if (++commands % 37 == 0)
        taken.push_back(snapshot_text(ledger.book, ledger.seq, event_text(*own, ledger.seq), ours));
      return ledger.perform(c, now);
    });
    storm.blow(200);
    const std::string whole = archive_book(replayed(*own));
    EXPECT_EQ(archive_book(ledger.book), whole) << "live, seed " << seed;
    for (const std::string& text : taken) {
      auto restored = restore(text, *own, ours);
      ASSERT_TRUE(restored.ok()) << restored.error().detail;
      EXPECT_EQ(archive_book(replayed(*own, *std::move(restored))), whole) << "seed " << seed;
    }
  }
}

TEST(Snapshot, KeepsWhatASweepWasToldOfEarlyRanks) {
  Given given;
  const WorkerId worker = given.join();
  const SweepId earlier = given.submit(small_spec(3, 10), "earlier");
  for (int run = 0; run < 3; ++run) {
    const auto grant = given.acquire(worker, std::to_string(run));
    for (int phase = 0; phase < 10; ++phase) given.report(grant->lease, phase, Score::of(run));
  }
  SweepSpec spec = small_spec(3, 10);
  spec.search.warm_start = {earlier};
  spec.terminator = {"hone", {{"version", 4}}};
  const SweepId later = given.submit(spec, "later");
  ASSERT_TRUE(given.sweep(later).rank_prior);
  const Book read = read_book(archive_book(given.book));
  EXPECT_EQ(read.sweeps.at(later).rank_prior, given.sweep(later).rank_prior);
  EXPECT_EQ(read.sweeps.at(earlier).rank_prior, std::nullopt);
}

TEST_F(SnapshotTest, ThatIsDamagedAnywhereIsIgnored) {
  blow(1, 60);
  const std::string text = snapshot();
  ASSERT_TRUE(restore(text, *db, ours).ok());
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    EXPECT_FALSE(restore(damaged, *db, ours).ok()) << "byte " << at;
  }
  for (std::size_t size = 0; size < text.size(); size += 7)
    EXPECT_FALSE(restore(text.substr(0, size), *db, ours).ok()) << "cut to " << size;
  EXPECT_FALSE(restore(text + "x", *db, ours).ok());
}

TEST_F(SnapshotTest, OfAnotherBuildIsIgnored) {
  blow(1, 60);
  const auto refused = restore(snapshot(), *db, "another build");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().detail.find("another build"), std::string::npos);
}

TEST_F(SnapshotTest, OfAnotherLedgerIsIgnored) {
  blow(1, 60);
  const std::string text = snapshot();
  const auto other = open_in_memory();
  FedLedger elsewhere(*other);
  EXPECT_FALSE(restore(text, *other, ours).ok()) << "ahead of an empty ledger";
  Storm(2, [&](const Command& c, Instant now) { return elsewhere.perform(c, now); }).blow(200);
  ASSERT_GT(elsewhere.seq, fed.seq);
  EXPECT_FALSE(restore(text, *other, ours).ok());
}

TEST_F(SnapshotTest, IsWrittenWhenItPaysAndReadAtTheNextBoot) {
  TemporaryFolder folder;
  SnapshotFile file(folder.file("book.snapshot"), *db);
  EXPECT_EQ(file.read().error().code, Code::not_found);
  blow(1, 60);
  const auto bytes = [&] { return fed.ledger.event_bytes(); };
  file.consider(fed.book, fed.seq, bytes(), true);
  EXPECT_EQ(file.read().error().code, Code::not_found) << "too few bytes to be worth a file";
  const std::string host(50'000, 'h');  // few events can be many bytes, as of an import
  while (bytes() < limits::snapshot_bytes_least)
    fed.must<JoinReply>(Join{{"w" + std::to_string(fed.seq), host, 1, 64, 0, "test"}},
                        fed.book.last_at);
  file.consider(fed.book, fed.seq, bytes(), false);
  EXPECT_EQ(file.read().error().code, Code::not_found) << "only at shutdown";
  file.consider(fed.book, fed.seq, bytes(), true);
  const auto seq = file.read();
  ASSERT_TRUE(seq.ok()) << seq.error().detail;
  EXPECT_EQ(*seq, fed.seq);
  EXPECT_EQ(archive_book(file.take().book), archive_book(fed.book));
  EXPECT_EQ(file.take().seq, 0) << "what was read is taken once";
  std::ofstream(folder.file("book.snapshot"), std::ios::app) << "x";
  EXPECT_EQ(file.read().error().code, Code::invalid);
}

}  // namespace
}  // namespace hone
