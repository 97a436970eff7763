// The sweeps of a study. Each repetition of a cell is two ordinary sweeps: one tunes, the other
// trains the set that it named again on seeds that tuning never used. Their documents follow from
// the study alone, and their names from their documents: a sweep that exists by its name is not
// submitted again, whatever ended before.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "study/file/study.hpp"

namespace hone::study {

// One repetition of a method on a problem, by places in the study.
struct Unit {
  std::size_t method = 0, problem = 0;
  int repetition = 0;
  friend bool operator==(const Unit&, const Unit&) = default;
};

// All units of the first `repetitions`, repetition by repetition, so that a study that ends early
// has whole ones.
std::vector<Unit> units_of(const Study& study, int repetitions);

// "study small": the project of its sweeps.
std::string project_of(const Study& study);

// The sweep that tunes. Its seed depends on the study's seed, the problem and the repetition, not
// on the method: methods are compared on equal seeds.
Json tuning_sweep(const Study& study, const Unit& unit);

// The sweep that trains `params` again. It has as many seeds as the study measures, equal for all
// methods.
Json test_sweep(const Study& study, const Unit& unit, const Json& params);

std::string name_of(const Json& sweep);
// By which the server recognizes the sweep if it is submitted twice.
std::string request_id_of(const Json& sweep);
// study/small, cell/hone/cartpole, repetition/3, tuning or test.
std::vector<std::string> tags_of(const Study& study, const Unit& unit, std::string_view role);

// The steps of a complete run of the problem; 0 if its budget has none.
std::int64_t steps_per_run(const Problem& problem);

// The steps after which a repetition ends; nullopt if its cost is not counted in steps.
std::optional<std::int64_t> step_limit(const Study& study, const Problem& problem);

}  // namespace hone::study
