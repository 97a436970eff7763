// The methods that one simulation compares.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/spec.hpp"

namespace hone::cli {

struct Method {
  std::string name;
  SweepSpec spec;
};

// The sweep file's own method, then one for each "[METHOD/]RULE[:NAME=VALUE,...]". Without METHOD
// the search is random.
Result<std::vector<Method>> read_methods(const SweepSpec& own,
                                         const std::vector<std::string>& against);

}  // namespace hone::cli
