#include "tests/bench/tpe_problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "base/rng.hpp"

namespace hone::bench {
namespace {

constexpr double pi = std::numbers::pi;

Space box(std::size_t size, double min, double max) {
  return space_of(std::vector<Domain>(size, real(min, max)));
}

// A fixed rotation: as many random reflections as there are dimensions.
std::vector<double> rotated(std::vector<double> x, std::uint64_t seed) {
  Rng rng(seed, Purpose::simulation, 0);
  for (std::size_t turn = 0; turn < x.size(); ++turn) {
    std::vector<double> normal(x.size());
    double length = 0, along = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      normal[i] = rng.normal();
      length += squared(normal[i]);
      along += normal[i] * x[i];
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= 2 * along * normal[i] / length;
  }
  return x;
}

double ellipsoid(Values values) {
  std::vector<double> z;
  for (std::size_t i = 0; i < values.size(); ++i) z.push_back(values[i] - (i % 2 ? 1.3 : -0.8));
  z = rotated(z, 3);
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    sum += std::pow(1000.0, static_cast<double>(i) / 5) * squared(z[i]);
  return sum;
}

double rastrigin(Values values) {
  double sum = 0, center = 0.9;
  for (const double x : values) {
    sum += squared(x - center) - 10 * std::cos(2 * pi * (x - center)) + 10;
    center -= 0.6;
  }
  return sum;
}

double styblinski(Values values) {
  double sum = 0;
  for (const double x : values)
    sum += 0.5 * (x * x * x * x - 16 * x * x + 5 * x) + 39.16616570377142;
  return sum;
}

double sphere(Values values) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    sum += squared(values[i] - 2 * std::sin(3 * static_cast<double>(i) + 1));
  return sum;
}

double rotated_ackley(Values values) {
  std::vector<double> z;
  for (std::size_t i = 0; i < values.size(); ++i)
    z.push_back(values[i] - 6 * std::sin(static_cast<double>(i) * 1.7 + 1));
  z = rotated(z, 7);
  const auto size = static_cast<double>(z.size());
  double squares = 0, waves = 0;
  for (const double one : z) {
    squares += one * one / size;
    waves += std::cos(2 * pi * one) / size;
  }
  return -20 * std::exp(-0.2 * std::sqrt(squares)) - std::exp(waves) + 20 + std::numbers::e;
}

double rosenbrock(Values x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    sum += 100 * squared(x[i + 1] - x[i] * x[i]) + squared(1 - x[i]);
  return sum;
}

double camel(Values v) {
  const double x = v[0], y = v[1];
  return (4 - 2.1 * x * x + x * x * x * x / 3) * x * x + x * y + (-4 + 4 * y * y) * y * y;
}

double michalewicz(Values values) {
  double sum = 0, i = 0;
  for (const double x : values) sum -= std::sin(x) * std::pow(std::sin(++i * x * x / pi), 20);
  return sum;
}

double griewank(Values values) {
  double sum = 0, product = 1, i = 0;
  for (const double x : values) {
    const double z = x - 7 * ++i + 20;
    sum += z * z / 400;
    product *= std::cos(z / std::sqrt(i));
  }
  return sum - product + 1;
}

// Four of twenty dimensions matter, two of them together.
double effective(Values x) {
  double sum = 4 * squared(x[3] - 0.2) + 6 * squared(x[7] - 0.75) + 3 * squared(x[12] - x[3] - 0.3);
  sum += 2 * std::abs(x[17] - 0.6);
  for (const double one : x) sum += 0.01 * squared(one - 0.5);
  return sum;
}

// Learning rate, 1 - gamma, clip, entropy, epochs, batch, network, normalization.
double policy_gradient(Values v) {
  const double rate = std::log10(v[0]), batch = std::log2(v[5]);
  const double best = -3.4 + 0.25 * (batch - 6) - (v[6] == 1 ? 0.4 : 0);
  double sum = 1.2 * squared(rate - best) + 3 * squared(std::max(rate - best - 0.9, 0.0));
  sum += 0.5 * squared(std::log10(v[1]) + 2.1) + 4 * squared(v[2] - 0.2);
  sum += 0.15 * squared(std::log10(v[3]) + 2.5) + 0.05 * squared(batch - 7);
  sum += 0.01 * squared(v[4] - 8 + 2 * (rate + 3.4));
  return sum + (v[6] == 0 ? 0.3 : v[6] == 1 ? 0 : 0.12) + (v[7] == 0 ? 0.01 * v[4] : 0);
}

// A number in [0, 1) for every `key`.
double scattered(std::uint64_t key) { return Rng(key, Purpose::simulation, 1).uniform(); }

// Eight choices, neighbours of which interact.
double choices(Values v) {
  constexpr std::array<int, 8> best{2, 1, 3, 0, 4, 1, 1, 2};
  double sum = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::size_t next = (i + 1) % 8;
    const auto own = static_cast<std::uint64_t>(v[i]), other = static_cast<std::uint64_t>(v[next]);
    if (v[i] != best[i]) sum += 0.3 + 0.7 * scattered(100 * i + own);
    if (v[i] != best[i] || v[next] != best[next])
      sum += 0.5 * scattered(7919 * (i + 1) + 13 * own + other);
  }
  return sum;
}

