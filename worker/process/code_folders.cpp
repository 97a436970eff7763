#include "worker/process/code_folders.hpp"

#include <fcntl.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "sdk/cpp/code_snapshot.hpp"

namespace hone::worker {
namespace {

namespace fs = std::filesystem;

}  // namespace

CodeFolders::CodeFolders(std::string folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  fs::create_directories(folder_, ignored);
  fs::permissions(folder_, fs::perms::owner_all, ignored);
}

Result<UnpackedCode> CodeFolders::take(LeaseId lease, const CodeSnapshot& code, BlobCache& cache,
                                       Client& client) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = kept_.find(code.sha256); known != kept_.end()) {
      known->second.leases.insert(lease);
      known->second.used = ++takes_;
      return known->second.code;
    }
  }
  if (code.bytes > snapshot_bytes_max)
    return refuse(Code::invalid, "the snapshot has more than " +
                                     std::to_string(snapshot_bytes_max >> 20U) + " MiB");
  auto file = cache.get({.id = {}, .sha256 = code.sha256, .bytes = code.bytes}, client);
  if (!file) return file.error();
  const std::scoped_lock lock(mutex_);
  auto known = kept_.find(code.sha256);
  if (known == kept_.end()) {
    auto unpacked = unpack(code, *file);
    if (!unpacked) return unpacked.error();
    known = kept_.emplace(code.sha256, Kept{*std::move(unpacked), {}, 0}).first;
  }
  known->second.leases.insert(lease);
  known->second.used = ++takes_;
  make_room();
  return known->second.code;
}

void CodeFolders::release(LeaseId lease) {
  const std::scoped_lock lock(mutex_);
  for (auto& [digest, kept] : kept_) kept.leases.erase(lease);
}

Result<UnpackedCode> CodeFolders::unpack(const CodeSnapshot& code, const std::string& file) const {
  const std::string bytes = read_to_end(FileHandle(::open(file.c_str(), O_RDONLY | O_CLOEXEC)));
  std::error_code ignored;
  if (sha256_hex(bytes) != code.sha256) {
    fs::remove(file, ignored);  // the next try downloads it again
    return refuse(Code::internal, "the cached file " + code.sha256 + " is damaged");
  }
  const fs::path place = fs::path(folder_) / code.sha256;
  fs::remove_all(place, ignored);
  fs::create_directory(place, ignored);
  auto origin = unpack_snapshot(bytes, place / "code");
  if (origin && !origin->patch.empty())
    if (auto kept = replace_file(place / "patch", origin->patch, {.mode = 0600}); !kept)
      origin = refuse(Code::internal, "the patch cannot be written: " + kept.error().detail);
  if (!origin) {
    fs::remove_all(place, ignored);
    return origin.error();
  }
  return UnpackedCode{place / "code", origin->git_commit, origin->git_branch,
                      origin->patch.empty() ? std::string() : (place / "patch").string()};
}

void CodeFolders::make_room() {
  while (kept_.size() > limits::code_folders_max) {
    auto oldest = kept_.end();
    for (auto one = kept_.begin(); one != kept_.end(); ++one)
      if (one->second.leases.empty() &&
          (oldest == kept_.end() || one->second.used < oldest->second.used))
        oldest = one;
    if (oldest == kept_.end()) return;
    std::error_code ignored;
    fs::remove_all(fs::path(folder_) / oldest->first, ignored);
    kept_.erase(oldest);
  }
}

}  // namespace hone::worker
