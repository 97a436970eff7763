// Prints the true regret of the set that a sweep of single runs names: the best value told, what a
// model expects most of (server/search/seeds/expected_merits.hpp), the best of that order's first
// eight by the mean of five new runs each, and the best set that was tried.
//
//   names_bench [seeds=16] [trials=200] [repeat=0] [method=tpe]
//               [set=developed|unseen|rough|sizes]
//
// With repeat=N the last N trials train the N leaders of the model again, with new luck.
// Regret is 0 at the lowest loss and 1 at the median of the best of ten random sets. set=sizes
// prints what an estimate costs instead, by the size of the sweep.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string>
#include <utility>

#include "schemas/types/search_spec.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/seeds/expected_merits.hpp"
#include "server/search/seeds/leaders.hpp"
#include "tests/bench/names_problems.hpp"

namespace hone::bench {
namespace {

struct Options {
  int seeds = 16;
  int trials = 200;
  int repeat = 0;
  std::string method = "tpe";
  std::string set = "developed";
};

Options options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto split = std::min(word.find('='), word.size() - 1);
    const std::string key = word.substr(0, split), text = word.substr(split + 1);
    if (key == "seeds") options.seeds = std::stoi(text);
    if (key == "trials") options.trials = std::stoi(text);
    if (key == "repeat") options.repeat = std::stoi(text);
    if (key == "method") options.method = text;
    if (key == "set") options.set = text;
  }
  return options;
}

// The lowest loss that a local search finds from five starts.
double lowest_loss(const NamesProblem& problem, const SearchSpace& space, Rng& rng) {
  constexpr int starts = 5, steps = 20000, steps_of_a_width = 2000;
  double lowest = std::numeric_limits<double>::infinity();
  for (int start = 0; start < starts; ++start) {
    Point at = space.uniform_point(rng);
    double here = problem.loss(values_of(space, at)), width = 0.3;
    for (int step = 1; step <= steps; ++step) {
      if (step % steps_of_a_width == 0) width /= 2;
      const Point other = space.uniform_point(rng);
      Point next = at;
      for (std::size_t j = 0; j < next.size(); ++j) {
        if (rng.uniform() > 0.5) continue;
        const bool choice = space.dimensions()[j].kind == Dimension::Kind::choice;
        next[j] = choice ? other[j] : std::clamp(next[j] + width * rng.normal(), 0.0, 1.0);
      }
      space.settle(next);
      const double there = problem.loss(values_of(space, next));
      if (there <= here || !std::isfinite(here)) here = there, at = next;
    }
    lowest = std::min(lowest, here);
  }
  return lowest;
}

double median_of_ten_random(const NamesProblem& problem, const SearchSpace& space, Rng& rng) {
  std::vector<double> best(101, std::numeric_limits<double>::infinity());
  for (double& one : best)
    for (int i = 0; i < 10; ++i)
      one = std::min(one, problem.loss(values_of(space, space.uniform_point(rng))));
  std::ranges::sort(best);
  return best[best.size() / 2];
}

struct Column {
  std::vector<double> values;
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  [[nodiscard]] double error() const {
    double squares = 0;
    for (const double value : values) squares += (value - mean()) * (value - mean());
    const auto count = static_cast<double>(values.size());
    return std::sqrt(squares / (count - 1) / count);
  }
};

struct Results {
  Column best_tried, best_told, named, confirmed, noise, modelled, milliseconds;
};

// The best of the first eight by the mean of five new runs, as a confirmation would find it.
std::size_t confirmed_trial(const NamesProblem& problem, const SearchSpace& space,
                            const History& history, const std::vector<std::size_t>& order,
                            std::uint64_t seed) {
  constexpr std::size_t top = 8, runs = 5;
  double lowest = std::numeric_limits<double>::infinity();
  std::size_t named = order.front();
  for (std::size_t i = 0; i < std::min(top, order.size()); ++i) {
    const auto values = values_of(space, history.point(order[i]));
    Rng luck(seed + 2000, Purpose::simulation, order[i]);
    double sum = 0;
    for (std::size_t run = 0; run < runs; ++run) sum += problem.report(values, luck);
    if (sum < lowest) lowest = sum, named = order[i];
  }
  return named;
}

