// Compares searches at equal total cost on problems whose trials take from 1 to 100 units of time.
//
//   cost_bench [seeds=10] [trials=40] [held_out=true] [only=METHOD]
//
// A sweep may spend what `trials` random parameter sets cost on average. Regrets are shares of that
// of the median random parameter set. area: the mean regret of the best trial over the spent cost,
// from 2 % on; final: when all is spent. Below: means over the problems of logarithms and ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "schemas/types/search_spec.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/samplers/tpe/process.hpp"
#include "server/search/samplers/tpe/surrogate.hpp"
#include "tests/bench/cost_problems.hpp"

namespace hone::bench {
namespace {

constexpr double cost_noise = 0.1, least_regret = 1e-3;

double squared(double x) { return x * x; }

SearchSpace space_of(const CostProblem& problem) {
  Space space;
  for (std::size_t i = 0; i < problem.size; ++i) {
    const std::string name = "x" + std::to_string(i);
    if (i + problem.choices < problem.size)
      space.push_back({name, FloatDomain{}, ""});
    else
      space.push_back(
          {name, ChoiceDomain{{std::int64_t{0}, std::int64_t{1}, std::int64_t{2}}, false, {}}, ""});
  }
  return std::move(SearchSpace::make(space, {})).value();
}

struct Tried {
  std::vector<Point> points;
  std::vector<double> losses, log_costs;
};

using Propose = std::function<Point(const Tried&, const History&, const Draw&)>;

// A process on all trials, its width and noise by likelihood.
class Fitted {
 public:
  Fitted(const std::vector<Point>& points, const std::vector<double>& values) {
    const std::size_t n = points.size(), d = points.front().size();
    columns_.resize(n * d);
    choice_.assign(d, 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) columns_[j * n + i] = points[i][j];
    double best = -std::numeric_limits<double>::infinity();
    for (const double width : {0.2, 0.4, 0.8, 1.6})
      for (const double noise : {1e-4, 1e-2, 1e-1}) {
        GaussianProcess process({columns_, n}, choice_);
        if (!process.fit({std::vector<double>(d, 1 / squared(width)), noise}, values)) continue;
        if (process.log_likelihood() <= best) continue;
        best = process.log_likelihood();
        process_ = process;
      }
  }
  Fitted(const Fitted&) = delete;
  Fitted& operator=(const Fitted&) = delete;

  [[nodiscard]] Prediction at(const std::vector<Point>& points) const {
    const std::size_t n = points.size(), d = points.front().size();
    std::vector<double> columns(n * d);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) columns[j * n + i] = points[i][j];
    return process_->predict({columns, n});
  }

 private:
  std::vector<double> columns_;
  std::vector<std::uint8_t> choice_;
  std::optional<GaussianProcess> process_;
};

// Indices of the trials that are better than all that cost less, cheapest first.
std::vector<std::size_t> front_of(const Tried& tried) {
  std::vector<std::size_t> by(tried.losses.size()), front;
  std::iota(by.begin(), by.end(), 0);
  std::sort(by.begin(), by.end(),
            [&](std::size_t a, std::size_t b) { return tried.log_costs[a] < tried.log_costs[b]; });
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t i : by)
    if (tried.losses[i] < best) best = tried.losses[i], front.push_back(i);
  return front;
}

// Candidates around each member of the front, from a normal distribution.
std::vector<Point> around_front(const SearchSpace& space, const Tried& tried, std::size_t count,
                                double radius, Rng& rng) {
  std::vector<Point> points;
  for (const std::size_t member : front_of(tried))
    for (std::size_t i = 0; i < count; ++i) {
      Point point = tried.points[member];
      for (std::size_t j = 0; j < point.size(); ++j) {
        const Dimension& dimension = space.dimensions()[j];
        if (dimension.kind == Dimension::Kind::choice) {
          if (rng.uniform() < radius) point[j] = static_cast<double>(rng.below(3));
        } else {
          point[j] = std::clamp(point[j] + radius * rng.normal(), 0.0, 1.0);
        }
      }
      points.push_back(std::move(point));
    }
  return points;
}

