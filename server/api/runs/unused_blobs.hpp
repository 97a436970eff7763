// Deletes the files of dropped checkpoints. Keeps every file that a kept checkpoint names, and
// every file that was put or claimed recently: a command is about to name it.
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

// Checks one of BlobStore::folders. `before`: now minus the grace time.
Freed delete_unused(SQLite::Database& db, const BlobStore& blobs, int folder, Instant before);

}  // namespace hone::api
