// What a sweep trains on, as a user names it on the command line.
#pragma once

#include <string>

#include "base/result.hpp"
#include "schemas/types/wire.hpp"

namespace hone::cli {

// A file: its name and the SHA-256 of its bytes. A folder: its name and the SHA-256 of what
// `sha256sum` prints of all files in it, by their paths in order of bytes. NAME=DIGEST and
// NAME@VERSION=DIGEST: as they stand. Refuses with invalid what is none of these, and a folder
// without files.
Result<DatasetInfo> dataset_of(const std::string& word);

}  // namespace hone::cli
