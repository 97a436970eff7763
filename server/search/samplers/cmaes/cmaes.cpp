// CMA-ES: a normal distribution over the numeric parameters moves and takes the shape of the
// promising region (cmaes_state.hpp), in the coordinates where the prior is uniform.
//
// Stateless: trials form generations by their numbers, `popsize` each, and every proposal folds the
// generations before its own. A generation counts as soon as half of its trials have a result,
// then with those it has, ranked as History ranks them; failed ones have no say. So parallel
// trials need not wait for each other.
// Bounds: draws outside are drawn again, at last reflected. A value grid's deviation never falls
// below a fraction of its cells, or the search would freeze between two values.
// Choices: drawn from probabilities that start as the prior's and go halfway towards the shares
// among each generation's better half; a tenth stays with the prior.
// Conditions: an inactive parameter says nothing about its coordinate.
// A warm start fits the distribution to the best tenth of the earlier trials. After convergence the
// search starts again from a random mean.
#include <algorithm>
#include <array>
#include <cmath>

#include "server/search/samplers/cmaes/state.hpp"
#include "server/search/samplers/rows.hpp"

namespace hone {
namespace {

constexpr int bound_tries = 100;       // draws until all coordinates lie within the bounds
constexpr int feasible_tries = 100;    // draws until the constraints hold
constexpr double cell_share = 0.3;     // of a grid cell: the least deviation
constexpr double learning_rate = 0.5;  // of the probabilities of choices
constexpr double prior_share = 0.1;
constexpr std::uint64_t restarts = std::uint64_t{1} << 32U;  // addresses apart from dimensions

// Which coordinates are numeric, in the order of CmaesState's.
std::vector<std::size_t> numeric(const SearchSpace& space) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < space.dimensions().size(); ++i)
    if (space.dimensions()[i].kind != Dimension::Kind::choice) result.push_back(i);
  return result;
}

double reflected(double x) {
  const double folded = std::abs(std::remainder(x, 2.0));  // period 2, mirrored at 0 and 1
  return std::clamp(folded, 0.0, 1.0);
}

// The search so far, folded from a history.
class Fold {
 public:
  Fold(const SearchSpace& space, const History& history, double sigma, std::uint64_t seed)
      : space_(space),
        history_(history),
        sigma_(sigma),
        seed_(seed),
        numeric_(numeric(space)),
        state_(start()),
        order_(history.trials().size()) {
    for (const Dimension& dimension : space.dimensions()) chances_.push_back(dimension.weights);
    std::uint32_t place = 0;
    for (const std::uint32_t trial : history.ranked()) order_[trial] = place++;
  }

  // Trials [from, to) were one generation.
  void add(std::size_t from, std::size_t to) {
    std::vector<std::size_t> known;
    for (std::size_t i = from; i < std::min(to, order_.size()); ++i) {
      const auto grade = history_.achievement(i).grade;
      if (grade == Achievement::Grade::finished || grade == Achievement::Grade::stopped)
        known.push_back(i);
    }
    if (known.size() * 2 < to - from) return;
    std::sort(known.begin(), known.end(),
              [&](std::size_t a, std::size_t b) { return order_[a] < order_[b]; });
    std::vector<std::vector<double>> points;
    for (const std::size_t trial : known) points.push_back(numbers(history_.point(trial)));
    state_.update(points);
    learn({known.data(), std::max<std::size_t>(known.size() / 2, 1)});
    if (state_.converged()) state_ = anew(from);
  }

