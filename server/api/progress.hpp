// The spec, the rule and the progress of a sweep. Internal to server/api.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "db/queries/rows.hpp"
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
// one. For a sweep that has ended, the actual number.
std::int64_t phases_expected(const SweepRow& sweep);

}  // namespace hone::api
