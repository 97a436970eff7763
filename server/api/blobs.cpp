#include "server/api/blobs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "base/hex.hpp"

namespace hone::api {
namespace fs = std::filesystem;
namespace {

fs::path incoming(const fs::path& root) { return root / "incoming"; }

// Precondition: is_sha256_hex(digest). The folder of two digits keeps every folder below a few
// thousand files.
fs::path place_of(const fs::path& root, std::string_view digest) {
  return root / digest.substr(0, 2) / digest.substr(2);
}

Error disk_refuses(const std::string& what, const std::string& why) {
  return refuse(Code::unavailable, "the server cannot " + what + ": " + why);
}

Error disk_refuses(const std::string& what) { return disk_refuses(what, std::strerror(errno)); }

// A rename is durable once its folder is on the disk.
Status sync_names(const fs::path& folder) {
  if (auto synced = sync_folder(folder); !synced)
    return disk_refuses("write the folder of the blob", synced.error().detail);
  return Done{};
}

// Renames a file that is on the disk to the blob's place.
Status put_in_place(const fs::path& root, const fs::path& file, std::string_view digest) {
  const auto place = place_of(root, digest);
  std::error_code trouble;
  fs::create_directories(place.parent_path(), trouble);
  if (::rename(file.c_str(), place.c_str()) != 0) return disk_refuses("move the blob to its place");
  if (auto synced = sync_names(place.parent_path()); !synced) return synced;
  return sync_names(root);
}

Error no_blob(std::string_view digest) {
  return refuse(Code::not_found, "no blob " + std::string(digest) +
                                     " is here: it was never put, or its "
                                     "checkpoint was dropped (checkpoints.keep)");
}

// When the blob was last put or claimed.
std::optional<Instant> last_used(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return Instant{} + Duration{status.st_mtim.tv_sec * 1'000'000 + status.st_mtim.tv_nsec / 1000};
}

}  // namespace

Upload::Upload(fs::path root, fs::path file, FileHandle descriptor)
    : root_(std::move(root)), file_(std::move(file)), descriptor_(std::move(descriptor)) {}

Upload::~Upload() {
  if (descriptor_) ::unlink(file_.c_str());
}

Status Upload::append(std::string_view bytes) {
  if (auto written = write_all(descriptor_, bytes); !written)
    return disk_refuses("write the blob", written.error().detail);
  hash_.add(bytes);
  bytes_ += static_cast<std::int64_t>(bytes.size());
  return Done{};
}

Status Upload::finish(std::string_view digest) {
  const auto actual = hash_.finish();
  if (actual != digest)
    return refuse(Code::invalid, "the " + std::to_string(bytes_) +
                                     " bytes received have the SHA-256 " + actual +
                                     ", not the one in the path; send the file again");
  if (::fsync(descriptor_.fd()) != 0) return disk_refuses("write the blob");
  auto placed = put_in_place(root_, file_, digest);
  if (placed) descriptor_.close();  // there is nothing left to remove
  return placed;
}

BlobStore::BlobStore(fs::path root) : root_(std::move(root)) {
  fs::remove_all(incoming(root_));
  fs::create_directories(incoming(root_));
}

Result<Upload> BlobStore::begin() const {
  auto name = (incoming(root_) / "XXXXXX").string();
  FileHandle descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!descriptor) return disk_refuses("make a file for the blob");
  return Upload(root_, name, std::move(descriptor));
}

fs::path BlobStore::incoming_file(std::string_view digest) const {
  return incoming(root_) / ("standby-" + std::string(digest));
}

Status BlobStore::adopt(const fs::path& file, std::string_view digest) const {
  const auto actual = digest_of_file(file.string());
  if (!actual) return actual.error();
  if (actual->sha256 != digest) {
    std::error_code trouble;
    fs::remove(file, trouble);
    return refuse(Code::invalid,
                  "the blob " + std::string(digest) + " arrived as " + actual->sha256);
  }
  if (auto synced = sync_file(file); !synced)
    return disk_refuses("write the blob", synced.error().detail);
  return put_in_place(root_, file, digest);
}

Result<Blob> BlobStore::find(std::string_view digest) const {
  if (!is_sha256_hex(digest))
    return refuse(Code::invalid, "a blob is named by its SHA-256: 64 hex digits in lower case");
  Blob blob{place_of(root_, digest), 0};
  std::error_code trouble;
  const auto bytes = fs::file_size(blob.file, trouble);
  if (trouble) return no_blob(digest);
  blob.bytes = static_cast<std::int64_t>(bytes);
  return blob;
}

Result<OpenBlob> BlobStore::open(std::string_view digest) const {
  const auto found = find(digest);
  if (!found) return found.error();
  OpenBlob blob{FileHandle(::open(found->file.c_str(), O_RDONLY | O_CLOEXEC)), found->bytes};
  if (!blob.file && errno == ENOENT) return no_blob(digest);  // deleted since
  if (!blob.file) return disk_refuses("read the blob");
  return blob;
}

Result<Blob> BlobStore::claim(std::string_view digest) const {
  const std::lock_guard lock(claims_);
  auto blob = find(digest);
  if (blob && ::utimensat(AT_FDCWD, blob->file.c_str(), nullptr, 0) != 0)
    return disk_refuses("mark the blob as used");
  return blob;
}

std::vector<std::string> BlobStore::unused_since(Instant before, int folder) const {
  const auto number = static_cast<unsigned char>(folder);
  const auto prefix = hex({&number, 1});
  std::vector<std::string> digests;
  std::error_code trouble;
  for (const auto& entry : fs::directory_iterator(root_ / prefix, trouble)) {
    const auto digest = prefix + entry.path().filename().string();
    const auto used = last_used(entry.path());
    if (is_sha256_hex(digest) && used && *used < before) digests.push_back(digest);
  }
  return digests;
}

std::int64_t BlobStore::remove_unused(std::string_view digest, Instant before) const {
  const std::lock_guard lock(claims_);
  const auto blob = find(digest);
  if (!blob) return 0;
  const auto used = last_used(blob->file);
  if (!used || *used >= before) return 0;
  std::error_code trouble;
  return fs::remove(blob->file, trouble) ? blob->bytes : 0;
}

}  // namespace hone::api
