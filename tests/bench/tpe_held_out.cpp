// Functions on which one choice of `tpe` was made: that it fits widths in half of its proposals.
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/bench/tpe_problems.hpp"

namespace hone::bench {
namespace {

constexpr double pi = std::numbers::pi;

Space box(std::size_t size, double min, double max, Scale scale = Scale::linear) {
  return space_of(std::vector<Domain>(size, real(min, max, scale)));
}

Space with_choices(Space space, std::size_t count, std::int64_t size) {
  for (std::size_t i = 0; i < count; ++i) {
    ChoiceDomain domain;
    for (std::int64_t k = 0; k < size; ++k) domain.values.emplace_back(k);
    space.push_back({"c" + std::to_string(i), domain, ""});
  }
  return space;
}

double zakharov(Values x) {
  double squares = 0, line = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += squared(x[i] - 1);
    line += 0.5 * static_cast<double>(i + 1) * (x[i] - 1);
  }
  return squares + squared(line) + squared(squared(line));
}

double powell(Values x) {
  double sum = 0;
  for (std::size_t i = 0; i + 3 < x.size(); i += 4)
    sum += squared(x[i] + 10 * x[i + 1]) + 5 * squared(x[i + 2] - x[i + 3]) +
           squared(squared(x[i + 1] - 2 * x[i + 2])) + 10 * squared(squared(x[i] - x[i + 3]));
  return sum;
}

double alpine(Values x) {
  double sum = 0;
  for (const double one : x) sum += std::abs((one - 2) * std::sin(one - 2) + 0.1 * (one - 2));
  return sum;
}

double schwefel(Values x) {
  double sum = 418.98288727243374 * static_cast<double>(x.size());
  for (const double one : x) sum -= one * std::sin(std::sqrt(std::abs(one)));
  return sum;
}

double salomon(Values x) {
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += squared(x[i] - static_cast<double>(i));
  return 1 - std::cos(2 * pi * std::sqrt(squares)) + 0.1 * std::sqrt(squares);
}

double beale(Values v) {
  const double x = v[0], y = v[1];
  return squared(1.5 - x + x * y) + squared(2.25 - x + x * y * y) +
         squared(2.625 - x + x * y * y * y);
}

double trid(Values x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += squared(x[i] - 1);
    if (i > 0) sum -= x[i] * x[i - 1];
  }
  return sum;
}

// Three of twelve dimensions matter, and have two good basins.
double sparse(Values x) {
  const double a = x[2], b = x[5], c = x[9];
  const double near = 8 * squared(a - 0.2) + 6 * squared(b - 0.3 - 0.5 * a) + 3 * squared(c - 0.6);
  const double far = 0.15 + 5 * squared(a - 0.8) + 5 * squared(b - 0.9) + 3 * squared(c - 0.1);
  return std::min(near, far);
}

// Learning rates whose product matters most.
double valley(Values x) {
  const double a = std::log10(x[0]), b = std::log10(x[1]), c = std::log10(x[2]);
  return 4 * squared(a + b + 5) + 0.2 * squared(a - b + 1) + 0.6 * squared(c + 1.5 + 0.3 * a) +
         0.05 * squared(std::log10(x[3]) + 3);
}

double rounded(Values x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += std::floor(std::abs(x[i] - 1.7 * static_cast<double>(i) + 3)) / 2;
  return sum;
}

// Two choices move the optimum of five numbers.
double moved(Values x) {
  const double shift = 0.15 * x[5] - 0.1 * x[6];
  double sum = x[5] == 1 ? 0 : 0.1;
  sum += x[6] == 2 ? 0 : 0.05 * (1 + x[6]);
  for (std::size_t i = 0; i < 5; ++i)
    sum += (i < 2 ? 4 : 0.5) * squared(x[i] - 0.5 - shift * (i % 2 == 0 ? 1 : -1));
  return sum;
}

// Fails beyond a plane, near which the optimum is.
double cliff(Values x) {
  if (x[0] + x[1] - 0.5 * x[2] > 1.05) return std::numeric_limits<double>::infinity();
  return squared(x[0] - 0.8) + squared(x[1] - 0.4) + squared(x[2] - 0.4) +
         0.3 * std::abs(x[3] - 0.2);
}

}  // namespace

std::vector<TpeProblem> held_out_problems() {
  return {{"zakharov6", box(6, -5, 10), zakharov},
          {"powell8", box(8, -4, 5), powell},
          {"alpine6", box(6, -10, 10), alpine},
          {"schwefel4", box(4, -500, 500), schwefel},
          {"salomon5", box(5, -20, 20), salomon},
          {"beale2", box(2, -4.5, 4.5), beale},
          {"trid5", box(5, -25, 25), trid, -30},
          {"sparse12", box(12, 0, 1), sparse},
          {"sparse12-noisy", box(12, 0, 1), sparse, 0, 0.1},
          {"valley4", box(4, 1e-6, 1, Scale::log), valley},
          {"rounded5", box(5, -10, 10), rounded},
          {"moved7", with_choices(box(5, 0, 1), 2, 3), moved},
          {"cliff4", box(4, 0, 1), cliff}};
}

}  // namespace hone::bench
