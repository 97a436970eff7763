// A cache of checkpoints on this machine, by their SHA-256.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "sdk/cpp/client.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {

// Thread-safe. Bounded: evicts the least recently used.
class BlobCache {
 public:
  // Creates the folder. Throws std::filesystem::filesystem_error if it cannot.
  explicit BlobCache(std::string folder, std::int64_t bytes_max = limits::cache_bytes_max);

  // The path of the blob; downloads it unless it is cached. A later call may evict it: link it at
  // once.
  Result<std::string> get(const ModelRef& model, Client& client);

 private:
  void make_room(const std::string& keep);

  std::string folder_;
  std::int64_t bytes_max_;
  std::mutex mutex_;  // one make_room at a time
};

}  // namespace hone::worker
