// Figures of Optimus, Hemingway and the interference model of Harmony against their bars. All of
// them are computed or simulated; none is measured on a cluster.
//
// Usage: cluster_bench [SEEDS [config_speed.txt]]. Seeds of the simulated rows, 100 if none are
// given; with the file of dl2_rows.hpp, also jobs with its speeds.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "server/cluster/parameter_shards.hpp"
#include "server/cluster/summary.hpp"
#include "server/forecast/curves.hpp"
#include "server/forecast/least_squares.hpp"
#include "server/forecast/scaling.hpp"
#include "server/forecast/speed.hpp"
#include "server/search/statistics/bootstrap.hpp"
#include "tests/bench/dl2_rows.hpp"

namespace hone::cluster {
namespace {

void print_row(const char* what, const char* bar, const std::string& figure, bool met) {
  std::printf("| %s | %s | %s | %s |\n", what, bar, figure.c_str(), met ? "met" : "missed");
  std::fflush(stdout);
}

std::string text_of(const char* format, double value) {
  char text[80];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string text_of(const MeanOfSeeds& value) {
  char text[80];
  std::snprintf(text, sizeof text, "%.3f ± %.3f", value.mean, value.standard_error);
  return text;
}

// Optimus' losses at a fifth of their 47 epochs, 1 % noise, 3 % of the points 1.5 times too high.
void loss_fit() {
  const forecast::CurveFamily& family = *forecast::find_curve_family("inverse");
  const forecast::CurveFit truth{&family, {0.21, 1.07, 0.07}};
  const forecast::ConvergenceRule rule{0.002, 3, 10'000};
  const double end = *forecast::converged_at(truth, rule);
  std::vector<double> errors;
  double coefficients = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed, Purpose::simulation, 0);
    std::vector<forecast::CurvePoint> noisy, exact;
    for (int k = 0; k < 10; ++k) {
      const double outlier = rng.uniform() < 0.03 ? 1.5 : 1;
      noisy.push_back({double(k), truth.at(k) * outlier * (1 + 0.01 * rng.normal())});
      exact.push_back({double(k), truth.at(k)});
    }
    const auto fit = forecast::fit_curve(family, noisy);
    const auto predicted = fit ? forecast::converged_at(*fit, rule) : std::nullopt;
    errors.push_back(predicted ? std::abs(*predicted - end) / end : 1);
    const auto clean = forecast::fit_curve(family, exact);
    for (std::size_t j = 0; j < 3; ++j)
      coefficients = std::max(coefficients, std::abs(clean->parameters[j] - truth.parameters[j]));
  }
  std::sort(errors.begin(), errors.end());
  const double median = quantile_of(errors, 0.5);
  print_row("15 loss fit, 20 % progress, 1 % noise: median error of the end, 60 curves", "<= 10 %",
            text_of("%.1f %%", 100 * median), median <= 0.10);
  print_row("15 loss fit without noise: coefficients", "to 1e-3", text_of("%.1e", coefficients),
            coefficients <= 1e-3);
}

void speed_fit() {
  using forecast::SpeedModel;
  const SpeedModel truth{forecast::UpdateMode::sync, 32, {1.02, 2.78, 4.92, 0, 0.02}};
  double sum = 0, count = 0, exact = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed, Purpose::simulation, 2);
    std::vector<forecast::SpeedSample> noisy, clean;
    while (noisy.size() < 10) {
      const int p = 1 + int(rng.below(39)), w = 1 + int(rng.below(39));
      if (p + w > 40) continue;
      clean.push_back({p, w, truth.steps_per_s(p, w)});
      noisy.push_back({p, w, truth.steps_per_s(p, w) * (1 + 0.05 * rng.normal())});
    }
    const auto fit = forecast::fit_speed(truth.mode, truth.batch, noisy);
    const auto same = forecast::fit_speed(truth.mode, truth.batch, clean);
    for (std::size_t j = 0; j < 5; ++j)
      exact = std::max(exact, std::abs(same->seconds[j] - truth.seconds[j]));
    for (int p = 1; p < 40; ++p)
      for (int w = 1; p + w <= 40; ++w, ++count)
        sum += std::abs(fit->steps_per_s(p, w) / truth.steps_per_s(p, w) - 1);
  }
  print_row("16 speed fit, 10 samples, 5 % noise: mean error over 780 pairs", "<= 5 %",
            text_of("%.1f %%", 100 * sum / count), sum / count <= 0.05);
  print_row("16 speed fit without noise: coefficients", "to 1e-6", text_of("%.1e", exact),
            exact <= 1e-6);
}

