// The curve table of a sweep (server/simulate/curve_table.hpp), which `hone simulate` replays.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::cli {

struct CurveExport {
  std::string csv;
  std::string card;  // JSON: goal, parameters, checkpoints, source
  std::size_t rows = 0;
  std::string left_out;  // "2 stopped, 1 failed"; empty where every run is in the table
};

// `sweep` as GET /v1/sweeps/{sweep} shows it, `runs` as its /curves do. Takes the runs that reached
// their last phase or diverged: what the others would have reported is not known. Refuses where
// none did, and a parameter whose name is taken by another column (seed, v1, s1, ...).
Result<CurveExport> export_curves(const Json& sweep, const std::vector<Json>& runs);

}  // namespace hone::cli
