// What a benchmark asks of an optimizer, one task a process: how long an ask takes, how much memory
// a study needs, how good its proposals are. The protocol is that of the drivers of other
// optimizers, so that all stand in one table (tests/bench/search_bench.py).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::bench {

using Words = std::map<std::string, std::string>;    // key=value
using Emit = std::function<void(const Json& line)>;  // one line of the answer

// Refuses tasks, keys' values and storages that it does not know.
Status run_task(const std::string& task, const Words& words, const Emit& emit);

}  // namespace hone::bench
