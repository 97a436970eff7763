// The further objectives of a sweep. The server lists those of a report in the order of the sweep
// file; commands show them by the names of their metrics.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schemas/codec/json.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// The metrics of the objectives of a sweep file, the first one first.
std::vector<std::string> objective_metrics(const Json& spec);
std::vector<std::string> further_metrics(const Json& spec);

// Names the further values of a report.
void name_further(Json& report, const std::vector<std::string>& metrics);

// Names those of reports of any sweeps, each of which the report names.
Status name_further(Session& session, std::vector<Json>& reports);

// An order of trials by a further objective. Trials without a number come last.
struct FurtherOrder {
  std::string metric;
  bool larger_first = true;
};

struct TrialOrder {
  std::string of_server;  // in which the server lists them
  std::optional<FurtherOrder> further;
};

// The order for a key: number, value or the metric of an objective. `sweep`: the path of the sweep.
Result<TrialOrder> trial_order(Session& session, const std::string& sweep, const std::string& key);

void sort_by(std::vector<Json>& trials, const FurtherOrder& order);

}  // namespace hone::cli
