// hone bench lineage: a data folder of the size that is asked for, and how fast its server answers.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "bench/fill/fill.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

struct LineagePlan {
  upkeep::FillPlan fill;
  std::string folder = "/tmp";  // where the data folder is made, and removed afterwards
  int repetitions = 21;         // of each question; odd, so that the median is one of them
};

Result<Json> bench_lineage(const LineagePlan& plan,
                           const std::function<void(const std::string&)>& say);

std::string bench_lineage_text(const Json& result, const Screen& screen);

}  // namespace hone::cli