// Protein (PufferLib, pufferlib/sweep.py, 2025): predicted score times nearness to a random cost.
// The first trial is the centre; a trial is one observation here, as its curve is not given.
Point protein(const SearchSpace& space, const Tried& tried, const Draw& draw) {
  Rng rng = draw.rng();
  if (draw.number == 0) {
    Point centre(space.dimensions().size(), 0.5);
    space.settle(centre);
    return centre;
  }
  if (tried.losses.size() < 10) return random_point(space, rng);
  const auto [low, high] = std::minmax_element(tried.losses.begin(), tried.losses.end());
  const auto [cheap, dear] = std::minmax_element(tried.log_costs.begin(), tried.log_costs.end());
  std::vector<double> scores, costs;
  for (std::size_t i = 0; i < tried.losses.size(); ++i) {
    scores.push_back((*high - tried.losses[i]) / (*high - *low));
    costs.push_back((tried.log_costs[i] - *cheap) / (*dear - *cheap));
  }
  const Fitted score(tried.points, scores), cost(tried.points, costs);
  const auto points = around_front(space, tried, 256, 0.25, rng);
  const auto predicted = score.at(points).mean, priced = cost.at(points).mean;
  const double target = 1.25 * rng.uniform();
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double rating = predicted[i] * (1 - std::abs(target - priced[i]));
    if (rating > most) most = rating, best = i;
  }
  return points[best];
}

// CARBS (Imbue, arXiv 2306.08055): expected improvement over the front's score at the candidate's
// predicted cost, times the density of the search around the front. Failures do not occur here;
// trials have no noise, so that members of the front are not repeated.
Point carbs(const SearchSpace& space, const Tried& tried, const Draw& draw) {
  Rng rng = draw.rng();
  if (tried.losses.size() < 4) return random_point(space, rng);
  constexpr double radius = 0.3;
  const auto front = front_of(tried);
  const Fitted loss(tried.points, tried.losses), cost(tried.points, tried.log_costs);
  std::vector<Point> at, all;
  std::vector<double> values;
  for (const std::size_t i : front)
    at.push_back({tried.log_costs[i]}), values.push_back(tried.losses[i]);
  const auto points =
      around_front(space, tried, 100 * space.dimensions().size() / front.size() + 1, radius, rng);
  const auto predicted = loss.at(points);
  const auto priced = cost.at(points).mean;
  // The front is clamped at its value for a cost drawn log-uniformly along it.
  const double drawn = at.front()[0] + rng.uniform() * (at.back()[0] - at.front()[0]);
  const auto front_at = [&](double log_cost) {
    double value = values.front();
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i][0] <= log_cost) value = values[i];
    return value;
  };
  const double clamp = front_at(drawn);
  std::size_t best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points.size(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::size_t member : front) {
      double squares = 0;
      for (std::size_t j = 0; j < points[i].size(); ++j)
        squares += squared((points[i][j] - tried.points[member][j]) / radius);
      nearest = std::min(nearest, squares);
    }
    const double target = std::min(front_at(priced[i]), clamp);
    const double z = (target - predicted.mean[i]) / predicted.spread[i];
    const double rating =
        log_expected_improvement(z) + std::log(predicted.spread[i]) - 0.5 * nearest;
    if (rating > most) most = rating, best = i;
  }
  return points[best];
}

struct Method {
  std::string name;
  std::size_t objectives = 1;
  SearchSpec search{};  // of a sampler of hone
  Point (*own)(const SearchSpace&, const Tried&, const Draw&) = nullptr;
};

std::vector<Method> methods() {
  const Params cost{{"cost", std::string("seconds")}};
  return {{"random", 1, {"random", 1000, {}, {}, {}, {}}},
          {"hone", 1, {"hone", 1000, {}, {}, {}, {}}},
          {"hone, cost", 1, {"hone", 1000, cost, {}, {}, {}}},
          {"tpe", 1, {"tpe", 1000, {}, {}, {}, {}}},
          {"tpe, cost", 1, {"tpe", 1000, cost, {}, {}, {}}},
          {"tpe, 2 objectives", 2, {"tpe", 1000, {}, {}, {}, {}}},
          {"protein", 1, {}, protein},
          {"carbs", 1, {}, carbs}};
}

// Means of random parameter sets: their cost, and the median of their losses.
struct Scale {
  double mean_cost = 0, median_loss = 0;
};

Scale scale_of(const CostProblem& problem, const SearchSpace& space) {
  Rng rng(1, Purpose::simulation, 5);
  std::vector<double> losses;
  double cost = 0;
  constexpr int draws = 4001;
  for (int i = 0; i < draws; ++i) {
    const Point point = random_point(space, rng);
    losses.push_back(problem.loss(point));
    cost += std::exp(problem.log_cost(point)) / draws;
  }
  std::nth_element(losses.begin(), losses.begin() + draws / 2, losses.end());
  return {cost, losses[draws / 2]};
}

struct Outcome {
  double area = 0, final = 0;
  int trials = 0;
};