// Four algorithms; the best is the narrowest and has its own branches.
double tree(Values v) {
  if (v[0] == 0) return 0.25 + 0.5 * std::abs(v[1] - 0.3);
  if (v[0] == 1) return 0.15 + 2 * squared(v[2] - 0.7) + 0.2 * squared(std::log10(v[3]) + 2);
  if (v[0] == 3) return 0.3 + 0.1 * squared(std::log10(v[8])) + 0.2 * v[9];
  const double shared = 6 * squared(v[4] - 0.35);
  if (v[5] == 0) return shared + 0.4;
  return shared + (v[5] == 1 ? 4 * squared(v[6] - 0.8) : 0.2 + 0.02 * std::abs(v[7] - 11));
}

// Parameters of all branches and of some.
double optimizers(Values v) {
  const double rate = std::log10(v[0]);
  double sum = v[1] == 0   ? 0.05 + 3 * squared(v[2] - 0.9) + 0.6 * squared(rate + 1.2)
               : v[1] == 1 ? 0.1 + 0.2 * squared(std::log10(v[3]) + 1.5) + 0.6 * squared(rate + 3.1)
                           : 0.2 + 0.6 * squared(rate + 2.6);
  sum += 0.12 * squared(v[4] - 3) + (v[4] >= 2 ? 1.5 * squared(v[5] - 0.1 * v[4]) : 0.15);
  sum += v[6] == 0 ? 0.2 : v[6] == 1 ? 0.8 * squared(v[7] - 0.6) : 0.1 + 0.001 * squared(v[8] - 30);
  return sum - 0.05;
}

// Fails where the learning rate is too high for the width.
double diverging(Values v) {
  const double rate = std::log10(v[0]), width = std::log2(v[1]), edge = 1 - 0.35 * width;
  if (rate > edge + 0.6) return std::numeric_limits<double>::infinity();
  const double sum = squared(rate - edge) + 0.1 * squared(width - 7) + 2 * squared(v[3] - 0.25);
  const double choice = v[4] == 2 ? 0 : v[4] == 1 ? 0.2 : 0.35;
  return sum + 0.2 * squared(std::log10(v[2]) + 3) + choice;
}

double steps(Values v) {
  double sum = 0.02 * squared(v[0] - 13) + 0.02 * squared(v[1] - 0.5 * v[0] - 1.5);
  sum += 0.4 * squared(std::log2(v[2]) - std::log2(40.0)) + 0.1 * std::abs(v[3] - 5);
  return sum + 0.002 * std::abs(v[4] - 20) * (1 + v[3] / 5) + (v[5] == 0 ? 0.1 : 0);
}

std::vector<TpeProblem> trees() {
  const auto log = Scale::log;
  return {
      {"tree4",
       space_of({among(4), real(0, 1), real(0, 1), real(1e-4, 1, log), real(0, 1), among(3),
                 real(0, 1), whole(1, 16), real(1e-3, 10, log), real(0, 1)},
                {"", "x0 == 0", "x0 == 1", "x0 == 1", "x0 == 2", "x0 == 2", "x0 == 2 and x5 == 1",
                 "x0 == 2 and x5 == 2", "x0 == 3", "x0 == 3"}),
       tree},
      {"optimizers9",
       space_of({real(1e-5, 1, log), among(3), real(0.5, 0.999), real(1e-4, 0.3, log), whole(1, 4),
                 real(0, 0.6), among(3), real(0.1, 0.99), whole(5, 50)},
                {"", "", "x1 == 0", "x1 == 1", "", "x4 >= 2", "", "x6 == 1", "x6 == 2"}),
       optimizers},
  };
}

std::vector<TpeProblem> mixed() {
  const auto log = Scale::log;
  const Space policy =
      space_of({real(1e-5, 1e-1, log), real(1e-4, 0.2, log), real(0.05, 0.5), real(1e-5, 1e-1, log),
                whole(1, 20), whole(16, 1024, log), among(3), among(2)});
  return {
      {"policy8", policy, policy_gradient},
      {"policy8-noisy", policy, policy_gradient, 0, 0.15},
      {"choices8",
       space_of({among(4), among(5), among(4), among(3), among(5), among(4), among(2), among(5)}),
       choices},
      {"diverging5",
       space_of(
           {real(1e-5, 10, log), whole(8, 512, log), real(1e-6, 1, log), real(0, 1), among(3)}),
       diverging},
      {"steps6",
       space_of(
           {whole(0, 20), whole(0, 20), whole(1, 200, log), whole(0, 7), whole(0, 100), among(2)}),
       steps},
  };
}

}  // namespace

std::vector<TpeProblem> tpe_problems() {
  std::vector<TpeProblem> problems{
      {"ellipsoid6", box(6, -4, 4), ellipsoid},
      {"rastrigin5", box(5, -5.12, 5.12), rastrigin},
      {"styblinski8", box(8, -5, 5), styblinski},
      {"sphere10-noisy", box(10, -5, 5), sphere, 0, 5},
      {"ackley12", box(12, -15, 15), rotated_ackley},
      {"rosenbrock10", box(10, -2, 2), rosenbrock},
      {"camel2", space_of({real(-3, 3), real(-2, 2)}), camel, -1.031628453489877},
      {"michalewicz5", box(5, 0, pi), michalewicz, -4.687658179088148},
      {"griewank4", box(4, -50, 70), griewank},
      {"effective20", box(20, 0, 1), effective},
      {"sphere20", box(20, -5, 5), sphere},
      {"sphere2", box(2, -5, 5), sphere},
      {"sphere3", box(3, -5, 5), sphere},
      {"sphere5", box(5, -5, 5), sphere},
  };
  for (auto& one : mixed()) problems.push_back(std::move(one));
  for (auto& one : trees()) problems.push_back(std::move(one));
  return problems;
}

}  // namespace hone::bench