void add_sweep(const NamesProblem& problem, const SearchSpace& space, const Options& options,
               std::uint64_t seed, Results& results) {
  const auto sampler = make_sampler({options.method, options.trials, {}, {}, {}}, space);
  History history(Goal::minimize, space.dimensions().size());
  std::vector<double> truths;
  ExpectedMerits before_repeats;
  for (int number = 0; number < options.trials; ++number) {
    const int repeated = number - (options.trials - options.repeat);
    if (repeated == 0) before_repeats = expected_merits(space, history);
    const bool again = repeated >= 0 && std::cmp_less(repeated, before_repeats.trials.size());
    const auto leader = [&] {
      const auto at =
          history.point(before_repeats.trials[static_cast<std::size_t>(repeated)].trial);
      return Point(at.begin(), at.end());
    };
    const std::size_t trial =
        history.add_trial(again ? leader() : *(*sampler)->propose(space, history, {seed, number}));
    const auto values = values_of(space, history.point(trial));
    truths.push_back(problem.loss(values));
    Rng luck(seed + 1000, Purpose::simulation, trial);
    const double report = problem.report(values, luck);
    const auto run = history.add_run(trial);
    if (std::isfinite(report)) history.add_report(run, 0, Score::of(report));
    history.end_run(run, std::isfinite(report), true);
  }
  const auto leaders = find_leaders(history, truths.size());
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t trial : leaders) best = std::min(best, truths[trial]);
  const std::clock_t begun = std::clock();
  const ExpectedMerits expected = expected_merits(space, history);
  const auto ticks = static_cast<double>(std::clock() - begun);
  const bool modelled = !expected.trials.empty();
  results.best_tried.values.push_back(best);
  results.best_told.values.push_back(truths[leaders.front()]);
  std::vector<std::size_t> order;
  for (const ExpectedMerit& one : expected.trials) order.push_back(one.trial);
  if (!modelled) order = leaders;
  results.named.values.push_back(truths[order.front()]);
  results.confirmed.values.push_back(truths[confirmed_trial(problem, space, history, order, seed)]);
  results.noise.values.push_back(expected.noise);
  results.modelled.values.push_back(modelled ? 1 : 0);
  results.milliseconds.values.push_back(1e3 * ticks / CLOCKS_PER_SEC);
}

void print_row(const NamesProblem& problem, const Options& options) {
  const auto space = SearchSpace::make(problem.space, {});
  Rng rng(1, Purpose::simulation, 3);
  const double middle = median_of_ten_random(problem, *space, rng);
  const double lowest = lowest_loss(problem, *space, rng);
  Results results;
  for (int seed = 0; seed < options.seeds; ++seed)
    add_sweep(problem, *space, options, static_cast<std::uint64_t>(seed), results);
  for (Column* one : {&results.best_tried, &results.best_told, &results.named, &results.confirmed})
    for (double& value : one->values) value = (value - lowest) / (middle - lowest);
  const double oracle = results.best_tried.mean();
  std::printf(
      "| `%s` | %.4f | %.4f ± %.4f | %.4f ± %.4f | %.4f | %.2f | %.2f | %.2f | %.0f %% | %.2f |"
      " %.0f |\n",
      problem.name.c_str(), oracle, results.best_told.mean(), results.best_told.error(),
      results.named.mean(), results.named.error(), results.confirmed.mean(),
      results.best_told.mean() / oracle, results.named.mean() / oracle,
      results.confirmed.mean() / oracle, 100 * results.modelled.mean(), results.noise.mean(),
      results.milliseconds.mean());
  std::fflush(stdout);
}

std::vector<NamesProblem> problems_of(const std::string& set) {
  if (set == "unseen") return unseen_names_problems();
  return set == "rough" ? rough_names_problems() : names_problems();
}

// Noise alone, where half of the sets are close to each other, so that noise is seen.
double estimate_milliseconds(std::size_t trials, std::size_t parameters, std::uint64_t seed) {
  std::vector<Parameter> described;
  for (std::size_t j = 0; j < parameters; ++j)
    described.push_back({"x" + std::to_string(j), FloatDomain{0, 1, Scale::linear, {}, {}}, ""});
  const auto space = SearchSpace::make(described, {});
  History history(Goal::minimize, parameters);
  Rng rng(seed, Purpose::simulation, 5);
  for (std::size_t i = 0; i < trials; ++i) {
    Point point = space->uniform_point(rng);
    if (i % 2 == 0)
      for (double& x : point) x = 0.45 + 0.1 * x;
    const auto run = history.add_run(history.add_trial(point));
    history.add_report(run, 0, Score::of(rng.normal()));
    history.end_run(run, true, true);
  }
  const std::clock_t begun = std::clock();
  expected_merits(*space, history);
  return 1e3 * static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

void print_size(std::size_t trials, std::size_t parameters, int seeds) {
  std::vector<double> times;
  for (int seed = 0; seed < seeds; ++seed)
    times.push_back(estimate_milliseconds(trials, parameters, static_cast<std::uint64_t>(seed)));
  std::ranges::sort(times);
  std::printf("| %zu | %zu | %.1f | %.1f |\n", trials, parameters, times[times.size() / 2],
              times.back());
  std::fflush(stdout);
}

int bench_sizes(const Options& options) {
  std::puts("| trials | parameters | CPU ms, median | CPU ms, most |\n|---:|---:|---:|---:|");
  for (const std::size_t trials : {20, 200, 2'000, 30'000})
    for (const std::size_t parameters : {2, 8, 16}) print_size(trials, parameters, options.seeds);
  return 0;
}

int bench(const Options& options) {
  if (options.set == "sizes") return bench_sizes(options);
  std::puts(
      "| problem | best tried | best told | named | confirmed | told / tried | named / tried |"
      " confirmed / tried | by the model | noise | CPU ms |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (const NamesProblem& problem : problems_of(options.set)) print_row(problem, options);
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int count, char** words) {
  return hone::bench::bench(hone::bench::options_of(count, words));
}
