#include "tests/bench/names_problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace hone::bench {
namespace {

constexpr double failed = std::numeric_limits<double>::infinity();

// The report of a trainer without noise.
template <double (*loss)(Values)>
double exactly(Values values, Rng&) {
  return loss(values);
}

ChoiceDomain ordered(const std::vector<double>& values) {
  ChoiceDomain domain;
  for (const double value : values) domain.values.emplace_back(value);
  domain.ordered = true;
  return domain;
}
// Student's t with `degrees` of freedom.
double student(Rng& rng, int degrees) {
  double squares = 0;
  for (int i = 0; i < degrees; ++i) squares += squared(rng.normal());
  return rng.normal() / std::sqrt(squares / degrees);
}

// Rate, 1 - gamma, clip, entropy, epochs, batch, width: a ridge of rate and batch, one of clip and
// epochs; too high a rate for its clip fails.
double policy(Values v) {
  const double rate = std::log10(v[0]), batch = std::log2(v[5]);
  if (rate > -1.7 - 2.2 * (v[2] - 0.1) - 0.03 * v[4]) return failed;
  const double best = -3.3 + 0.2 * (batch - 7);
  double sum = 0.35 * squared(rate - best) + 0.3 * squared(std::log10(v[1]) + 1.9);
  sum += 3 * squared(v[2] - 0.22 + 0.006 * (v[4] - 8)) + 0.1 * squared(std::log10(v[3]) + 2.4);
  return sum + 0.03 * squared(batch - 7.5) + 0.04 * squared(std::log2(v[6]) - 7);
}
Space policy_space() {
  const auto log = Scale::log;
  return space_of({real(1e-5, 1, log), real(1e-3, 0.2, log), real(0.05, 0.5), real(1e-4, 0.1, log),
                   whole(1, 20), whole(16, 2048, log), whole(16, 1024, log)});
}
double heavy(Values v, Rng& rng) {
  const double loss = policy(v);
  return std::isfinite(loss) ? loss + 0.15 * student(rng, 2) : loss;
}

// A return of at most 500, as a loss: the set decides the chance that a run does not learn at all.
double chance_of_learning(Values v) {
  const double far = 2 * squared(std::log10(v[0]) + 3) / 2 + 6 * squared(v[1] - 0.7) +
                     0.5 * squared(std::log10(v[2]) + 2) + (v[3] == 1 ? 0 : 0.35) +
                     0.05 * squared(v[4] - 4);
  return 0.95 * std::exp(-0.7 * far);
}
double level(Values v) {
  return std::min(
      1.0, 0.55 + 0.5 * std::exp(-2 * squared(std::log10(v[0]) + 2.7) - squared(v[1] - 0.6)));
}
double two_modes(Values v) { return -500 * chance_of_learning(v) * level(v); }
double two_modes_report(Values v, Rng& rng) {
  const double learns = rng.uniform(), jitter = 0.05 * rng.normal();
  if (learns > chance_of_learning(v)) return -std::abs(12 * rng.normal());
  return -500 * std::min(1.0, level(v) + jitter);
}
Space modes_space() {
  const auto log = Scale::log;
  return space_of({real(1e-5, 1, log), real(0, 1), real(1e-4, 1, log), among(3), whole(1, 10)});
}

double bowl(Values v) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    sum += squared(v[i] - 0.2 - 0.15 * static_cast<double>(i)) * (i % 2 == 0 ? 2 : 0.7);
  return sum + 0.8 * squared(v[0] - v[1]);
}
double gaussian(Values v, Rng& rng) { return bowl(v) + 0.3 * rng.normal(); }
double times(Values v, Rng& rng) { return (0.05 + bowl(v)) * std::exp(0.4 * rng.normal()); }

// A rotated valley with a cusp, a plateau beyond it.
double ridge(Values v) {
  const double along = v[0] + 0.6 * v[1] - 0.8 * v[2], across = v[1] - v[0] * v[0];
  return std::min(1.0, 3 * std::abs(across) + squared(along - 0.4) + squared(v[3] - 0.5));
}

// A table of steps: a random effect of each pair of levels on top of a smooth one, noise of 8 %.
double step_effect(Values v) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t next = (i + 1) % v.size();
    const auto key = static_cast<std::uint64_t>(v[i] * 8) * 977 +
                     static_cast<std::uint64_t>(v[next] * 8) + 31337 * (i + 1);
    sum += 0.25 * Rng(key, Purpose::simulation, 5).uniform();
    sum += squared(v[i] - 1.5 - 0.2 * static_cast<double>(i)) * 0.12;
  }
  return sum;
}
double table_report(Values v, Rng& rng) { return step_effect(v) * (1 + 0.12 * rng.normal()); }

// Unseen ------------------------------------------------------------------------------------------