// The least error over every set of columns whose solution has no negative coefficient.
double least_error(const forecast::Design& design) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t chosen = 0; chosen < 1U << design.columns; ++chosen) {
    forecast::Design part;
    for (std::size_t j = 0; j < design.columns; ++j) part.columns += chosen >> j & 1U;
    for (std::size_t i = 0; i < design.rows(); ++i) {
      std::vector<double> line;
      for (std::size_t j = 0; j < design.columns; ++j)
        if (chosen >> j & 1U) line.push_back(design.row(i)[j]);
      part.add(line, design.targets[i]);
    }
    const auto x = forecast::least_squares(part);
    if (std::all_of(x.begin(), x.end(), [](double value) { return value >= 0; }))
      least = std::min(least, forecast::squared_error(part, x));
  }
  return least;
}

void nnls() {
  double most = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Rng rng(7, Purpose::simulation, i);
    forecast::Design design;
    design.columns = 5;
    for (int row = 0; row < 12; ++row) {
      std::vector<double> line(5);
      for (double& value : line) value = rng.normal();
      design.add(line, rng.normal());
    }
    const auto x = forecast::nonnegative_least_squares(design);
    most = std::max(most, forecast::squared_error(design, x) - least_error(design));
  }
  print_row("17 NNLS minus brute force, squared error, 200 problems", "0 (1e-9)",
            text_of("%.1e", most), most <= 1e-9);
}

// Means of both policies on the same seeds.
MeanOfSeeds ratio_of(const ClusterSetup& setup, const char* policy, const char* other, int seeds) {
  Tally one, two;
  for (int i = 1; i <= seeds; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const auto jobs = draw_jobs(setup, seed);
    one.add(*simulate(setup, jobs, scheduler_of(*find_policy(policy)), seed));
    two.add(*simulate(setup, jobs, scheduler_of(*find_policy(other)), seed));
  }
  return relative_completion(one.summary(), two.summary());
}

// The set-up of Optimus' testbed: 9 jobs within 12,000 s on 33 slots.
ClusterSetup testbed() {
  ClusterSetup setup;
  setup.rule = SpeedRule::parameter_servers;
  setup.interval_s = 600;
  setup.preempts = true;
  setup.restart_s = 30;
  setup.servers.assign(7, {0, 3});
  setup.servers.insert(setup.servers.end(), 6, {0, 2});
  setup.types = usual_types();
  setup.workload.jobs = 9;
  setup.workload.workers_min = 2;
  setup.workload.workers_max = 4;
  return setup;
}

// The types with speeds that are fitted to DL2's rows, scaled to the speed of the formula with one
// worker and one parameter server: how they scale is measured, how long jobs last is not.
std::vector<JobType> types_with_speeds(const ClusterSetup& setup, const char* path) {
  std::vector<JobType> types = usual_types();
  const auto rows = bench::dl2_rows(path);
  for (std::size_t t = 0; t < types.size(); ++t) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
      return row.first.starts_with(types[t].name);
    });
    if (found == rows.end()) continue;
    auto fit = forecast::fit_speed(forecast::UpdateMode::sync, 1, found->second);
    if (!fit) continue;
    Job job;
    job.type = static_cast<int>(t);
    const double scale = fit->steps_per_s(1, 1) / steps_per_s(setup, job, {1, 1}, nullptr);
    for (double& seconds : fit->seconds) seconds *= scale;
    types[t].speed = fit;
  }
  return types;
}

