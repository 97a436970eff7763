// The dataset of a sweep, as named on the command line.
#pragma once

#include <string>

#include "base/result.hpp"
#include "schemas/types/info.hpp"

namespace hone::cli {

// Accepts
//   a file        its name and the SHA-256 of its bytes,
//   a folder      its name and the SHA-256 of what `sha256sum` prints for its files, by path,
//   NAME=DIGEST   or NAME@VERSION=DIGEST, unchanged.
// Rejects anything else, and a folder without files, with `invalid`.
Result<DatasetInfo> dataset_of(const std::string& word);

}  // namespace hone::cli
