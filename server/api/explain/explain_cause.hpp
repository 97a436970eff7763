// Why a run failed or was canceled.
#pragma once

#include <string>

#include "db/queries/rows.hpp"

namespace hone::api {

// Returns the reason as a clause. `asked`: a client of `ask` evaluates the run; `sweep_detail`:
// how many runs of its sweep had failed.
std::string cause(const RunRow& run, bool asked, const std::string& sweep_detail);

}  // namespace hone::api
