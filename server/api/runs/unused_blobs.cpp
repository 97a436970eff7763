#include "server/api/runs/unused_blobs.hpp"

#include "db/queries/queries.hpp"

namespace hone::api {

Freed delete_unused(SQLite::Database& db, const BlobStore& blobs, int folder, Instant before) {
  Freed freed;
  for (const auto& digest : blobs.unused_since(before, folder)) {
    if (is_kept(db, digest)) continue;
    const auto bytes = blobs.remove_unused(digest, before);
    if (bytes == 0) continue;
    ++freed.blobs;
    freed.bytes += bytes;
  }
  return freed;
}

}  // namespace hone::api
