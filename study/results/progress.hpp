// How far a study is: the repetitions of each cell with their sweeps, and the time left.
#pragma once

#include <optional>
#include <vector>

#include "study/results/findings.hpp"
#include "study/results/recorded.hpp"

namespace hone::study {

// The time until `expected` outcomes are there, at the pace of the last 20; nullopt without an end,
// and where none is missing. starts, ends: the times at which sweeps were submitted, and at which
// the last sweep of each outcome ended, in any order.
std::optional<Duration> time_left(const std::vector<Instant>& starts, std::vector<Instant> ends,
                                  std::size_t expected, Instant now);

// What a page of the study shows besides the findings: question, repetitions, cells with what is
// done and in progress, the anytime curves, and the time left if a sweep is in progress.
Json encode_progress(const Study& study, const RecordedStudy& recorded,
                     const std::vector<Outcome>& outcomes, const Findings& findings, Instant now);

}  // namespace hone::study
