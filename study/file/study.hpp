// What a study compares: methods on problems in repetitions, at equal cost.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"
#include "schemas/types/score.hpp"
#include "study/statistics/sequential.hpp"

namespace hone::study {

// Bounds of a study file. Names become tags, of which the ledger takes 64 characters.
inline constexpr std::size_t name_max = 24;
inline constexpr std::size_t methods_max = 64;    // 2016 pairs to compare
inline constexpr std::size_t problems_max = 200;  // each is a panel of the report
inline constexpr int repetitions_max = 1000;
inline constexpr int test_seeds_max = 1000;
inline constexpr std::size_t levels_max = 10;
// Repetitions of cells of which a server computes the findings for its page: five seconds. Names of
// sweeps follow from their documents: those of all repetitions have so many bytes at most.
inline constexpr std::size_t shown_units_max = 4000;
inline constexpr std::size_t shown_bytes_max = 100'000'000;

struct Method {
  std::string name;
  Json search = Json::object();      // as in a sweep file
  Json terminator = Json::object();  // empty: the default of a sweep file
};

struct Problem {
  std::string name;
  // Values that count as 0 and 1: what comparisons across problems are made of.
  double worst = 0, best = 1;
  Json sweep = Json::object();  // a sweep file without search and terminator
};

// What every repetition may cost; exactly one is set.
struct Cost {
  std::optional<std::int64_t> trials{};
  std::optional<std::int64_t> runs{};   // as many steps as so many complete runs of the problem
  std::optional<std::int64_t> steps{};  // of all runs together, in the unit of the budget
  std::optional<Duration> seconds{};    // of training, over all runs
};

struct Measure {
  int seeds = 5;  // the named set is trained again so often; 0: its value in tuning counts
  std::vector<double> levels{0.5, 0.75, 0.9};  // shares of the scale: the cost to reach each
};

struct Study {
  std::string name;
  std::string question;  // in words; the report prints it
  std::uint64_t seed = 0;
  int repetitions = 10;                   // without a sequential plan
  std::optional<SequentialPlan> until{};  // stops when the best method is known
  Cost equal{};
  int workers = 1;  // runs of a repetition at a time; more than one: results depend on timing
  Measure measure{};
  std::vector<Method> methods;
  std::vector<Problem> problems;
};

// Reads a study. Refuses unknown fields, names that are no tags, repeated names and values outside
// the bounds above, each with its place.
Result<Study> decode_study(const Json& document);

// Refuses a cell whose sweep the server would refuse, or that this version cannot measure.
Status check_study(const Study& study);

inline int most_repetitions(const Study& study) {
  return study.until ? study.until->most : study.repetitions;
}

}  // namespace hone::study
