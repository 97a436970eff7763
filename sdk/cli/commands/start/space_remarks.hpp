// Warnings about valid parameters of a sweep that are probably a mistake.
#pragma once

#include <string>
#include <vector>

#include "sdk/cli/session/session.hpp"

namespace hone {
struct SweepSpec;
}

namespace hone::cli {

// Sentences of `hone plan` and `hone submit`: more trials than parameter sets, and values of a
// choice that are one word for a program.
std::vector<std::string> space_remarks(const SweepSpec& spec);

// As many trials as a sweep of the space should try, at most `usual`: no more than it has sets.
std::int64_t useful_trials(const SweepSpec& spec, std::int64_t usual);

// How many trials of each sweep of search.warm_start lie in the space, as sentences; none where the
// server does not answer. Refuses a sweep that it lacks, or of which no trial lies in the space, as
// a submission would; error.at is relative to the spec.
Result<std::vector<std::string>> warm_start_remarks(Session& session, const SweepSpec& spec);

}  // namespace hone::cli
