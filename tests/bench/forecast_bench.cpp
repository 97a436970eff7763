// How well the fits of server/forecast predict: losses, speeds, and speeds of DL2's public rows.
//
// Usage: forecast_bench [config_speed.txt] (dl2_rows.hpp)
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "server/forecast/curves.hpp"
#include "server/forecast/speed.hpp"
#include "server/search/statistics/bootstrap.hpp"
#include "tests/bench/dl2_rows.hpp"

namespace hone::forecast {
namespace {

double share_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return 100 * quantile_of(values, share);
}

// Errors of the predicted epochs until convergence, of 60 curves.
std::vector<double> loss_errors(int epochs, double noise) {
  const CurveFamily& family = *find_curve_family("inverse");
  const CurveFit truth{&family, {0.21, 1.07, 0.07}};
  const ConvergenceRule rule{0.002, 3, 10'000};
  const double end = *converged_at(truth, rule);
  std::vector<double> errors;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng(seed, Purpose::simulation, 0);
    std::vector<CurvePoint> points;
    for (int k = 0; k < epochs; ++k) {
      const double outlier = rng.uniform() < 0.03 ? 1.5 : 1;
      points.push_back({double(k), truth.at(k) * outlier * (1 + noise * rng.normal())});
    }
    const auto fit = fit_curve(family, points);
    const auto predicted = fit ? converged_at(*fit, rule) : std::nullopt;
    errors.push_back(predicted ? std::abs(*predicted - end) / end : 1);
  }
  return errors;
}

void print_losses() {
  std::printf("Error of the predicted epochs to convergence, median (p90) %%, 60 curves\n");
  std::printf("| noise | 10 epochs | 14 | 24 | 42 |\n|---|---|---|---|---|\n");
  for (const double noise : {0.005, 0.01, 0.03}) {
    std::printf("| %.1f %% ", 100 * noise);
    for (const int epochs : {10, 14, 24, 42}) {
      const auto errors = loss_errors(epochs, noise);
      std::printf("| %.0f (%.0f) ", share_of(errors, 0.5), share_of(errors, 0.9));
    }
    std::printf("|\n");
  }
}

std::vector<double> speed_errors(const SpeedModel& truth, int count) {
  std::vector<double> errors;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed, Purpose::simulation, 2);
    std::vector<SpeedSample> samples;
    while (int(samples.size()) < count) {
      const int p = 1 + int(rng.below(39)), w = 1 + int(rng.below(39));
      if (p + w <= 40)
        samples.push_back({p, w, truth.steps_per_s(p, w) * (1 + 0.05 * rng.normal())});
    }
    const auto fit = fit_speed(truth.mode, truth.batch, samples);
    for (int p = 1; p < 40; ++p)
      for (int w = 1; p + w <= 40; ++w)
        errors.push_back(std::abs(fit->steps_per_s(p, w) / truth.steps_per_s(p, w) - 1));
  }
  return errors;
}

void print_speeds() {
  std::printf("\nError of predicted speeds, 5 %% noise, all 780 pairs, mean (p90) %% of 40 fits\n");
  std::printf("| mode | 5 samples | 8 | 10 | 24 |\n|---|---|---|---|---|\n");
  for (const SpeedModel& truth : {SpeedModel{UpdateMode::sync, 32, {1.02, 2.78, 4.92, 0, 0.02}},
                                  SpeedModel{UpdateMode::async, 1, {2.83, 3.92, 0, 0.11}}}) {
    std::printf("| %s ", truth.mode == UpdateMode::sync ? "sync" : "async");
    for (const int count : {5, 8, 10, 24}) {
      const auto errors = speed_errors(truth, count);
      double sum = 0;
      for (const double error : errors) sum += error / double(errors.size());
      std::printf("| %.1f (%.1f) ", 100 * sum, share_of(errors, 0.9));
    }
    std::printf("|\n");
  }
}

void print_rows(const char* path) {
  std::printf("\nDL2's rows: median error %% over all rows, 40 draws of rows to fit\n");
  std::printf("| model | rows | 8 rows | 12 | 20 |\n|---|---|---|---|---|\n");
  for (const auto& [name, rows] : bench::dl2_rows(path)) {
    std::printf("| %s | %zu ", name.c_str(), rows.size());
    for (const std::size_t count : {8U, 12U, 20U}) {
      std::vector<double> errors;
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Rng rng(seed, Purpose::simulation, 3);
        auto drawn = rows;
        for (std::size_t i = 0; i < std::min(count, rows.size()); ++i)
          std::swap(drawn[i], drawn[i + rng.below(rows.size() - i)]);
        drawn.resize(std::min(count, rows.size()));
        const auto fit = fit_speed(UpdateMode::sync, 1, drawn);
        for (const SpeedSample& row : rows)
          errors.push_back(
              fit ? std::abs(fit->steps_per_s(row.servers, row.workers) / row.steps_per_s - 1) : 1);
      }
      std::printf("| %.1f ", share_of(errors, 0.5));
    }
    std::printf("|\n");
  }
}

}  // namespace

void print_all(const char* rows) {
  print_losses();
  print_speeds();
  if (rows != nullptr) print_rows(rows);
}

}  // namespace hone::forecast

int main(int argc, char** argv) {
  hone::forecast::print_all(argc > 1 ? argv[1] : nullptr);
  return 0;
}
