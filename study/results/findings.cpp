#include "study/results/findings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "schemas/types/aggregate.hpp"
#include "study/statistics/intervals.hpp"

namespace hone::study {
namespace {

constexpr int resamples = 2000;
constexpr int band_resamples = 300;  // of each of the points of a curve
constexpr int curve_points = 41;
constexpr double least_spent = 0.01;
constexpr double level_of_tests = 0.05;

double score_of(const Problem& problem, double value) {
  return std::max(0.0, (value - problem.worst) / (problem.best - problem.worst));
}

// The outcomes of whole repetitions, by place.
class Grid {
 public:
  Grid(const Study& study, const std::vector<Outcome>& outcomes) : study_(study) {
    std::map<std::string, std::size_t> methods, problems;
    for (std::size_t i = 0; i < study.methods.size(); ++i) methods[study.methods[i].name] = i;
    for (std::size_t i = 0; i < study.problems.size(); ++i) problems[study.problems[i].name] = i;
    std::map<int, std::size_t> counts;
    for (const Outcome& one : outcomes)
      if (methods.contains(one.method) && problems.contains(one.problem))
        if (by_place_
                .emplace(std::tuple(methods[one.method], problems[one.problem], one.repetition),
                         &one)
                .second)
          ++counts[one.repetition];
    for (const auto& [repetition, count] : counts)
      if (count == study.methods.size() * study.problems.size()) whole_.push_back(repetition);
  }

  [[nodiscard]] std::size_t repetitions() const { return whole_.size(); }
  [[nodiscard]] std::size_t outcomes() const { return by_place_.size(); }
  [[nodiscard]] const Outcome& at(std::size_t method, std::size_t problem, std::size_t i) const {
    return *by_place_.at({method, problem, whole_[i]});
  }
  [[nodiscard]] double fresh(std::size_t method, std::size_t problem, std::size_t i) const {
    return at(method, problem, i).fresh.value_or(study_.problems[problem].worst);
  }
  [[nodiscard]] double score(std::size_t method, std::size_t problem, std::size_t i) const {
    return score_of(study_.problems[problem], fresh(method, problem, i));
  }
  // A row for each problem.
  [[nodiscard]] Strata scores(std::size_t method) const {
    Strata rows(study_.problems.size());
    for (std::size_t problem = 0; problem < rows.size(); ++problem)
      for (std::size_t i = 0; i < repetitions(); ++i)
        rows[problem].push_back(score(method, problem, i));
    return rows;
  }