void optimus_with_speeds(int seeds, const char* path) {
  ClusterSetup setup = testbed();
  setup.types = types_with_speeds(setup, path);
  for (const auto& [policy, bar] : {std::pair{"fair", ">= 1.1"}, {"tetris", ">= 1.1"}}) {
    const auto ratio = ratio_of(setup, policy, "optimus", seeds);
    const std::string what =
        "18 " + std::string(policy) + " / optimus, speeds fitted to DL2's rows";
    print_row(what.c_str(), bar, text_of(ratio), ratio.mean >= 1.1);
  }
  const auto known = ratio_of(setup, "fair", "oracle", seeds);
  print_row("18 fair / oracle, the same", ">= 1.1", text_of(known), known.mean >= 1.1);
}

void optimus(int seeds) {
  const ClusterSetup setup = testbed();
  const auto fair = ratio_of(setup, "fair", "optimus", seeds);
  print_row("18 mean completion, fair / optimus, sdk/examples/cluster/optimus.yaml", ">= 1.1",
            text_of(fair), fair.mean >= 1.1);
  const auto known = ratio_of(setup, "fair", "oracle", seeds);
  print_row("18 the same, fair / oracle (true speeds and ends)", ">= 1.1", text_of(known),
            known.mean >= 1.1);
  const auto tetris = ratio_of(setup, "tetris", "optimus", seeds);
  print_row("18 tetris / optimus (paper 1.74, with its own testbed)", ">= 1.1", text_of(tetris),
            tetris.mean >= 1.1);
  const auto allocation = ratio_of(setup, "optimus-placement", "optimus", seeds);
  print_row("18 the allocation of fair in optimus / optimus (paper 1.62)", "> 1",
            text_of(allocation), allocation.mean > 1);
  const auto placement = ratio_of(setup, "optimus-allocation", "optimus", seeds);
  print_row("18 balanced placement in optimus / optimus (paper about 1.1 to 1.15)", "> 1",
            text_of(placement), placement.mean > 1);
}

double least_exchange(const Tasks& tasks, int slots) {
  double least = std::numeric_limits<double>::infinity();
  for (int w0 = 0; w0 <= tasks.workers; ++w0)
    for (int w1 = 0; w0 + w1 <= tasks.workers; ++w1)
      for (int p0 = 0; p0 <= tasks.servers; ++p0)
        for (int p1 = 0; p0 + p1 <= tasks.servers; ++p1) {
          const Layout layout{
              {w0, p0}, {w1, p1}, {tasks.workers - w0 - w1, tasks.servers - p0 - p1}};
          if (std::all_of(layout.begin(), layout.end(),
                          [&](const Tasks& here) { return here.total() <= slots; }))
            least = std::min(least, exchange_s(12, 1, layout));
        }
  return least;
}

void even_placement() {
  ClusterSetup setup;
  setup.rule = SpeedRule::parameter_servers;
  Rng rng(1, Purpose::simulation, 0);
  int equal = 0, all = 0, equal_full = 0, all_full = 0;
  for (int slots = 2; slots <= 8; ++slots)
    for (int p = 1; p <= 4; ++p)
      for (int w = 1; w <= 6; ++w) {
        setup.servers.assign(3, {0, slots});
        if (p + w > 3 * slots) continue;
        const View view{&setup, 0, {}, empty_room(setup)};
        const auto layout = find_placement("even")->place(view, {0, {w, p}}, rng);
        if (!layout) continue;
        const bool same = exchange_s(12, 1, *layout) <= least_exchange({w, p}, slots) + 1e-12;
        bool full = false;  // both numbers divide by the servers, which they fill
        for (int k = 1; k <= 3; ++k)
          full = full || (p % k == 0 && w % k == 0 && p + w == k * slots);
        all += 1;
        equal += same ? 1 : 0;
        all_full += full ? 1 : 0;
        equal_full += full && same ? 1 : 0;
      }
  const double worked = exchange_s(2, 1, {{2, 1}, {2, 1}, {0, 0}});
  print_row("19 worked case of the paper", "2", text_of("%g", worked), worked == 2);
  print_row("19 even placement equals brute force where jobs fill their servers", "all",
            std::to_string(equal_full) + " of " + std::to_string(all_full), equal_full == all_full);
  print_row("19 the same for all (p, w) <= (4, 6) on 3 servers of 2 to 8 slots", "all",
            std::to_string(equal) + " of " + std::to_string(all), equal == all);
}

