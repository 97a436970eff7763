// The runs of a ledger that `hone plan --advise` learns from.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "sdk/cli/session/session.hpp"
#include "server/forecast/advise.hpp"

namespace hone::cli {

struct AdviceHistory {
  std::vector<forecast::AdviceRun> runs;
  int changing = 0;    // runs left out: their trainer changes its number of agents while it trains
  int unmeasured = 0;  // runs left out: no report with a value and a time
  bool cut = false;    // there may be more runs, of older sweeps
};

// The environment that a built-in trainer is set to; "" for other trainers.
std::string environment_of(const Json& spec);

// "agents" or "actors": the setting of the trainer that says how many there are; "" if it has none.
std::string size_name(const std::string& trainer);

// Whether ga3c changes its number of agents while it trains.
bool changes_size(const Json& spec, const Json& params);

// How many agents a run has: its parameter, else its trainer's setting, else the trainer's default;
// 1 if the trainer has no such setting.
int size_of_run(const Json& spec, const Json& params);

// Runs of built-in trainers on the same environment, with the same objective and unit of the
// budget, of the newest sweeps.
Result<AdviceHistory> advice_history(Session& session, const Json& spec);

}  // namespace hone::cli
