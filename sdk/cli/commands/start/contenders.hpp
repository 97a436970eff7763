// The methods that one simulation compares.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/spec.hpp"

namespace hone::cli {

struct Contender {
  std::string name;
  SweepSpec spec;
};

// The sweep file's own method first, then one for each "[METHOD/]RULE[:NAME=VALUE,...]". A rival
// without METHOD searches at random.
Result<std::vector<Contender>> read_contenders(const SweepSpec& own,
                                               const std::vector<std::string>& against);

}  // namespace hone::cli