// Rate, momentum, decay, warm-up, depth: the rate's best depends on momentum; a cliff.
double supervised(Values v) {
  const double rate = std::log10(v[0]) - std::log10(1 - v[1] + 0.01);
  if (rate > 0.6) return failed;
  double sum = 0.25 * squared(rate + 1.2) + 0.12 * squared(std::log10(v[2]) + 4);
  sum += 0.8 * squared(v[3] - 0.1) + 0.06 * squared(v[4] - 5);
  return 1 - std::exp(-0.6 * sum);
}
double supervised_report(Values v, Rng& rng) {
  const double loss = supervised(v);
  return std::isfinite(loss) ? loss + 0.06 * student(rng, 3) : loss;
}
// A skewed noise: some runs collapse late, in proportion to the rate.
double collapse_chance(Values v) {
  return std::clamp(0.05 + 0.25 * (std::log10(v[0]) + 4), 0.02, 0.9);
}
double collapsing_base(Values v) {
  return 0.9 * squared(std::log10(v[0]) + 2.6) + 1.5 * squared(v[1] - 0.35) +
         0.8 * squared(v[2] - v[1]) + 0.3 * squared(v[3] - 0.6) + (v[4] == 2 ? 0 : 0.2);
}
double collapsing(Values v) {
  const double good = 100 * std::exp(-collapsing_base(v));
  return -(good * (1 - collapse_chance(v)) + 10 * collapse_chance(v));
}
double collapsing_report(Values v, Rng& rng) {
  const double good = 100 * std::exp(-collapsing_base(v)) * (1 + 0.05 * rng.normal());
  return rng.uniform() < collapse_chance(v) ? -10 + 3 * rng.normal() : -good;
}
double scale_free(Values v) {
  double sum = 0.02;
  for (std::size_t i = 0; i < v.size(); ++i)
    sum += squared(std::log10(v[i]) + 1 + 0.5 * static_cast<double>(i)) * (i < 3 ? 0.5 : 0.05);
  return sum;
}
double scale_free_report(Values v, Rng& rng) {
  return scale_free(v) * std::exp(0.6 * rng.normal());
}
double wide(Values v) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    sum += squared(v[i] - 0.5 - 0.3 * std::sin(3.0 * static_cast<double>(i))) * (i < 4 ? 3 : 0.2);
  return sum;
}
double wide_report(Values v, Rng& rng) { return wide(v) + 0.25 * rng.normal(); }
double wavy(Values v) {
  double sum = 0;
  for (const double x : v) sum += squared(x - 0.4) * 4 + 0.15 * (1 - std::cos(14 * (x - 0.4)));
  return sum;
}

// Without noise, but rough ------------------------------------------------------------------------

double rastrigin(Values v) {
  double sum = 0;
  for (const double x : v)
    sum += squared(10 * x - 4) + 10 * (1 - std::cos(2 * std::numbers::pi * (10 * x - 4)));
  return sum;
}
double ackley(Values v) {
  double squares = 0, waves = 0;
  for (const double x : v) {
    squares += squared(60 * x - 25);
    waves += std::cos(2 * std::numbers::pi * (60 * x - 25));
  }
  const auto size = static_cast<double>(v.size());
  return 20 - 20 * std::exp(-0.2 * std::sqrt(squares / size)) + std::exp(1.0) -
         std::exp(waves / size);
}
double schwefel(Values v) {
  double sum = 0;
  for (const double x : v) {
    const double at = 1000 * x - 500;
    sum += 418.9829 - at * std::sin(std::sqrt(std::abs(at)));
  }
  return sum;
}
double steps(Values v) {
  double sum = 0;
  for (const double x : v) sum += squared(std::floor(12 * x) - 5);
  return sum;
}
double valley(Values v) {  // Rosenbrock's
  double sum = 0;
  for (std::size_t i = 0; i + 1 < v.size(); ++i) {
    const double x = 4 * v[i] - 2, y = 4 * v[i + 1] - 2;
    sum += 100 * squared(y - x * x) + squared(1 - x);
  }
  return sum;
}

Space supervised_space() {
  const auto log = Scale::log;
  return space_of(
      {real(1e-4, 10, log), real(0, 0.99), real(1e-7, 1e-1, log), real(0, 0.5), whole(1, 10)});
}

}  // namespace

std::vector<NamesProblem> names_problems() {
  const Space box5 = space_of(std::vector<Domain>(5, real(0, 1)));
  const Space table = space_of(std::vector<Domain>(5, ordered({0, 0.5, 1, 1.5, 2, 2.5})));
  return {{"tails", policy_space(), policy, heavy},
          {"modes", modes_space(), two_modes, two_modes_report},
          {"gaussian", box5, bowl, gaussian},
          {"times", box5, bowl, times},
          {"table", table, step_effect, table_report},
          {"exact", box5, bowl, exactly<bowl>},
          {"exact-ridge", space_of(std::vector<Domain>(4, real(-1, 1))), ridge, exactly<ridge>}};
}

std::vector<NamesProblem> unseen_names_problems() {
  const auto log = Scale::log;
  return {{"tails-b", supervised_space(), supervised, supervised_report},
          {"modes-b", space_of({real(1e-5, 1, log), real(0, 1), real(0, 1), real(0, 1), among(3)}),
           collapsing, collapsing_report},
          {"gaussian-b", space_of(std::vector<Domain>(10, real(0, 1))), wide, wide_report},
          {"times-b", space_of(std::vector<Domain>(6, real(1e-4, 1, log))), scale_free,
           scale_free_report},
          {"exact-b", space_of(std::vector<Domain>(4, real(0, 1))), wavy, exactly<wavy>},
          {"exact-c", supervised_space(), supervised, exactly<supervised>}};
}

std::vector<NamesProblem> rough_names_problems() {
  const auto box = [](std::size_t size) { return space_of(std::vector<Domain>(size, real(0, 1))); };
  const Space table = space_of(std::vector<Domain>(5, ordered({0, 0.5, 1, 1.5, 2, 2.5})));
  return {{"rastrigin-2", box(2), rastrigin, exactly<rastrigin>},
          {"rastrigin-5", box(5), rastrigin, exactly<rastrigin>},
          {"ackley-3", box(3), ackley, exactly<ackley>},
          {"ackley-8", box(8), ackley, exactly<ackley>},
          {"schwefel-4", box(4), schwefel, exactly<schwefel>},
          {"steps-4", box(4), steps, exactly<steps>},
          {"valley-5", box(5), valley, exactly<valley>},
          {"table-exact", table, step_effect, exactly<step_effect>}};
}

}  // namespace hone::bench
