// Runs one task of a benchmark of optimizers in this process: the time of an ask, the memory of a
// study, the quality of proposals. The protocol is that of the drivers of other optimizers, so that
// one table holds all of them (tests/bench/search_bench.py).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::bench {

using Arguments = std::map<std::string, std::string>;  // key=value
using Emit = std::function<void(const Json& line)>;    // one line of the answer

// Rejects unknown tasks, values and storages.
Status run_task(const std::string& task, const Arguments& words, const Emit& emit);

}  // namespace hone::bench
