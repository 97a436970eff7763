// A cache of checkpoints on this machine, by their SHA-256.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "sdk/cpp/client.hpp"
#include "worker/agent/limits.hpp"

namespace hone::worker {

// Thread-safe. Bounded: evicts the least recently used. A cached file is never given to a process:
// a program that opens its checkpoint for writing would change it for every run that follows.
class BlobCache {
 public:
  // Creates the folder. Throws std::filesystem::filesystem_error if it cannot.
  explicit BlobCache(std::string folder, std::int64_t bytes_max = limits::cache_bytes_max);

  // The path of the blob; downloads it unless it is cached. A later call may evict it.
  Result<std::string> get(const ModelRef& model, Client& client);

  // The path of a copy of the blob for this lease, whose bytes have the model's digest. The caller
  // owns the file. Where the file system can, the copy shares its blocks with the cached file.
  Result<std::string> copy_for(LeaseId lease, const ModelRef& model, Client& client);

  // The same of several files, in a folder: each is a copy at its name.
  Result<std::string> folder_for(LeaseId lease, const std::vector<FileRef>& files, Client& client);

 private:
  Status copy_to(const std::string& path, const ModelRef& blob, Client& client);
  void make_room(const std::string& keep);
  void remove_old_copies() const;
  [[nodiscard]] std::string copy_path(LeaseId lease) const;

  std::string folder_;
  std::int64_t bytes_max_;
  std::mutex mutex_;  // one make_room at a time
};

}  // namespace hone::worker
