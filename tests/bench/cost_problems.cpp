#include "tests/bench/cost_problems.hpp"

#include <array>
#include <cmath>

namespace hone::bench {
namespace {

using X = std::span<const double>;

constexpr double two_decades = 4.605;

double squared(double x) { return x * x; }

// sum of weight (x_i - c_i)^2 from x_first on; the optima lie at various places inside.
double bowl(X x, std::size_t first, double weight) {
  constexpr std::array<double, 8> middles{0.3, 0.62, 0.45, 0.8, 0.25, 0.55, 0.7, 0.38};
  double sum = 0;
  for (std::size_t i = first; i < x.size(); ++i) sum += weight * squared(x[i] - middles.at(i % 8));
  return sum;
}

// What more training gains: 1 at x = 0, 0 at x = 1.
double untrained(double x, double rate) {
  return (std::exp(-rate * x) - std::exp(-rate)) / (1 - std::exp(-rate));
}

}  // namespace

std::vector<CostProblem> cost_problems() {
  return {
      {"expensive5", 5, [](X x) { return untrained(x[0], 4) + bowl(x, 1, 2); },
       [](X x) { return two_decades * x[0]; }},
      {"cheap5", 5, [](X x) { return 3 * squared(x[0] - 0.15) + bowl(x, 1, 2); },
       [](X x) { return two_decades * x[0]; }},
      {"irrelevant6", 6, [](X x) { return bowl(x, 1, 2); }, [](X x) { return two_decades * x[0]; }},
      {"shifting4", 4,
       [](X x) {
         return untrained(x[0], 3) + 6 * squared(x[1] - 0.7 + 0.4 * x[0]) + bowl(x, 2, 1);
       },
       [](X x) { return 0.75 * two_decades * x[0] + 0.25 * two_decades * x[2]; }}};
}

std::vector<CostProblem> cost_held_out() {
  return {{"expensive7", 7,
           [](X x) {
             return 0.6 * untrained(x[0], 5) + 0.4 * squared(1 - x[1]) + bowl(x, 2, 1.5) +
                    squared(x[2] + x[3] - 1.25);
           },
           [](X x) { return 0.75 * two_decades * x[0] + 0.25 * two_decades * x[1]; }},
          {"cheap6", 6,
           [](X x) {
             return 0.2 * x[5] + 2 * squared(x[0] - 0.2) + 4 * squared(x[1] - x[2]) +
                    bowl(x.first(5), 1, 1);
           },
           [](X x) { return 0.5 * two_decades * x[0] + 0.25 * two_decades * x[5]; }, 1},
          {"irrelevant8", 8, [](X x) { return bowl(x, 2, 2); },
           [](X x) { return 0.3 * two_decades * (x[0] + x[1]); }},
          {"unrelated6", 6, [](X x) { return bowl(x, 0, 2) + squared(x[0] - x[4]); },
           [](X x) {
             return 0.5 * two_decades * std::abs(std::sin(1000 * (x[0] + 2 * x[1] + x[5])));
           }}};
}

}  // namespace hone::bench