  [[nodiscard]] Point draw(Rng& rng) const {
    Point point(space_.dimensions().size(), inactive);
    std::vector<double> x;
    for (int tries = 0; tries < bound_tries; ++tries) {
      x = state_.draw(rng);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] += rng.normal() * widening(k);
      if (std::all_of(x.begin(), x.end(), [](double one) { return one >= 0 && one <= 1; })) break;
    }
    for (std::size_t k = 0; k < x.size(); ++k) point[numeric_[k]] = reflected(x[k]);
    for (std::size_t i = 0; i < point.size(); ++i)
      if (!chances_[i].empty()) point[i] = pick(rng, i);
    space_.settle(point);
    return point;
  }

 private:
  [[nodiscard]] std::vector<double> numbers(std::span<const double> point) const {
    std::vector<double> result;
    result.reserve(numeric_.size());
    for (const std::size_t i : numeric_) result.push_back(point[i]);
    return result;
  }

  [[nodiscard]] CmaesState start() const {
    std::vector<std::vector<double>> best;
    for (const std::uint32_t trial : history_.ranked()) {
      if (best.size() * 10 >= history_.foreign()) break;
      if (trial >= history_.foreign()) continue;
      best.push_back(numbers(history_.point(trial)));
      for (double& x : best.back()) x = std::isnan(x) ? 0.5 : x;
    }
    if (!best.empty()) return CmaesState::fitted(best);
    return CmaesState(std::vector<double>(numeric_.size(), 0.5), sigma_);
  }

  [[nodiscard]] CmaesState anew(std::size_t from) const {
    Rng rng(seed_, Purpose::scramble, restarts + from);
    std::vector<double> mean(numeric_.size());
    for (double& x : mean) x = rng.uniform();
    return {std::move(mean), sigma_};
  }

  // What a grid dimension's deviation lacks.
  [[nodiscard]] double widening(std::size_t k) const {
    const Dimension& dimension = space_.dimensions()[numeric_[k]];
    if (dimension.kind != Dimension::Kind::grid) return 0;
    const double least = cell_share / static_cast<double>(dimension.levels);
    const double have = state_.deviation(k);
    return have < least ? std::sqrt(least * least - have * have) : 0;
  }

  void learn(std::span<const std::size_t> better) {
    for (std::size_t i = 0; i < chances_.size(); ++i) {
      std::vector<double> shares(chances_[i].size(), 0);
      double active = 0;
      for (const std::size_t trial : better) {
        const double x = shares.empty() ? inactive : history_.point(trial)[i];
        if (std::isnan(x)) continue;
        shares[static_cast<std::size_t>(x)] += 1;
        active += 1;
      }
      if (active == 0) continue;
      for (std::size_t k = 0; k < shares.size(); ++k)
        chances_[i][k] += learning_rate * (shares[k] / active - chances_[i][k]);
    }
  }

  [[nodiscard]] double pick(Rng& rng, std::size_t i) const {
    const auto& weights =
        rng.uniform() < prior_share ? space_.dimensions()[i].weights : chances_[i];
    double left = rng.uniform();
    std::size_t index = 0;
    while (index + 1 < weights.size() && left >= weights[index]) left -= weights[index++];
    return static_cast<double>(index);
  }

  const SearchSpace& space_;
  const History& history_;
  double sigma_;
  std::uint64_t seed_;
  std::vector<std::size_t> numeric_;
  CmaesState state_;
  std::vector<std::uint32_t> order_;          // place of each ranked trial among all
  std::vector<std::vector<double>> chances_;  // of each dimension's choices
};

class CmaesSampler final : public Sampler {
 public:
  CmaesSampler(std::size_t popsize, double sigma) : popsize_(popsize), sigma_(sigma) {}

  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw& draw) const override {
    Fold fold(space, history, sigma_, draw.seed);
    const auto generation = static_cast<std::size_t>(draw.number) / popsize_;
    const std::size_t own = history.trials().size() - history.foreign();
    for (std::size_t g = 0; g < generation && g * popsize_ < own; ++g)
      fold.add(history.foreign() + g * popsize_, history.foreign() + (g + 1) * popsize_);
    Rng rng = draw.rng();
    for (int tries = 0; tries < feasible_tries; ++tries) {
      Point point = fold.draw(rng);
      if (space.feasible(point)) return point;
    }
    return random_point(space, rng);
  }

 private:
  std::size_t popsize_;
  double sigma_;
};

}  // namespace

// popsize: trials of a generation, 4 + 3 ln(numeric parameters) if left out. sigma: the first
// standard deviation, as a share of each range.
Result<std::unique_ptr<Sampler>> make_cmaes(const SearchSpec& search, const SearchSpace& space) {
  constexpr std::array<std::string_view, 2> known{"popsize", "sigma"};
  if (auto fits = only_settings(search, known); !fits) return fits.error();
  const auto size = static_cast<double>(std::max<std::size_t>(numeric(space).size(), 1));
  const auto usual = static_cast<std::int64_t>(4 + std::floor(3 * std::log(size)));
  const auto popsize = count_setting(search, "popsize", usual, {4, 1000});
  if (!popsize) return popsize.error();
  const auto sigma = number_setting(search, "sigma", 0.3, {0.001, 1});
  if (!sigma) return sigma.error();
  return std::unique_ptr<Sampler>(
      std::make_unique<CmaesSampler>(static_cast<std::size_t>(*popsize), *sigma));
}

}  // namespace hone
