// The spec, the rule and the progress of a sweep. Internal to server/api.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "db/queries/rows.hpp"
#include "schemas/codec/json.hpp"
#include "server/forecast/sweep_end.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::api {

// The submitted spec. Refuses (internal) a stored spec that this server cannot read.
Result<SweepSpec> spec_of(const SweepRow& sweep);

// The objective, then the further ones.
Result<std::vector<Objective>> objectives_of(const SweepRow& sweep);

// The terminator that judges this sweep's reports. Refuses as spec_of.
Result<std::unique_ptr<Terminator>> terminator_of(const SweepRow& sweep);

// The expected number of reports of the whole sweep: runs times the phases that the rule expects of
// one, or what `hone plan` shows for a program that turns out to save no checkpoints. For a sweep
// that has ended, the actual number.
std::int64_t phases_expected(const SweepRow& sweep);

// The time left of a running sweep, at most until its time limit. nullopt while nothing trains, and
// for populations, whose phases are known beforehand.
std::optional<forecast::SweepEnd> forecast_end(SQLite::Database& db, const SweepRow& sweep,
                                               const SweepSpec& spec, Instant now);
// What it would have returned at an earlier instant of a sweep that has ended, but with each run
// that had no live attempt then counted as paused.
std::optional<forecast::SweepEnd> forecast_end_at(SQLite::Database& db, const SweepRow& sweep,
                                                  const SweepSpec& spec, Instant at);
// {"seconds", "low", "high"}, or null.
Json render_end(const std::optional<forecast::SweepEnd>& end);

}  // namespace hone::api
