// Hyperband with asynchronous brackets (Li et al., JMLR 2018; each bracket promotes as asha does).
//
// With R = phases and s_max = the largest s with eta^s <= R, bracket s = s_max..0 has
//   n_s = floor((s_max + 1) / (s + 1)) * eta^s trials,
//   rungs after floor(R / eta^(s - i)) phases for i = 0..s.
// R = 27, eta = 3 gives 27 + 9 + 6 + 4 = 46 trials. Trials are assigned so that at any time every
// bracket has its share of them: the next trial joins the bracket that lacks the most.
#include <array>
#include <numeric>

#include "server/search/statistics/brackets.hpp"
#include "server/search/terminators/halving/promotion.hpp"

namespace hone {

namespace {

// The brackets of one round: each appears as often as it has trials, spread evenly.
std::vector<std::size_t> deal(const std::vector<BracketShape>& shapes) {
  const std::int64_t round = std::accumulate(
      shapes.begin(), shapes.end(), std::int64_t{0},
      [](std::int64_t sum, const BracketShape& shape) { return sum + shape.trials; });
  std::vector<std::int64_t> dealt(shapes.size(), 0);
  std::vector<std::size_t> order;
  for (std::int64_t number = 1; number <= round; ++number) {
    std::size_t chosen = 0;
    std::int64_t most = 0;
    for (std::size_t b = 0; b < shapes.size(); ++b) {
      const std::int64_t missing = shapes[b].trials * number - dealt[b] * round;
      if (missing > most) chosen = b, most = missing;
    }
    ++dealt[chosen];
    order.push_back(chosen);
  }
  return order;
}

// Phases of a trial if exactly floor(n_i / eta) runs continue at every rung.
double phases_per_trial(const std::vector<BracketShape>& shapes, int eta) {
  std::int64_t phases = 0, trials = 0;
  for (const BracketShape& shape : shapes) {
    trials += shape.trials;
    std::int64_t left = shape.trials;
    int before = 0;
    for (const int length : shape.rungs) {
      phases += left * (length - before);
      left /= eta;
      before = length;
    }
  }
  return static_cast<double>(phases) / static_cast<double>(trials);
}

}  // namespace

Result<std::unique_ptr<Terminator>> make_hyperband(const TerminatorSpec& spec,
                                                   const SweepShape& shape) {
  static constexpr std::array<std::string_view, 1> known{"eta"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  const auto eta = count_setting(spec, "eta", 3, {2, 1000});
  if (!eta) return eta.error();
  const auto shapes = hyperband_shapes(shape.phases, *eta);
  Brackets brackets{*eta, {}, deal(shapes)};
  for (const BracketShape& bracket : shapes) brackets.rungs.push_back(bracket.rungs);
  return std::unique_ptr<Terminator>(std::make_unique<Promotion>(
      "Hyperband", phases_per_trial(shapes, *eta), std::move(brackets), shape));
}

}  // namespace hone
