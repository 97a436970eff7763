// What a sweep's stored spec says about its rule and how far it has come. Internal to server/api.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "db/queries/rows.hpp"
#include "server/search/terminators/terminator.hpp"

namespace hone::api {

// What the sweep's user submitted. Refuses (internal) a stored spec that this server cannot read.
Result<SweepSpec> spec_of(const SweepRow& sweep);

// The objective, then the further ones.
Result<std::vector<Objective>> objectives_of(const SweepRow& sweep);

// The terminator that judges this sweep's reports. Refuses as spec_of.
Result<std::unique_ptr<Terminator>> terminator_of(const SweepRow& sweep);

// Reports the whole sweep is expected to make: runs times the phases that the rule expects of one.
// A sweep that has ended made as many as it made.
std::int64_t phases_expected(const SweepRow& sweep);

}  // namespace hone::api
