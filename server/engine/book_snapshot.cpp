#include "server/engine/book_snapshot.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/files.hpp"
#include "db/queries/queries.hpp"
#include "server/engine/archive.hpp"
#include "server/engine/book_archive.hpp"
#include "server/engine/ended_sweeps.hpp"
#include "server/engine/restored.hpp"
#include "server/limits.hpp"

namespace hone {
namespace {

constexpr std::string_view magic = "hone book snapshot\n";

// `stamp` is first: what follows it may differ between builds.
struct Contents {
  std::string stamp, event, book;
  std::int64_t seq = 0;
  std::uint64_t checksum = 0;
};

std::uint64_t sum_of(const Contents& c) {
  return checksum(c.book) ^ checksum(c.stamp + "|" + c.event + "|" + std::to_string(c.seq));
}

Error ignored(const std::string& why) { return refuse(Code::invalid, why); }

Result<Contents> read_contents(std::string_view text, std::string_view stamp) {
  if (!text.starts_with(magic)) return ignored("it is not a snapshot");
  try {
    ArchiveReader archive(text.substr(magic.size()));
    Contents contents;
    archive(contents.stamp);
    if (contents.stamp != stamp) return ignored("another build of hone wrote it");
    archive(contents.event, contents.book, contents.seq, contents.checksum);
    if (!archive.at_end() || sum_of(contents) != contents.checksum) return ignored("it is damaged");
    return contents;
  } catch (const std::runtime_error& trouble) {
    return ignored(std::string("it is damaged: ") + trouble.what());
  }
}

}  // namespace

std::string snapshot_text(const Book& book, std::int64_t seq, std::string_view event,
                          std::string_view stamp) {
  Contents contents{std::string(stamp), std::string(event), archive_book(book), seq, 0};
  contents.checksum = sum_of(contents);
  ArchiveWriter archive;
  archive(contents.stamp, contents.event, contents.book, contents.seq, contents.checksum);
  return std::string(magic) + archive.take();
}

Result<Restored> restore(std::string_view text, SQLite::Database& db, std::string_view stamp) {
  const auto contents = read_contents(text, stamp);
  if (!contents) return contents.error();
  if (contents->seq > last_seq(db)) return ignored("it is ahead of this ledger");
  if (contents->event != event_text(db, contents->seq)) return ignored("it is of another ledger");
  try {
    Restored restored{read_book(contents->book), contents->seq};
    if (archive_book(restored.book) != contents->book)
      return ignored("it does not reproduce its book");
    if (!holds_ended(db, restored.book, restored.seq, stamp))
      return ignored("the database lacks ended sweeps that it left there");
    return restored;
  } catch (const std::runtime_error& trouble) {
    return ignored(std::string("it is damaged: ") + trouble.what());
  }
}

SnapshotFile::SnapshotFile(std::filesystem::path file, SQLite::Database& db)
    : file_(std::move(file)), db_(db) {}

SnapshotFile::~SnapshotFile() { finish(); }

Result<std::int64_t> SnapshotFile::read() {
  std::ifstream in(file_, std::ios::binary);
  if (!in) return refuse(Code::not_found, "there is none");
  std::ostringstream text;
  text << in.rdbuf();
  auto restored = restore(text.str(), db_, book_stamp());
  if (!restored) return restored.error();
  size_ = static_cast<std::int64_t>(text.view().size());
  read_ = std::make_unique<Restored>(*std::move(restored));
  return read_->seq;
}

Restored SnapshotFile::take() {
  const auto read = std::exchange(read_, nullptr);
  return read == nullptr ? Restored{} : std::move(*read);
}

void SnapshotFile::consider(const Book& book, std::int64_t seq, std::int64_t bytes, bool last) {
  // The engine waits while the snapshot is made, and longer the larger the Book is. At least as
  // many bytes of events between two of them keep that to a few per cent of its work.
  const std::int64_t enough = std::max(limits::snapshot_bytes, size_);
  if (bytes - saved_bytes_ < (last ? limits::snapshot_bytes_least : enough)) return;
  finish();
  saved_bytes_ = bytes;
  auto text = snapshot_text(book, seq, event_text(db_, seq), book_stamp());
  size_ = static_cast<std::int64_t>(text.size());
  // A snapshot that cannot be written is no loss: the next boot replays more events.
  writing_ = std::thread([file = file_, text = std::move(text)] {
    [[maybe_unused]] const auto written = replace_file(file, text, {});
  });
  if (last) finish();
}

void SnapshotFile::finish() {
  if (writing_.joinable()) writing_.join();
}

}  // namespace hone
