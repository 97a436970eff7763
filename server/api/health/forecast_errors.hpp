// How far forecasts are off: what would have been forecast at half of the newest complete runs and
// sweeps, compared with what they came to. A function of the ledger alone.
#pragma once

#include <SQLiteCpp/Database.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

#include "schemas/types/ids.hpp"

namespace hone::api {

struct ForecastError {
  std::string_view kind;
  std::int64_t scored = 0;         // runs or sweeps
  std::optional<double> median{};  // of their errors, as shares; nullopt: none was scored
};

// Keeps the errors of these runs and sweeps, which do not change any more. Thread-safe.
class ForecastErrors {
 public:
  // run_value: the last report of a run from the first half of its reports, as a share of their
  // range, as `hone curve --forecast` scores it. sweep_end: the end of a sweep at half of its time,
  // as a share of the whole time. `db` should have a Snapshot.
  std::array<ForecastError, 2> read(SQLite::Database& db);

 private:
  std::mutex mutex_;
  std::map<RunId, std::optional<double>> runs_;  // nullopt: no forecast was possible
  std::map<SweepId, std::optional<double>> sweeps_;
};

}  // namespace hone::api
