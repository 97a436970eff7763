// How well the time left of a sweep is forecast (server/forecast/sweep_end.hpp), over simulated
// sweeps of every rule.
//
// Usage: sweep_end_bench [--fit] SEED TABLES [CSV...]. The tables are TABLES of each family of
// made-up curves, from SEED on, and the CSV files. Prints errors and coverage; with --fit, weights.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "server/forecast/sweep_end.hpp"
#include "server/search/statistics/bootstrap.hpp"
#include "server/simulate/curve_families.hpp"
#include "server/simulate/curve_table.hpp"
#include "server/simulate/world.hpp"

namespace hone {
namespace {

struct Look {  // at a sweep
  forecast::SweepSoFar sweep;
  double time_s = 0;
  double left_s = 0;  // what was true
  int twentieths = 0;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Counts phases of the newer half of the time, as the server does.
double pace_of(const std::vector<simulate::Counts>& counts, std::size_t at) {
  std::size_t half = 0;
  while (counts[half].seconds < counts[at].seconds / 2) ++half;
  return static_cast<double>(counts[at].phases - counts[half].phases) /
         (counts[at].seconds - counts[half].seconds);
}

void add_looks(const simulate::Outcome& outcome, const SweepSpec& spec, std::string_view rule,
               std::vector<Look>& looks) {
  const auto& counts = outcome.counts;
  const double end = counts.back().seconds;
  std::size_t at = 0;
  for (int twentieths = 2; twentieths < 20; ++twentieths) {
    const double time = end * twentieths / 20;
    while (counts[at + 1].seconds <= time) ++at;
    const simulate::Counts& now = counts[at];
    if (at == 0 || now.phases < 1) continue;
    looks.push_back({{.rule = rule,
                      .runs = spec.search.trials,
                      .runs_started = now.started,
                      .training = now.training,
                      .paused = now.paused,
                      .ended = now.ended,
                      .phases_done = now.phases,
                      .phases_per_run = spec.budget.phases,
                      .phases_per_s = pace_of(counts, at)},
                     time,
                     end - time,
                     twentieths});
  }
}

void simulate_table(const std::string& name, const std::string& csv, const std::string& card,
                    std::vector<Look>& looks) {
  const auto table = simulate::CurveTable::parse(name, csv, card);
  if (!table) std::exit((std::fprintf(stderr, "%s\n", table.error().detail.c_str()), 1));
  const Json facts = *parse_json(card);
  const int phases = facts.at("checkpoints").get<int>();
  constexpr std::array<std::pair<int, int>, 4> sizes = {
      {{20, 2}, {60, 4}, {60, 16}, {200, 8}}};  // trials, workers
  for (const auto& [trials, workers] : sizes)
    for (const auto& row : terminator_table()) {
      if (row.rule == "threshold" || row.rule == "pbt" || row.rule == "dehb") continue;
      Json terminator = {{"rule", row.rule}};
      if (row.rule == "hone") terminator["version"] = 2;  // the default
      const Json document = {
          {"name", name},
          {"objective", {{"metric", "value"}, {"goal", facts.at("goal")}}},
          {"command", {"true"}},
          {"parameters", facts.at("parameters")},
          {"search", {{"method", "random"}, {"trials", trials}}},
          {"terminator", terminator},
          {"budget", {{"unit", "checkpoints"}, {"per_run", phases}, {"phases", phases}}}};
      const auto spec = decode_request<SweepSpec>(document);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto outcome = simulate::simulate(*spec, *table,
                                                {.workers = workers,
                                                 .deadline = 4.0 * trials / workers + 10,
                                                 .seed = seed,
                                                 .counts = true});
        if (outcome) add_looks(*outcome, *spec, row.rule, looks);
      }
    }
}

struct Tally {
  std::vector<double> of_left, of_all;  // relative errors of the time left, and of the end
  int inside = 0;

