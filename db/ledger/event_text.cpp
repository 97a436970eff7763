#include "db/ledger/event_text.hpp"

#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>

#include <algorithm>
#include <memory>

#include "schemas/codec/event_codec.hpp"
#include "schemas/types/event.hpp"

namespace hone {
namespace {

struct CloseBlob {
  void operator()(sqlite3_blob* blob) const { sqlite3_blob_close(blob); }
};
using Blob = std::unique_ptr<sqlite3_blob, CloseBlob>;

void check(SQLite::Database& db, int code) {
  if (code != SQLITE_OK) throw SQLite::Exception(db.getHandle(), code);
}

// A SELECT would bring the whole value into memory.
Blob open(SQLite::Database& db, std::int64_t seq) {
  sqlite3_blob* opened = nullptr;
  const int code = sqlite3_blob_open(db.getHandle(), "main", "event", "body", seq, 0, &opened);
  Blob blob(opened);
  check(db, code);
  return blob;
}

std::size_t size_of(const Blob& blob) {
  return static_cast<std::size_t>(sqlite3_blob_bytes(blob.get()));
}

}  // namespace

bool is_import(std::string_view kind) { return kind == hone::kind(SweepImported{}); }

std::size_t body_bytes(SQLite::Database& db, std::int64_t seq) { return size_of(open(db, seq)); }

std::string read_body(SQLite::Database& db, std::int64_t seq, std::size_t from, std::size_t most) {
  const Blob blob = open(db, seq);
  const std::size_t size = size_of(blob);
  std::string bytes(std::min(most, size - std::min(size, from)), '\0');
  check(db, sqlite3_blob_read(blob.get(), bytes.data(), static_cast<int>(bytes.size()),
                              static_cast<int>(from)));
  return bytes;
}

}  // namespace hone
