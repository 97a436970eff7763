#include "worker/process/blob_cache.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/files.hpp"
#include "base/sha256.hpp"

namespace hone::worker {
namespace fs = std::filesystem;
namespace {

Error cannot_copy(const std::string& path) {
  return refuse(Code::internal, "the file cannot be copied to " + path + ": " +
                                    std::strerror(errno) + "; is the disk full?");
}

Status copy_bytes(const FileHandle& from, const FileHandle& to, const std::string& path) {
  if (::ioctl(to.fd(), FICLONE, from.fd()) == 0) return Done{};
  std::array<char, 256 * 1024> piece;
  for (;;) {
    const auto got = ::read(from.fd(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_copy(path);
    if (got == 0) return Done{};
    if (!write_all(to, {piece.data(), static_cast<std::size_t>(got)})) return cannot_copy(path);
  }
}

// Copies the file and checks the bytes of the copy, which no other process has opened.
Status copy_checked(const std::string& from, const std::string& to, const ModelRef& model) {
  const FileHandle source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  ::unlink(to.c_str());
  const FileHandle copy(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!source || !copy) return cannot_copy(to);
  if (auto copied = copy_bytes(source, copy, to); !copied) return copied;
  const auto digest = digest_of_file(to);
  if (!digest) return digest.error();
  if (digest->sha256 == model.sha256) return Done{};
  return refuse(Code::conflict, "the cached file " + model.sha256 + " is damaged");
}

}  // namespace

BlobCache::BlobCache(std::string folder, std::int64_t bytes_max)
    : folder_(std::move(folder)), bytes_max_(bytes_max) {
  std::error_code ignored;
  fs::remove_all(fs::path(folder_) / "copies", ignored);  // of an earlier process
  fs::create_directories(fs::path(folder_) / "copies");
  fs::permissions(folder_, fs::perms::owner_all);
}

std::string BlobCache::copy_path(LeaseId lease) const {
  return fs::path(folder_) / "copies" / text(lease);
}

// Of attempts that were lost before their process started.
void BlobCache::remove_old_copies() const {
  std::error_code ignored;
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const auto& copy : fs::directory_iterator(fs::path(folder_) / "copies", ignored))
    if (copy.last_write_time(ignored) < long_ago) fs::remove_all(copy.path(), ignored);
}

Result<std::string> BlobCache::copy_for(LeaseId lease, const ModelRef& model, Client& client) {
  remove_old_copies();
  auto path = copy_path(lease);
  if (auto copied = copy_to(path, model, client); !copied) return copied.error();
  return path;
}

Result<std::string> BlobCache::folder_for(LeaseId lease, const std::vector<FileRef>& files,
                                          Client& client) {
  remove_old_copies();
  const fs::path folder = copy_path(lease) + "-inputs";
  std::error_code failure;
  fs::remove_all(folder, failure);  // of a request whose reply was lost
  for (const FileRef& file : files) {
    const fs::path path = folder / file.name;
    fs::create_directories(path.parent_path(), failure);
    if (failure)
      return refuse(Code::internal, path.parent_path().string() + " cannot be created: " +
                                        failure.message() + "; is the disk full?");
    const ModelRef blob{.id = {}, .sha256 = file.sha256, .bytes = file.bytes};
    if (auto copied = copy_to(path, blob, client); !copied)
      return refuse(copied.error().code, file.name + ": " + copied.error().detail);
    fs::last_write_time(folder, fs::file_time_type::clock::now(), failure);  // it is in use
  }
  for (const FileRef& file : files)
    if (!fs::exists(folder / file.name, failure))
      return refuse(Code::internal, file.name + " was removed while others were fetched");
  return folder.string();
}

Status BlobCache::copy_to(const std::string& path, const ModelRef& blob, Client& client) {
  auto cached = get(blob, client);
  if (!cached) return cached.error();
  auto copied = copy_checked(*cached, path, blob);
  if (copied || copied.error().code != Code::conflict) return copied;
  std::error_code ignored;
  fs::remove(*cached, ignored);  // download it again, once
  cached = get(blob, client);
  if (!cached) return cached.error();
  copied = copy_checked(*cached, path, blob);
  if (copied || copied.error().code != Code::conflict) return copied;
  return refuse(Code::internal, copied.error().detail + " after a new download; check this disk");
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
