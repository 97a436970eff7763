#include "study/statistics/sequential.hpp"

#include <algorithm>
#include <cmath>

#include "schemas/types/aggregate.hpp"
#include "study/statistics/pairs.hpp"

namespace hone::study {
namespace {

using Scores = std::span<const std::vector<std::vector<double>>>;

// By method: its scores in all of these repetitions and problems.
std::vector<std::vector<double>> by_method(Scores scores) {
  std::vector<std::vector<double>> rows(scores.front().size());
  for (const auto& repetition : scores)
    for (std::size_t method = 0; method < rows.size(); ++method)
      rows[method].insert(rows[method].end(), repetition[method].begin(), repetition[method].end());
  return rows;
}

Verdict look_at(Scores scores) {
  const auto rows = by_method(scores);
  Verdict verdict{Answer::open, 0, static_cast<int>(scores.size()), 0};
  for (std::size_t method = 1; method < rows.size(); ++method)
    if (mean_of(rows[method]) > mean_of(rows[verdict.best])) verdict.best = method;
  for (const Comparison& pair : compare_all(rows)) {
    if (pair.first != verdict.best && pair.second != verdict.best) continue;
    const bool agrees = (pair.effect.better >= 0.5) == (pair.first == verdict.best);
    verdict.p = std::max(verdict.p, agrees ? pair.p : 1.0);
  }
  return verdict;
}

}  // namespace

std::vector<int> looks_of(const SequentialPlan& plan) {
  std::vector<int> looks;
  for (int at = plan.least; at < plan.most; at = static_cast<int>(std::ceil(1.5 * at)))
    looks.push_back(at);
  looks.push_back(plan.most);
  return looks;
}

Verdict judge(Scores scores, const SequentialPlan& plan) {
  Verdict verdict;
  int before = 0;
  for (const int look : looks_of(plan)) {
    if (look > static_cast<int>(scores.size())) return verdict;
    verdict = look_at(scores.first(static_cast<std::size_t>(look)));
    const double share = plan.error * (look - before) / plan.most;
    before = look;
    if (verdict.p <= share && scores.front().size() > 1) {
      verdict.answer = Answer::known;
      return verdict;
    }
  }
  verdict.answer = Answer::unknown;
  return verdict;
}

}  // namespace hone::study