 private:
  const Study& study_;
  std::map<std::tuple<std::size_t, std::size_t, int>, const Outcome*> by_place_;
  std::vector<int> whole_;
};

BootstrapSetting setting_of(const Study& study, int count) { return {study.seed, count, 0.95}; }

// By how much the tuned value was better than the fresh one, in the unit of the objective.
double optimism_of(const Problem& problem, const Outcome& outcome) {
  if (!outcome.tuned || !outcome.fresh) return 0;
  return problem.best > problem.worst ? *outcome.tuned - *outcome.fresh
                                      : *outcome.fresh - *outcome.tuned;
}

// The cost of a repetition that is spent wholly: its share is 1.
double whole_cost(const Study& study, const Grid& grid, std::size_t problem) {
  const auto per_run = static_cast<double>(steps_per_run(study.problems[problem]));
  if (const auto limit = step_limit(study, study.problems[problem]))
    return static_cast<double>(*limit);
  if (study.equal.trials && per_run > 0) return per_run * static_cast<double>(*study.equal.trials);
  double most = 1;
  for (std::size_t method = 0; method < study.methods.size(); ++method)
    for (std::size_t i = 0; i < grid.repetitions(); ++i)
      most = std::max(most, grid.at(method, problem, i).spent);
  return most;
}

void add_levels(const Study& study, const Grid& grid, CellFindings& cell) {
  const Problem& problem = study.problems[cell.problem];
  for (const double level : study.measure.levels) {
    std::vector<double> costs;
    for (std::size_t i = 0; i < grid.repetitions(); ++i)
      for (const BestSoFar& one : grid.at(cell.method, cell.problem, i).best)
        if (score_of(problem, one.value) >= level) {
          costs.push_back(one.spent);
          break;
        }
    cell.reached.push_back(static_cast<double>(costs.size()) /
                           static_cast<double>(grid.repetitions()));
    cell.cost.push_back(costs.empty() ? std::nullopt : std::optional(median_of(costs)));
  }
}

CellFindings cell_of(const Study& study, const Grid& grid, std::size_t method,
                     std::size_t problem) {
  CellFindings cell{method, problem, {}};
  const auto n = static_cast<double>(grid.repetitions());
  for (std::size_t i = 0; i < grid.repetitions(); ++i) {
    const Outcome& outcome = grid.at(method, problem, i);
    cell.fresh.push_back(grid.fresh(method, problem, i));
    cell.without_value += outcome.fresh ? 0 : 1;
    cell.optimism += optimism_of(study.problems[problem], outcome) / n;
    cell.trials += static_cast<double>(outcome.trials) / n;
    cell.spent += outcome.spent / n;
    cell.sweeps.push_back(outcome.tuning);
    if (!outcome.test.empty()) cell.sweeps.push_back(outcome.test);
  }
  cell.value = iqm_of(cell.fresh);
  cell.interval = iqm_interval({cell.fresh}, setting_of(study, resamples));
  add_levels(study, grid, cell);
  return cell;
}

double best_at(const Problem& problem, const Outcome& outcome, double spent) {
  double score = 0;
  for (const BestSoFar& one : outcome.best)
    if (one.spent <= spent) score = score_of(problem, one.value);
  return score;
}

std::vector<Band> anytime_of(const Study& study, const Grid& grid, std::size_t method,
                             const std::vector<double>& spent) {
  std::vector<Band> curve;
  for (const double share : spent) {
    Strata rows(study.problems.size());
    for (std::size_t problem = 0; problem < rows.size(); ++problem)
      for (std::size_t i = 0; i < grid.repetitions(); ++i)
        rows[problem].push_back(best_at(study.problems[problem], grid.at(method, problem, i),
                                        share * whole_cost(study, grid, problem)));
    curve.push_back(
        {iqm_of(flattened(rows)), iqm_interval(rows, setting_of(study, band_resamples))});
  }
  return curve;
}

std::vector<Block> blocks_of(const Study& study, const Grid& grid) {
  std::vector<Block> blocks;
  for (std::size_t problem = 0; problem < study.problems.size(); ++problem)
    for (std::size_t i = 0; i < grid.repetitions(); ++i) {
      auto& block = blocks.emplace_back();
      for (std::size_t method = 0; method < study.methods.size(); ++method)
        block.push_back(grid.score(method, problem, i));
    }
  return blocks;
}

MethodFindings method_of(const Study& study, const Grid& grid, const Findings& findings,
                         std::size_t method) {
  MethodFindings found;
  const Strata scores = grid.scores(method);
  found.iqm = iqm_of(flattened(scores));
  found.interval = iqm_interval(scores, setting_of(study, resamples));
  for (const double threshold : findings.thresholds)
    found.profile.push_back(profile_at(scores, threshold));
  found.anytime = anytime_of(study, grid, method, findings.spent);
  for (const Band& band : found.anytime)
    found.area += band.value / static_cast<double>(found.anytime.size());
  for (const CellFindings& cell : findings.cells)
    if (cell.method == method)
      found.optimism +=
          cell.optimism /
          std::abs(study.problems[cell.problem].best - study.problems[cell.problem].worst) /
          static_cast<double>(study.problems.size());
  return found;
}

Verdict verdict_of(const Study& study, const Grid& grid) {
  std::vector<std::vector<std::vector<double>>> scores(grid.repetitions());
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t method = 0; method < study.methods.size(); ++method) {
      auto& row = scores[i].emplace_back();
      for (std::size_t problem = 0; problem < study.problems.size(); ++problem)
        row.push_back(grid.score(method, problem, i));
    }
  return judge(scores, *study.until);
}

void compare_methods(const Study& study, const Grid& grid, Findings& findings) {
  const auto blocks = blocks_of(study, grid);
  const auto ranks = mean_ranks(blocks);
  for (std::size_t i = 0; i < ranks.size(); ++i) findings.methods[i].mean_rank = ranks[i];
  std::vector<std::vector<double>> scores;
  for (std::size_t i = 0; i < ranks.size(); ++i) scores.push_back(flattened(grid.scores(i)));
  findings.pairs = compare_all(scores);
  const Strata best = grid.scores(findings.order.front());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    findings.improvement.push_back(
        {probability_of_improvement(best, grid.scores(i)),
         improvement_interval(best, grid.scores(i), setting_of(study, resamples))});
  if (ranks.size() < 2) return;
  findings.friedman = friedman(blocks);
  findings.critical_difference = critical_difference(ranks.size(), blocks.size(), level_of_tests);
}

}  // namespace

Findings findings_of(const Study& study, const std::vector<Outcome>& outcomes) {
  const Grid grid(study, outcomes);
  Findings findings;
  findings.repetitions = static_cast<int>(grid.repetitions());
  findings.outcomes = grid.outcomes();
  findings.expected = units_of(study, most_repetitions(study)).size();
  for (int i = 0; i < curve_points; ++i) {
    const double share = static_cast<double>(i) / (curve_points - 1);
    findings.spent.push_back(std::pow(least_spent, 1 - share));
    findings.thresholds.push_back(share);
  }
  if (grid.repetitions() == 0) return findings;
  for (std::size_t problem = 0; problem < study.problems.size(); ++problem)
    for (std::size_t method = 0; method < study.methods.size(); ++method)
      findings.cells.push_back(cell_of(study, grid, method, problem));
  for (std::size_t method = 0; method < study.methods.size(); ++method) {
    findings.methods.push_back(method_of(study, grid, findings, method));
    findings.order.push_back(method);
  }
  std::stable_sort(findings.order.begin(), findings.order.end(), [&](std::size_t a, std::size_t b) {
    return findings.methods[a].iqm > findings.methods[b].iqm;
  });
  compare_methods(study, grid, findings);
  if (study.until) findings.verdict = verdict_of(study, grid);
  return findings;
}

}  // namespace hone::study
