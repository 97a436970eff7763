#include "server/api/blobs.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "base/hex.hpp"

namespace hone::api {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t digest_digits = 64;

fs::path incoming(const fs::path& root) { return root / "incoming"; }

// Precondition: is_digest(digest). Folders of two digits keep each below a few thousand files.
fs::path place_of(const fs::path& root, std::string_view digest) {
  return root / digest.substr(0, 2) / digest.substr(2);
}

Error disk_refuses(const std::string& what) {
  return refuse(Code::unavailable, "the server cannot " + what + ": " + std::strerror(errno));
}

Status write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return disk_refuses("write the blob");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Done{};
}

// A rename is durable once its folder is synced.
Status sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return disk_refuses("open the folder of the blob");
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  if (!synced) return disk_refuses("write the folder of the blob");
  return Done{};
}

// When the blob was last put or claimed.
std::optional<Instant> last_used(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return Instant{} + Duration{status.st_mtim.tv_sec * 1'000'000 + status.st_mtim.tv_nsec / 1000};
}

}  // namespace

bool is_digest(std::string_view text) {
  if (text.size() != digest_digits) return false;
  for (const char c : text)
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  return true;
}

void Upload::FreeDigest::operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }

Upload::Upload(fs::path root, fs::path file, int descriptor)
    : root_(std::move(root)),
      file_(std::move(file)),
      descriptor_(descriptor),
      context_(EVP_MD_CTX_new()) {
  EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
}

Upload::Upload(Upload&& other) noexcept
    : root_(std::move(other.root_)),
      file_(std::move(other.file_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(other.bytes_),
      context_(std::move(other.context_)) {}

Upload::~Upload() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(file_.c_str());
}

Status Upload::append(std::string_view bytes) {
  if (auto written = write_all(descriptor_, bytes); !written) return written;
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
  bytes_ += static_cast<std::int64_t>(bytes.size());
  return Done{};
}

Status Upload::finish(std::string_view digest) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context_.get(), sum.data(), &size);
  const auto actual = hex(sum.data(), size);
  if (actual != digest)
    return refuse(Code::invalid, "the " + std::to_string(bytes_) +
                                     " bytes received have the SHA-256 " + actual +
                                     ", not the one in the path; send the file again");
  if (::fsync(descriptor_) != 0) return disk_refuses("write the blob");
  const auto place = place_of(root_, digest);
  std::error_code trouble;
  fs::create_directories(place.parent_path(), trouble);
  if (::rename(file_.c_str(), place.c_str()) != 0)
    return disk_refuses("move the blob to its place");
  ::close(std::exchange(descriptor_, -1));
  if (auto synced = sync_folder(place.parent_path()); !synced) return synced;
  return sync_folder(root_);
}

BlobStore::BlobStore(fs::path root) : root_(std::move(root)) {
  fs::remove_all(incoming(root_));
  fs::create_directories(incoming(root_));
}

Result<Upload> BlobStore::begin() const {
  auto name = (incoming(root_) / "XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return disk_refuses("make a file for the blob");
  return Upload(root_, name, descriptor);
}

Result<Blob> BlobStore::find(std::string_view digest) const {
  if (!is_digest(digest))
    return refuse(Code::invalid, "a blob is named by its SHA-256: 64 hex digits in lower case");
  Blob blob{place_of(root_, digest), 0};
  std::error_code trouble;
  const auto bytes = fs::file_size(blob.file, trouble);
  if (trouble)
    return refuse(Code::not_found, "no blob " + std::string(digest) +
                                       " is here: it was never put, or its "
                                       "checkpoint was dropped (checkpoints.keep)");
  blob.bytes = static_cast<std::int64_t>(bytes);
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
  const auto prefix = hex(&number, 1);
  std::vector<std::string> digests;
  std::error_code trouble;
  for (const auto& entry : fs::directory_iterator(root_ / prefix, trouble)) {
    const auto digest = prefix + entry.path().filename().string();
    const auto used = last_used(entry.path());
    if (is_digest(digest) && used && *used < before) digests.push_back(digest);
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
