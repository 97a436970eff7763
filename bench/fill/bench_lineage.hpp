// hone bench lineage: measures how fast a server with a large data folder answers.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "bench/fill/fill.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

struct LineageOptions {
  upkeep::FillOptions fill;
  std::string folder = "/tmp";  // where the temporary data folder is created
  int repetitions = 21;         // of each question; odd, so that the median is one of the times
};

Result<Json> bench_lineage(const LineageOptions& options,
                           const std::function<void(const std::string&)>& show_progress);

std::string bench_lineage_text(const Json& result, const Screen& screen);

}  // namespace hone::cli
