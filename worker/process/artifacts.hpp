// The files that a run leaves in its folder: their size, and which of them are kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone::worker {

// Bytes on disk of everything below `folder`, without following links; stops counting beyond
// `enough`. A million entries count as more than enough.
std::int64_t folder_bytes(const std::string& folder, std::int64_t enough);

struct Artifact {
  std::string path;  // absolute
  std::string name;  // relative to the folder
};

struct Artifacts {
  std::vector<Artifact> kept;  // by name
  std::string left_out;        // a sentence if some file matched and is not kept, else empty
};

// The regular files that match one of the patterns: at most limits::artifacts_max of them, of at
// most limits::artifact_bytes_max together. Does not follow links, and leaves out the folders
// `except` in it.
Artifacts find_artifacts(const std::string& folder, const std::vector<std::string>& patterns,
                         const std::vector<std::string>& except = {});

}  // namespace hone::worker
