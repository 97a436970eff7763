#include "server/search/samplers/population/time_varying_process.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace hone {
namespace {

constexpr int fit_steps = 60;
constexpr double length_min = 1e-5, length_max = 1, forgetting_max = 0.5, noise_min = 1e-6;

using LogKernel = std::array<double, 4>;  // logarithms of variance, length, forgetting, noise

TimeVaryingKernel kernel_at(const LogKernel& place) {
  return {std::exp(std::clamp(place[0], -10.0, 10.0)),
          std::clamp(std::exp(place[1]), length_min, length_max),
          std::clamp(std::exp(place[2]), 0.0, forgetting_max),
          std::max(std::exp(std::min(place[3], 10.0)), noise_min)};
}

struct Vertex {
  LogKernel place{};
  double worth = 0;
};

LogKernel between(const LogKernel& from, const LogKernel& to, double share) {
  LogKernel place{};
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = from[i] + share * (to[i] - from[i]);
  return place;
}

}  // namespace

TimeVaryingProcess::TimeVaryingProcess(std::vector<TimedInput> inputs,
                                       std::span<const double> values,
                                       const TimeVaryingKernel& kernel)
    : inputs_(std::move(inputs)), kernel_(kernel) {
  const std::size_t n = inputs_.size();
  lower_.assign(n * n, 0);
  whitened_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = covariance(inputs_[i], inputs_[j]) + (i == j ? kernel_.noise : 0);
      const double *row = &lower_[i * n], *other = &lower_[j * n];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (i == j && !(sum > 0)) return;
      lower_[i * n + j] = i == j ? std::sqrt(sum) : sum / lower_[j * n + j];
    }
    double rest = values[i];
    for (std::size_t k = 0; k < i; ++k) rest -= lower_[i * n + k] * whitened_[k];
    whitened_[i] = rest / lower_[i * n + i];
  }
  fits_ = true;
}

double TimeVaryingProcess::covariance(const TimedInput& a, const TimedInput& b) const {
  double squares = 0;
  for (std::size_t j = 0; j < a.at.size(); ++j)
    squares += (a.at[j] - b.at[j]) * (a.at[j] - b.at[j]);
  const double age = 0.5 * std::abs(a.time - b.time);
  return kernel_.variance *
         std::exp(age * std::log1p(-kernel_.forgetting) - squares / kernel_.length);
}

double TimeVaryingProcess::log_likelihood() const {
  const std::size_t n = inputs_.size();
  double sum = -0.5 * static_cast<double>(n) * std::log(2 * std::numbers::pi);
  for (std::size_t i = 0; i < n; ++i)
    sum -= 0.5 * whitened_[i] * whitened_[i] + std::log(lower_[i * n + i]);
  return sum;
}

// L^-1 of the covariances with an input.
std::vector<double> TimeVaryingProcess::solved(const TimedInput& at) const {
  const std::size_t n = inputs_.size();
  std::vector<double> solved(n);
  for (std::size_t i = 0; i < n; ++i) {
    double rest = covariance(inputs_[i], at);
    for (std::size_t k = 0; k < i; ++k) rest -= lower_[i * n + k] * solved[k];
    solved[i] = rest / lower_[i * n + i];
  }
  return solved;
}

double TimeVaryingProcess::mean(const TimedInput& at) const {
  const auto row = solved(at);
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * whitened_[i];
  return sum;
}

double TimeVaryingProcess::deviation(const TimedInput& at) const {
  double variance = kernel_.variance;
  for (const double one : solved(at)) variance -= one * one;
  return std::sqrt(std::max(variance, 0.0));
}

TimeVaryingKernel fit_kernel(const std::vector<TimedInput>& inputs,
                             std::span<const double> values) {
  const auto at = [&](const LogKernel& place) {
    const TimeVaryingProcess process(inputs, values, kernel_at(place));
    return Vertex{place, process.fits() ? process.log_likelihood()
                                        : -std::numeric_limits<double>::infinity()};
  };
  const LogKernel start{0, 0, std::log(0.1), 0};
  std::array<Vertex, 5> simplex{at(start)};
  for (std::size_t i = 0; i < start.size(); ++i) {
    LogKernel place = start;
    place[i] -= 1.5;
    simplex[i + 1] = at(place);
  }
  for (int step = 0; step < fit_steps; ++step) {
    std::ranges::stable_sort(simplex, std::greater<>(), &Vertex::worth);
    LogKernel middle{};
    for (std::size_t v = 0; v + 1 < simplex.size(); ++v)
      for (std::size_t i = 0; i < middle.size(); ++i) middle[i] += simplex[v].place[i] / 4;
    Vertex& worst = simplex.back();
    const Vertex mirrored = at(between(middle, worst.place, -1));
    if (mirrored.worth > simplex.front().worth) {
      const Vertex further = at(between(middle, worst.place, -2));
      worst = further.worth > mirrored.worth ? further : mirrored;
    } else if (mirrored.worth > simplex[simplex.size() - 2].worth) {
      worst = mirrored;
    } else {
      const Vertex nearer = at(between(middle, worst.place, 0.5));
      if (nearer.worth > worst.worth)
        worst = nearer;
      else
        for (std::size_t v = 1; v < simplex.size(); ++v)
          simplex[v] = at(between(simplex.front().place, simplex[v].place, 0.5));
    }
  }
  return kernel_at(std::ranges::max(simplex, {}, &Vertex::worth).place);
}

}  // namespace hone
