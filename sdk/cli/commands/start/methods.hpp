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
// the search is random; a rule without a version is the newest, as in a sweep file.
Result<std::vector<Method>> read_methods(const SweepSpec& own,
                                         const std::vector<std::string>& against);

// Removes the methods after the first that take no warm start. Returns a remark for each.
std::vector<std::string> leave_out_without_warm_start(std::vector<Method>& methods);

}  // namespace hone::cli
