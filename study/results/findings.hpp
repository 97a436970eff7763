// What the outcomes of a study say. Only whole repetitions count, those that every cell has: the
// others would compare methods on different seeds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/search/statistics/bootstrap.hpp"
#include "study/file/study.hpp"
#include "study/results/outcome.hpp"
#include "study/statistics/pairs.hpp"
#include "study/statistics/ranks.hpp"
#include "study/statistics/sequential.hpp"

namespace hone::study {

// A method on a problem. Values are in the objective's unit.
struct CellFindings {
  std::size_t method = 0, problem = 0;
  std::vector<double> fresh;  // by repetition; what has no value counts as the scale's worst
  int without_value = 0;
  double value = 0;  // interquartile mean of `fresh`
  Interval interval{};
  double optimism = 0;           // mean of how much better the tuned value was; positive: too good
  double trials = 0, spent = 0;  // means
  // For each level of the study: the share of repetitions that reached it in tuning, and the median
  // cost of those that did.
  std::vector<double> reached{};
  std::vector<std::optional<double>> cost{};
  std::vector<std::string> sweeps{};  // tuning and test of each repetition
};

struct Band {
  double value = 0;
  Interval interval{};
};

// A method over all problems. Scores are shares of the problems' scales, not below 0.
struct MethodFindings {
  double iqm = 0;
  Interval interval{};
  double mean_rank = 0;
  double optimism = 0;
  double area = 0;                // mean of `anytime`: the hypervolume of score and log cost
  std::vector<Band> anytime{};    // the score of the best report so far, by Findings::spent
  std::vector<double> profile{};  // share of repetitions at least as good, by Findings::thresholds
};

struct Findings {
  int repetitions = 0;  // whole ones
  std::size_t outcomes = 0, expected = 0;
  std::vector<std::size_t> order{};   // methods by interquartile mean, best first
  std::vector<CellFindings> cells{};  // problem after problem, methods in the study's order
  std::vector<MethodFindings> methods{};
  std::vector<Comparison> pairs{};
  // That the best method has the higher score of two runs drawn from the same problem, by method.
  std::vector<Band> improvement{};
  Friedman friedman{};
  double critical_difference = 0;  // of mean ranks, at 5 %
  std::optional<Verdict> verdict{};
  std::vector<double> spent{};       // shares of the cost of a repetition, evenly on a log scale
  std::vector<double> thresholds{};  // of scores
};

Findings findings_of(const Study& study, const std::vector<Outcome>& outcomes);

// What may be concluded, in plain words: a sentence each.
std::vector<std::string> conclusions_of(const Study& study, const Findings& findings);

// The findings without sweeps, as a document: equal where the outcomes are.
Json encode_findings(const Study& study, const Findings& findings);

}  // namespace hone::study
