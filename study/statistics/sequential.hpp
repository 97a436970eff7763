// When a study has enough repetitions. Looks at the results at fixed numbers of repetitions and
// spends a part of the error at each (Lan and DeMets, "Discrete Sequential Boundaries for Clinical
// Trials", Biometrika 1983, with a spending function linear in the repetitions). The parts add up
// to `error`, and each look compares all pairs of methods by exact signed-rank tests under Holm's
// adjustment, so that the chance of ever naming a best method that is not better is at most
// `error`, whatever stops the study.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace hone::study {

struct SequentialPlan {
  double error = 0.05;
  int least = 6;  // repetitions before the first look
  int most = 40;  // repetitions after which the answer is open
};

// The numbers of repetitions at which to look: ascending by a factor of at least 1.5 from `least`
// to `most`.
std::vector<int> looks_of(const SequentialPlan& plan);

enum class Answer { open, known, unknown };  // unknown: `most` repetitions did not tell

struct Verdict {
  Answer answer = Answer::open;
  std::size_t best = 0;  // the method with the highest mean at the last look
  int repetitions = 0;   // that were looked at; further ones do not count once the answer is known
  double p = 1;          // adjusted, of the best against its nearest rival
};

// `scores`: by repetition, by method, one score for each problem. Repetitions beyond the last look
// are not read. Precondition: all repetitions have the same numbers of methods and problems.
Verdict judge(std::span<const std::vector<std::vector<double>>> scores, const SequentialPlan& plan);

}  // namespace hone::study
