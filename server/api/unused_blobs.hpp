// Deleting the bytes of checkpoints that were dropped. The ledger says which they are; nothing is
// deleted that a kept checkpoint names, nor what was put or claimed a short while ago: whoever put
// it is about to name it.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>

#include "schemas/types/instant.hpp"
#include "server/api/blobs.hpp"

namespace hone::api {

struct Freed {
  std::int64_t blobs = 0;
  std::int64_t bytes = 0;
};

// Looks through one of BlobStore::folders. `before`: now less the time of grace.
Freed delete_unused(SQLite::Database& db, const BlobStore& blobs, int folder, Instant before);

}  // namespace hone::api
