// Compares settings of `tpe`: prints the median regret after 50, 100 and 200 trials on the
// functions of tpe_problems.cpp, and the mean over functions of the mean log10 regret.
//
//   tpe_bench [seeds=16] [workers=1] [only=NAME] [held_out=true] [setting=value ...]
//   tpe_bench surrogate=false explore=0.0
//
// The regret is that of the loss without noise, of the trial with the best report.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include "schemas/types/search_spec.hpp"
#include "server/search/samplers/sampler.hpp"
#include "tests/bench/tpe_problems.hpp"

namespace hone::bench {
namespace {

constexpr std::array looks{50, 100, 200};
constexpr double least_regret = 1e-4;  // smaller ones count as this in means

struct Options {
  int seeds = 16;
  std::size_t workers = 1;
  std::string only;
  bool held_out = false;
  SearchSpec search{"tpe", looks.back(), {}, {}, {}};
};

Value value_of(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (text.find_first_of(".e") == std::string::npos) return std::int64_t{std::stoll(text)};
  return std::stod(text);
}

Options options_of(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto split = std::min(word.find('='), word.size() - 1);
    const std::string key = word.substr(0, split), text = word.substr(split + 1);
    if (key == "seeds")
      options.seeds = std::stoi(text);
    else if (key == "workers")
      options.workers = std::stoul(text);
    else if (key == "held_out")
      options.held_out = text == "true";
    else if (key == "only")
      options.only = text;
    else
      options.search.settings.push_back({key, value_of(text)});
  }
  return options;
}

// Runs one sweep and returns the regret at each look. `workers` trials are pending at any time; the
// oldest reports first.
std::array<double, 3> run(const TpeProblem& problem, const SearchSpace& space,
                          const Sampler& sampler, std::size_t workers, std::uint64_t seed) {
  History history(Goal::minimize, space.dimensions().size());
  Rng noise(seed, Purpose::simulation, 99);
  std::array<double, 3> regrets{};
  double best_report = std::numeric_limits<double>::infinity(), regret = best_report;
  std::size_t told = 0;
  const auto tell = [&] {
    const double loss = problem.loss(values_of(space, history.point(told)));
    const double report = loss + problem.noise * noise.normal();
    const auto number = history.add_run(told++);
    if (std::isfinite(report)) history.add_report(number, 0, Score::of(report));
    history.end_run(number, true, true);
    if (report < best_report) {
      best_report = report;
      regret = loss - problem.lowest;
    }
    for (std::size_t i = 0; i < looks.size(); ++i)
      if (told == static_cast<std::size_t>(looks.at(i))) regrets.at(i) = regret;
  };
  for (int number = 0; number < looks.back(); ++number) {
    history.add_trial(*sampler.propose(space, history, {seed, number}));
    if (history.trials().size() - told >= workers) tell();
  }
  while (told < history.trials().size()) tell();
  return regrets;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

int bench(const Options& options) {
  std::array<double, 3> sums{};
  double problems = 0;
  std::printf("%-16s %10s %10s %10s\n", "median regret", "50", "100", "200");
  for (const TpeProblem& problem : options.held_out ? held_out_problems() : tpe_problems()) {
    if (!options.only.empty() && options.only != problem.name) continue;
    const auto space = SearchSpace::make(problem.space, {});
    const auto sampler = make_sampler(options.search, *space);
    if (!sampler) {
      std::fprintf(stderr, "tpe_bench: %s\n", sampler.error().detail.c_str());
      return 2;
    }
    std::array<std::vector<double>, 3> regrets;
    for (int seed = 0; seed < options.seeds; ++seed) {
      const auto one =
          run(problem, *space, **sampler, options.workers, static_cast<std::uint64_t>(seed));
      for (std::size_t i = 0; i < 3; ++i) {
        regrets.at(i).push_back(one.at(i));
        sums.at(i) += std::log10(std::max(one.at(i), least_regret)) / options.seeds;
      }
    }
    std::printf("%-16s %10.4g %10.4g %10.4g\n", problem.name.c_str(), median(regrets[0]),
                median(regrets[1]), median(regrets[2]));
    problems += 1;
  }
  std::printf("%-16s %10.3f %10.3f %10.3f\n", "mean log10", sums[0] / problems, sums[1] / problems,
              sums[2] / problems);
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int count, char** words) {
  return hone::bench::bench(hone::bench::options_of(count, words));
}
