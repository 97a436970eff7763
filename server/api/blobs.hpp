// Checkpoints by content: blobs/ab/cdef... holds the bytes of digest abcdef... and never changes.
// Thread-safe; every function may wait for the disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.hpp"
#include "base/result.hpp"
#include "base/sha256.hpp"
#include "schemas/types/instant.hpp"

namespace hone::api {

struct Blob {
  std::filesystem::path file;
  std::int64_t bytes = 0;
};

// A blob that can be read to its end even if it is deleted meanwhile.
struct OpenBlob {
  FileHandle file;
  std::int64_t bytes = 0;
};

// An upload in progress: bytes go to a temporary file and into the digest. The destructor deletes
// the file of an unfinished upload.
class Upload {
 public:
  Upload(Upload&&) noexcept = default;
  Upload& operator=(Upload&&) = delete;
  ~Upload();

  Status append(std::string_view bytes);
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  // Makes the blob durable under its name. Refuses (invalid) bytes with another digest.
  Status finish(std::string_view digest);

 private:
  friend class BlobStore;
  Upload(std::filesystem::path root, std::filesystem::path file, FileHandle descriptor);

  std::filesystem::path root_;
  std::filesystem::path file_;  // the temporary one
  FileHandle descriptor_;
  std::int64_t bytes_ = 0;
  Sha256 hash_;
};

class BlobStore {
 public:
  // Creates a missing folder and removes the files of interrupted uploads. Throws
  // std::filesystem_error if it cannot: the process must not start.
  explicit BlobStore(std::filesystem::path root);

  // Refuses (unavailable) if the file cannot be created.
  [[nodiscard]] Result<Upload> begin() const;

  // A new file for a blob that another program writes, to be kept by adopt() or removed.
  [[nodiscard]] std::filesystem::path incoming_file(std::string_view digest) const;
  // Makes the file durable as the blob. Refuses (invalid) a file with another digest, which is
  // removed, and (unavailable) if it cannot be moved.
  [[nodiscard]] Status adopt(const std::filesystem::path& file, std::string_view digest) const;

  // Refuses (invalid) a text that is no digest and (not_found) an unknown digest.
  [[nodiscard]] Result<Blob> find(std::string_view digest) const;

  // As find, for reading it. Refuses (unavailable) a file that cannot be opened.
  [[nodiscard]] Result<OpenBlob> open(std::string_view digest) const;

  // As find, for a command that is about to name the blob: counts as a use of it.
  [[nodiscard]] Result<Blob> claim(std::string_view digest) const;

  // The number of folders that hold the blobs.
  static constexpr int folders = 256;
  // Digests in one of the folders that were neither put nor claimed since `before`.
  [[nodiscard]] std::vector<std::string> unused_since(Instant before, int folder) const;
  // Deletes a blob unless it was put or claimed since `before`. Returns its size, or 0 if it stays.
  std::int64_t remove_unused(std::string_view digest, Instant before) const;

 private:
  std::filesystem::path root_;
  mutable std::mutex claims_;  // orders a claim and a removal of the same blob
};

}  // namespace hone::api
