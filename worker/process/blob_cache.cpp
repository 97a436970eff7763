#include "worker/process/blob_cache.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace hone::worker {
namespace fs = std::filesystem;

BlobCache::BlobCache(std::string folder, std::int64_t bytes_max)
    : folder_(std::move(folder)), bytes_max_(bytes_max) {
  fs::create_directories(folder_);
}

Result<std::string> BlobCache::get(const ModelRef& model, Client& client) {
  const fs::path path = fs::path(folder_) / model.sha256;
  std::error_code failure;
  const auto bytes = fs::file_size(path, failure);
  if (!failure && static_cast<std::int64_t>(bytes) == model.bytes) {
    fs::last_write_time(path, fs::file_time_type::clock::now(), failure);  // used now
    return path.string();
  }
  if (const Status got = client.get_blob(model.sha256, path); !got) return got.error();
  make_room(path);
  return path.string();
}

void BlobCache::make_room(const std::string& keep) {
  struct Entry {
    fs::file_time_type used;
    std::int64_t bytes;
    fs::path path;
  };
  const std::scoped_lock lock(mutex_);
  std::vector<Entry> entries;
  std::int64_t total = 0;
  std::error_code failure;
  for (const auto& file : fs::directory_iterator(folder_, failure)) {
    const auto bytes = static_cast<std::int64_t>(file.file_size(failure));
    if (failure) continue;  // removed meanwhile
    entries.push_back({file.last_write_time(failure), bytes, file.path()});
    total += bytes;
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const auto& entry : entries) {
    if (total <= bytes_max_) return;
    if (entry.path == keep) continue;
    fs::remove(entry.path, failure);
    total -= entry.bytes;
  }
}

}  // namespace hone::worker
