// A snapshot of code: the tracked files of a folder as they are now, with what identifies them. It
// travels as one blob: a line of JSON that names the files, the uncommitted patch, then the bytes
// of each file. Other files stay behind. A program may unpack what another user packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hone {

// Code, not data: the sources of a million lines have about 40 MB. A worker holds a snapshot in
// memory while it unpacks it.
inline constexpr std::int64_t snapshot_bytes_max = std::int64_t{64} << 20U;
inline constexpr std::size_t snapshot_files_max = 20'000;  // and as many folders
// Bounds the line that names the files: 20,000 of 200 bytes.
inline constexpr std::size_t snapshot_line_bytes_max = std::size_t{4} << 20U;

struct SnapshotOrigin {
  std::string git_commit;
  std::string git_branch{};
  std::string patch{};  // `git diff HEAD`, which the files contain
};

struct PackedSnapshot {
  std::string bytes;
  std::size_t files = 0;
  std::string patch{};
  std::vector<std::string> left_out{};  // "data (a link that leaves the folder)"
};

// Refuses (invalid) a folder that is not in a git repository with a commit, that has no tracked
// file, or too many or too large ones. git runs without what a repository configures (git.hpp).
Result<PackedSnapshot> pack_snapshot(const std::string& folder);

// Writes the files into `folder`, which must not exist. Refuses (invalid) what pack_snapshot cannot
// have written, above all names and links that lead out of the folder; then `folder` is incomplete.
Result<SnapshotOrigin> unpack_snapshot(std::string_view bytes, const std::string& folder);

}  // namespace hone
