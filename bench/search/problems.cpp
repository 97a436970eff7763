#include "bench/search/problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "base/expect.hpp"
#include "bench/search/spaces.hpp"

namespace hone::bench {
namespace {

using std::numbers::e;
using std::numbers::pi;

double square(double x) { return x * x; }

double number(const Params& params, std::string_view name) {
  const Value* value = find(params, name);
  expect(value != nullptr, "a problem reads active parameters only");
  if (const auto* whole = std::get_if<std::int64_t>(value)) return static_cast<double>(*whole);
  return std::get<double>(*value);
}

const std::string& word(const Params& params, std::string_view name) {
  const Value* value = find(params, name);
  expect(value != nullptr, "a problem reads active parameters only");
  return std::get<std::string>(*value);
}

template <std::size_t N>
std::array<double, N> coordinates(const Params& params) {
  std::array<double, N> x{};
  for (std::size_t i = 0; i < N; ++i) x[i] = number(params, "x" + std::to_string(i));
  return x;
}

double branin(const Params& params) {
  const auto [x, y] = coordinates<2>(params);
  const double b = 5.1 / (4 * square(pi)), c = 5 / pi, t = 1 / (8 * pi);
  return square(y - b * x * x + c * x - 6) + 10 * (1 - t) * std::cos(x) + 10;
}

template <std::size_t N>
using Rows = std::array<std::array<double, N>, 4>;

template <std::size_t N>
double hartmann(const std::array<double, N>& x, const Rows<N>& widths, const Rows<N>& centers) {
  constexpr std::array weights{1.0, 1.2, 3.0, 3.2};
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double distance = 0;
    for (std::size_t j = 0; j < N; ++j) distance += widths[i][j] * square(x[j] - centers[i][j]);
    sum += weights[i] * std::exp(-distance);
  }
  return -sum;
}

double hartmann3(const Params& params) {
  constexpr Rows<3> widths{{{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}}};
  constexpr Rows<3> centers{{{.3689, .1170, .2673},
                             {.4699, .4387, .7470},
                             {.1091, .8732, .5547},
                             {.03815, .5743, .8828}}};
  return hartmann(coordinates<3>(params), widths, centers);
}

double hartmann6(const Params& params) {
  constexpr Rows<6> widths{{{10, 3, 17, 3.5, 1.7, 8},
                            {.05, 10, 17, .1, 8, 14},
                            {3, 3.5, 1.7, 10, 17, 8},
                            {17, 8, .05, 10, .1, 14}}};
  constexpr Rows<6> centers{{{.1312, .1696, .5569, .0124, .8283, .5886},
                             {.2329, .4135, .8307, .3736, .1004, .9991},
                             {.2348, .1451, .3522, .2883, .3047, .6650},
                             {.4047, .8828, .8732, .5743, .1091, .0381}}};
  return hartmann(coordinates<6>(params), widths, centers);
}

// Shifted: in the middle of the box the optimum would be a gift to whatever starts there.
double ackley5(const Params& params) {
  constexpr std::array shift{3.2768, -9.8304, 16.384, -6.5536, 13.1072};
  const auto x = coordinates<5>(params);
  double squares = 0, waves = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += square(x[i] - shift[i]);
    waves += std::cos(2 * pi * (x[i] - shift[i]));
  }
  return -20 * std::exp(-0.2 * std::sqrt(squares / 5)) - std::exp(waves / 5) + 20 + e;
}

double levy4(const Params& params) {
  auto w = coordinates<4>(params);
  for (double& one : w) one = 1 + (one - 1) / 4;
  double sum = square(std::sin(pi * w[0]));
  for (std::size_t i = 0; i < 3; ++i)
    sum += square(w[i] - 1) * (1 + 10 * square(std::sin(pi * w[i] + 1)));
  return sum + square(w[3] - 1) * (1 + square(std::sin(2 * pi * w[3])));
}

double rosenbrock4(const Params& params) {
  const auto x = coordinates<4>(params);
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i)
    sum += 100 * square(x[i + 1] - square(x[i])) + square(1 - x[i]);
  return sum;
}

struct Setting {  // of mixed6: where a choice has its minimum, and how low it is
  std::string_view name;
  double center;
  double offset;
};

template <std::size_t N>
const Setting& setting(const std::array<Setting, N>& table, std::string_view name) {
  const auto* row = std::find_if(table.begin(), table.end(),
                                 [&](const Setting& one) { return one.name == name; });
  expect(row != table.end(), "every choice has a row");
  return *row;
}

double mixed6(const Params& params) {
  constexpr std::array<Setting, 4> optimizers{
      {{"sgd", -1, 0.30}, {"adam", -3, 0}, {"rmsprop", -2.5, 0.15}, {"adagrad", -1.5, 0.50}}};
  constexpr std::array<Setting, 3> activations{
      {{"relu", 0, 0.10}, {"tanh", 0, 0.25}, {"gelu", 0, 0}}};
  const Setting& optimizer = setting(optimizers, word(params, "opt"));
  const double layers = number(params, "layers");
  double loss = square(std::log10(number(params, "lr")) - optimizer.center) + optimizer.offset;
  loss += 0.5 * square(std::log10(number(params, "wd")) + 4);
  loss += 0.05 * square(layers - 4);
  loss += 0.3 * square(std::log2(number(params, "width")) - std::log2(96));
  loss += setting(activations, word(params, "act")).offset;
  if (word(params, "act") == "tanh") loss += 0.2 * std::abs(layers - 2);
  return loss;
}

double cond(const Params& params) {
  const std::string& model = word(params, "model");
  if (model == "svm") {
    const double loss = 0.3 + 0.1 * square(std::log10(number(params, "C")) - 1);
    if (word(params, "kernel") == "linear") return loss + 0.2;
    return loss + 0.15 * square(std::log10(number(params, "gamma")) + 2);
  }
  if (model == "forest")
    return 0.2 + 0.2 * square((number(params, "trees") - 300) / 300) +
           0.1 * square((number(params, "depth") - 12) / 6);
  const double layers = number(params, "layers");
  double loss = 0.2 * square(std::log10(number(params, "lr")) + 3) + 0.1 * square(layers - 2);
  for (int i = 0; i < static_cast<int>(layers); ++i)
    loss += 0.05 * square(std::log2(number(params, "units" + std::to_string(i))) - 5);
  return loss;
}

constexpr std::array<Problem, 8> table{{
    {"branin", branin_space, branin, 0.39788735772973816},
    {"hartmann3", hartmann3_space, hartmann3, -3.8627821478207554},
    {"hartmann6", hartmann6_space, hartmann6, -3.322368011415515},
    {"ackley5", ackley5_space, ackley5, 0},
    {"levy4", levy4_space, levy4, 0},
    {"rosenbrock4", rosenbrock4_space, rosenbrock4, 0},
    {"mixed6", mixed6_space, mixed6, 0},
    {"cond", cond_space, cond, 0},
}};

}  // namespace

std::span<const Problem> problems() { return table; }

const Problem* find_problem(std::string_view name) {
  const auto* row = std::find_if(table.begin(), table.end(),
                                 [&](const Problem& one) { return one.name == name; });
  return row == table.end() ? nullptr : row;
}

double latency_loss(const Params& params) {
  double loss = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Value& value = params[i].value;
    const auto* whole = std::get_if<std::int64_t>(&value);
    const double plain = whole ? static_cast<double>(*whole) : std::get<double>(value);
    const std::array units{1 + std::log10(plain) / 5, (plain - 1) / 63, plain / 3, (plain + 1) / 2};
    loss += square(units[i % 4] - 0.3);
  }
  return loss;
}

}  // namespace hone::bench