// The 161 tensors of ResNet-50 (He et al., 2015): convolutions, normalizations, one dense layer.
std::vector<double> resnet_50() {
  constexpr double kernel = 9, stem = 7 * 7 * 3 * 64, classes = 1000, growth = 4;
  std::vector<double> sizes{stem};
  const auto normalization = [&](double channels) { sizes.insert(sizes.end(), 2, channels); };
  normalization(64);
  double in = 64;
  for (const auto& [blocks, width] : {std::pair{3, 64.0}, {4, 128.0}, {6, 256.0}, {3, 512.0}})
    for (int block = 0; block < blocks; ++block) {
      const double out = growth * width;
      sizes.push_back(in * width);
      normalization(width);
      sizes.push_back(kernel * width * width);
      normalization(width);
      sizes.push_back(width * out);
      normalization(out);
      if (block == 0) {
        sizes.push_back(in * out);
        normalization(out);
      }
      in = out;
    }
  sizes.push_back(in * classes);
  sizes.push_back(classes);
  return sizes;
}

void parameter_shards() {
  constexpr double spread_max = 0.11;
  const auto shards = assign_parameters(resnet_50(), 10);
  const auto [small, large] = std::ranges::minmax(shards, {}, &Shard::parameters);
  const auto [few, many] = std::ranges::minmax(shards, {}, &Shard::requests);
  int requests = 0;
  for (const Shard& shard : shards) requests += shard.requests;
  const double spread = (large.parameters - small.parameters) / 1e6;
  print_row(
      "20 ResNet-50 on 10 parameter servers: spread of sizes (million), of requests, requests",
      "0.11, 1, 161",
      text_of("%.3f", spread) + ", " + std::to_string(many.requests - few.requests) + ", " +
          std::to_string(requests),
      spread <= spread_max && many.requests - few.requests == 1 && requests == 161);
}

void hemingway() {
  const forecast::ScaleModel iteration{{0.02, 3.2, 0.01, 0.004}, 128};
  int fastest = 1;
  for (int m = 1; m <= 128; ++m)
    if (iteration.seconds(m) < iteration.seconds(fastest)) fastest = m;
  std::vector<forecast::ProgressSample> samples;
  for (const double m : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0})
    for (double i = 1; i < 400; i = std::ceil(i * 1.25)) {
      const double left = std::pow(1 - 0.9 / (std::pow(m, 0.75) + 1), i);
      if (left > 1e-5) samples.push_back({i, m, left});
    }
  const auto progress = forecast::fit_progress(samples);
  const std::vector<int> candidates{1, 2, 4, 8, 16, 32, 64, 128};
  const auto choice = forecast::first_to_reach(iteration, *progress, candidates, 1e-3);
  const int machines = choice ? choice->machines : 0;
  print_row("21 machines that reach the target first; fastest iteration", "8; 27",
            std::to_string(machines) + "; " + std::to_string(fastest),
            machines == 8 && fastest == 27);
}

void interference(int seeds) {
  ClusterSetup setup;
  setup.servers.assign(6, {2, 8});
  setup.types = usual_types();
  for (const double rate : {0.7, 1.0}) {
    setup.workload.per_interval = rate;
    const auto what =
        "22 load balancing / placement-oracle, " + text_of("%g", rate) + " arrivals an interval";
    const auto balance = ratio_of(setup, "load-balancing", "placement-oracle", seeds);
    print_row(what.c_str(), "1.15 to 1.27", text_of(balance),
              balance.mean >= 1.15 && balance.mean <= 1.27);
  }
}

void print_all(int seeds, const char* rows) {
  std::printf("Computed, or simulated with seeds 1 to %d; nothing is measured on a cluster.\n\n",
              seeds);
  std::printf("| row | bar | figure | |\n|---|---|---|---|\n");
  loss_fit();
  speed_fit();
  nnls();
  optimus(seeds);
  if (rows != nullptr) optimus_with_speeds(seeds, rows);
  even_placement();
  parameter_shards();
  hemingway();
  interference(seeds);
}

}  // namespace
}  // namespace hone::cluster

int main(int argc, char** argv) {
  hone::cluster::print_all(argc > 1 ? std::max(2, std::atoi(argv[1])) : 100,
                           argc > 2 ? argv[2] : nullptr);
  return 0;
}