Outcome run(const CostProblem& problem, const SearchSpace& space, const Method& method,
            const Scale& scale, double budget, std::uint64_t seed) {
  std::unique_ptr<Sampler> sampler;
  if (method.own == nullptr) sampler = std::move(make_sampler(method.search, space)).value();
  History history(Goal::minimize, space.dimensions().size(), method.objectives);
  Tried tried;
  Rng noise(seed, Purpose::simulation, 7);
  constexpr int looks = 50;
  double spent = 0, best = 1;
  Outcome outcome;
  int look = 1;
  for (std::int64_t number = 0; look <= looks && number < 1000; ++number) {
    const Draw draw{seed, number};
    Point point = method.own != nullptr ? method.own(space, tried, draw)
                                        : *sampler->propose(space, history, draw);
    const double log_cost = problem.log_cost(point) + cost_noise * noise.normal();
    const double loss = problem.loss(point);
    spent += std::exp(log_cost);
    for (; look <= looks && spent > look * budget / looks; ++look) outcome.area += best / looks;
    if (spent > budget) break;
    best = std::min(best, loss / scale.median_loss);
    const auto trial = history.add_run(history.add_trial(point));
    const std::array<double, 1> further{-log_cost};
    history.add_report(trial, 0, Score::of(loss), std::span(further).first(method.objectives - 1));
    history.add_seconds(trial, std::exp(log_cost));
    history.end_run(trial, true, true);
    tried.points.push_back(std::move(point));
    tried.losses.push_back(loss);
    tried.log_costs.push_back(log_cost);
    ++outcome.trials;
  }
  for (; look <= looks; ++look) outcome.area += best / looks;
  outcome.final = best;
  return outcome;
}

struct Sums {
  double log_area = 0, log_final = 0, area_rank = 0, final_rank = 0;
};

void add_ranks(const std::vector<double>& values, std::map<std::size_t, Sums>& sums,
               double Sums::*rank, double weight) {
  for (std::size_t i = 0; i < values.size(); ++i)
    for (const double other : values)
      sums[i].*rank += weight * (other < values[i] ? 1 : other == values[i] ? 0.5 : 0);
}

int bench(int seeds, double trials, bool last, const std::string& only) {
  std::vector<Method> compared;
  for (Method& one : methods())
    if (only.empty() || only.find(one.name) != std::string::npos)
      compared.push_back(std::move(one));
  std::map<std::size_t, Sums> sums;
  const auto all = last ? cost_held_out() : cost_problems();
  std::printf("%-12s %-18s %8s %8s %8s\n", "problem", "method", "area", "final", "trials");
  for (const CostProblem& problem : all) {
    const SearchSpace space = space_of(problem);
    const Scale scale = scale_of(problem, space);
    std::vector<std::vector<Outcome>> outcomes(compared.size());
    for (std::size_t m = 0; m < compared.size(); ++m) {
      double area = 0, final = 0, tried = 0;
      for (int seed = 0; seed < seeds; ++seed) {
        outcomes[m].push_back(run(problem, space, compared[m], scale, trials * scale.mean_cost,
                                  static_cast<std::uint64_t>(seed) + (last ? 1000 : 0)));
        const Outcome& one = outcomes[m].back();
        area += one.area / seeds, final += one.final / seeds;
        tried += static_cast<double>(one.trials) / seeds;
        const double weight = 1.0 / (seeds * static_cast<double>(all.size()));
        sums[m].log_area += weight * std::log(one.area);
        sums[m].log_final += weight * std::log(std::max(one.final, least_regret));
      }
      std::printf("%-12s %-18s %8.4f %8.4f %8.0f\n", problem.name.c_str(), compared[m].name.c_str(),
                  area, final, tried);
    }
    for (std::size_t seed = 0; seed < static_cast<std::size_t>(seeds); ++seed) {
      std::vector<double> areas, finals;
      for (const auto& one : outcomes) {
        areas.push_back(one[seed].area);
        finals.push_back(std::max(one[seed].final, least_regret));
      }
      const double weight = 1.0 / (seeds * static_cast<double>(all.size()));
      add_ranks(areas, sums, &Sums::area_rank, weight);
      add_ranks(finals, sums, &Sums::final_rank, weight);
    }
  }
  std::printf("\n%-18s %8s %8s %10s %10s\n", "all", "area", "final", "area rank", "final rank");
  for (std::size_t m = 0; m < compared.size(); ++m)
    std::printf("%-18s %8.4f %8.4f %10.2f %10.2f\n", compared[m].name.c_str(),
                std::exp(sums[m].log_area), std::exp(sums[m].log_final), sums[m].area_rank + 0.5,
                sums[m].final_rank + 0.5);
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int count, char** words) {
  int seeds = 10;
  double trials = 40;
  bool held_out = false;
  std::string only;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::string text = word.substr(std::min(word.find('='), word.size() - 1) + 1);
    if (word.starts_with("seeds=")) seeds = std::stoi(text);
    if (word.starts_with("trials=")) trials = std::stod(text);
    if (word.starts_with("held_out=")) held_out = text == "true";
    if (word.starts_with("only=")) only = text;
  }
  return hone::bench::bench(seeds, trials, held_out, only);
}
