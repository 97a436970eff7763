// Checkpoints by content: the file of a digest lies under blobs/ab/cdef... and never changes. Safe
// to use from several threads at once; every function here may wait for the disk.
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

// A blob on its way in: bytes go to a temporary file and into the digest. Left unfinished, it
// leaves nothing behind.
class Upload {
 public:
  Upload(Upload&&) noexcept = default;
  Upload& operator=(Upload&&) = delete;
  ~Upload();

  Status append(std::string_view bytes);
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

  // Makes the blob durable under its name. Refuses (invalid) when the bytes have another digest.
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
  // Creates the folder where it is missing and removes what interrupted uploads left. Throws
  // std::filesystem_error when it cannot: the process cannot start.
  explicit BlobStore(std::filesystem::path root);

  // Refuses (unavailable) when the disk does.
  [[nodiscard]] Result<Upload> begin() const;

  // Refuses invalid for a digest that is none, not_found for one that was never put.
  [[nodiscard]] Result<Blob> find(std::string_view digest) const;

  // find, for whoever is about to name the blob in a command: it counts as used from now on.
  [[nodiscard]] Result<Blob> claim(std::string_view digest) const;

  // The blobs are spread over this many folders, to be looked through one by one.
  static constexpr int folders = 256;
  // Digests in one of them that were neither put nor claimed since `before`.
  [[nodiscard]] std::vector<std::string> unused_since(Instant before, int folder) const;
  // Deletes a blob unless it was put or claimed since `before`; its bytes, or 0 when it stays.
  std::int64_t remove_unused(std::string_view digest, Instant before) const;

 private:
  std::filesystem::path root_;
  mutable std::mutex claims_;  // a claim and a removal of the same blob: one of them comes first
};

}  // namespace hone::api
