// What a run leaves in its own folder: how much it is, and which files of it to keep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::worker {

// Bytes on disk of all that is below `folder`, links not followed; stops counting beyond `enough`.
// More than a million files count as more than enough.
std::int64_t folder_bytes(const std::string& folder, std::int64_t enough);

struct OwnFile {
  std::string path;  // absolute
  std::string name;  // below the folder, with '/'
};

struct OwnFiles {
  std::vector<OwnFile> kept;  // by name
  std::string left_out;       // a sentence where something matched and is not kept
};

// The regular files that match one of the patterns: at most limits::artifacts_max of them, of at
// most limits::artifact_bytes_max together. Links are not followed.
OwnFiles find_files(const std::string& folder, const std::vector<std::string>& patterns);

}  // namespace hone::worker