  void add(const Look& look) {
    const auto end = forecast::forecast_sweep_end(look.sweep);
    if (!end) return;
    const double error = std::abs(end->seconds - look.left_s);
    of_left.push_back(error / look.left_s);
    of_all.push_back(error / (look.time_s + look.left_s));
    inside += end->low <= look.left_s && look.left_s <= end->high ? 1 : 0;
  }
  void print(const char* name) {
    if (of_all.empty()) return;
    std::sort(of_left.begin(), of_left.end());
    std::sort(of_all.begin(), of_all.end());
    std::printf("| %s | %zu | %.0f %% | %.0f %% | %.0f %% |\n", name, of_all.size(),
                100 * quantile_of(of_all, 0.5), 100 * quantile_of(of_left, 0.5),
                100.0 * inside / static_cast<double>(of_all.size()));
  }
};

void print_errors(const std::vector<Look>& looks) {
  std::puts("| rule | looks | error of the end, median | of the time left, median | inside 80 % |");
  std::puts("|---|---:|---:|---:|---:|");
  Tally all_at_30, all;
  for (const auto& row : terminator_table()) {
    Tally at_30;
    for (const Look& look : looks) {
      if (look.sweep.rule != row.rule) continue;
      all.add(look);
      if (look.twentieths != 6) continue;
      at_30.add(look);
      all_at_30.add(look);
    }
    at_30.print(("`" + std::string(row.rule) + "` at 30 %").c_str());
  }
  all_at_30.print("all rules at 30 %");
  all.print("all rules at 10, 15, ... 95 %");
}

// The weights with the least mean absolute error of logarithms, by coordinate search.
class Fit {
 public:
  Fit(const std::vector<Look>& looks, std::string_view rule, bool proposing) {
    for (const Look& look : looks) {
      const bool proposes = look.sweep.runs > look.sweep.runs_started;
      if ((rule.empty() || look.sweep.rule == rule) && proposes == proposing)
        if (const auto times = forecast::end_times(look.sweep))
          samples_.push_back({*times, look.left_s});
    }
  }

  EndWeights run() const {
    std::array<double, 3> best = {-1, -1, -1};  // logarithms
    double least = loss(best);
    for (const std::array<double, 3> start : {best, {0, -1, -1}, {0, 0, -3}, {0.5, -3, 0}}) {
      auto at = start;
      double value = loss(at);
      for (double step = 1; step > 0.02;)
        if (!improve(at, value, step)) step /= 2;
      if (value < least) least = value, best = at;
    }
    return weights_of(best);
  }

 private:
  struct Sample {
    forecast::EndTimes times;
    double left_s = 0;
  };

  static EndWeights linear(const std::array<double, 3>& logs) {
    return {std::exp(logs[0]), std::exp(logs[1]), std::exp(logs[2]), 1, 1};
  }
  double ratio(const Sample& sample, const EndWeights& weights) const {
    return sample.left_s / std::max(1e-9, forecast::weighted(sample.times, weights));
  }
  double loss(const std::array<double, 3>& logs) const {
    const EndWeights weights = linear(logs);
    double sum = 0;
    for (const Sample& sample : samples_) sum += std::abs(std::log(ratio(sample, weights)));
    return sum;
  }
  bool improve(std::array<double, 3>& at, double& value, double step) const {
    bool improved = false;
    for (double& one : at)
      for (const double change : {step, -step}) {
        one += change;
        const double changed = loss(at);
        if (changed < value - 1e-9)
          value = changed, improved = true;
        else
          one -= change;
      }
    return improved;
  }
  EndWeights weights_of(const std::array<double, 3>& logs) const {
    EndWeights weights = linear(logs);
    std::vector<double> ratios;
    ratios.reserve(samples_.size());
    for (const Sample& sample : samples_) ratios.push_back(ratio(sample, weights));
    std::sort(ratios.begin(), ratios.end());
    weights.low = quantile_of(ratios, 0.1);
    weights.high = quantile_of(ratios, 0.9);
    return weights;
  }

  std::vector<Sample> samples_;
};

void print_fit(const std::vector<Look>& looks) {
  std::vector<std::string_view> rules = {""};  // all of them
  for (const auto& row : terminator_table())
    if (std::ranges::any_of(looks, [&](const Look& look) { return look.sweep.rule == row.rule; }))
      rules.push_back(row.rule);
  for (const std::string_view rule : rules) {
    std::printf("%s", rule.empty() ? "all" : std::string(rule).c_str());
    for (const bool proposing : {true, false}) {
      const EndWeights w = Fit(looks, rule, proposing).run();
      std::printf(", {%.2f, %.2f, %.2f, %.2f, %.2f}", proposing ? w.proposals : 0.0, w.training,
                  w.complete_run, w.low, w.high);
    }
    std::puts("");
  }
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool fit = !words.empty() && words[0] == "--fit";
  if (fit) words.erase(words.begin());
  if (words.size() < 2) return std::fprintf(stderr, "usage: see the file's head\n"), 2;
  std::vector<hone::Look> looks;
  const auto first = std::strtoull(words[0].c_str(), nullptr, 10);
  const auto tables = std::strtoull(words[1].c_str(), nullptr, 10);
  for (auto seed = first; seed < first + tables; ++seed)
    for (const auto& family : hone::simulate::curve_families()) {
      const auto files = hone::simulate::make_family_table(family.name, seed);
      hone::simulate_table(std::string(family.name), files->csv, files->json, looks);
    }
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string stem = words[i].substr(0, words[i].rfind('.'));
    hone::simulate_table(stem, hone::text_of(words[i]), hone::text_of(stem + ".json"), looks);
  }
  fit ? hone::print_fit(looks) : hone::print_errors(looks);
}
