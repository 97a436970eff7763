// What a repetition of a cell gave, as the ledger has it. A list of outcomes and the study's
// document are the data from which every table follows.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "study/file/cells.hpp"

namespace hone::study {

struct BestSoFar {
  double spent = 0;  // steps of all runs together
  double value = 0;  // the best report until then
  friend bool operator==(const BestSoFar&, const BestSoFar&) = default;
};

struct Outcome {
  std::string method, problem;
  int repetition = 0;
  std::string tuning, test;       // sweeps; test is empty if nothing was trained again
  Json params = Json::object();   // the set that the method named; empty if it named none
  std::optional<double> tuned{};  // its value in tuning
  // The mean of its new seeds; nullopt: it named none, or a seed diverged, which counts as worst.
  std::optional<double> fresh{};
  double spent = 0;    // steps of all runs of the tuning sweep
  double seconds = 0;  // for which they trained
  std::int64_t trials = 0;
  std::vector<BestSoFar> best{};  // improvements, in order
};

struct StudyData {
  Json study;  // the document of the study
  std::vector<Outcome> outcomes;
};

Json encode_data(const StudyData& data);
Result<StudyData> decode_data(const Json& document);

}  // namespace hone::study
