// Checkpoints on this machine, by content.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "sdk/cpp/client.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {

// Thread-safe. Bounded: the least recently used go first.
class BlobCache {
 public:
  // Makes the folder. Throws std::filesystem::filesystem_error when it cannot.
  explicit BlobCache(std::string folder, std::int64_t bytes_max = limits::cache_bytes_max);

  // The path of the blob, fetched from the server unless it is here. It stays until others are
  // used: link it at once.
  Result<std::string> get(const ModelRef& model, Client& client);

 private:
  void make_room(const std::string& keep);

  std::string folder_;
  std::int64_t bytes_max_;
  std::mutex mutex_;  // of make_room
};

}  // namespace hone::worker
