// CMA-ES: a normal distribution over the numeric parameters moves and takes the shape of the
// promising region (state.hpp), in the coordinates in which the prior is uniform.
//
//   generations  `popsize` trials each, by trial number. A proposal folds the generations before
//                its own; a generation counts as soon as half of its trials have a result, with
//                those trials, ranked as History ranks them. Failed trials have no influence. So
//                parallel trials need not wait for each other
//   bounds       draws outside are repeated, and at last reflected. The deviation of a value grid
//                never falls below a fraction of its cells, or the search would freeze between two
//                values
//   choices      drawn from probabilities that start as the prior's and move halfway towards the
//                shares among each generation's better half; a tenth stays with the prior
//   conditions   an inactive parameter is no evidence about its coordinate
//   warm start   fits the distribution to the best tenth of the earlier trials
//   convergence  starts the search again from a random mean
#include <algorithm>
#include <array>
#include <cmath>

#include "server/search/samplers/cmaes/state.hpp"
#include "server/search/samplers/settings.hpp"

namespace hone {
namespace {

constexpr int bounded_draws_max = 100;      // until all coordinates lie within the bounds
constexpr int constrained_draws_max = 100;  // until the constraints hold
constexpr double cell_share = 0.3;          // least deviation of a grid dimension, in cells
constexpr double choice_learning_rate = 0.5;
constexpr double prior_share = 0.1;  // of the draws of a choice
// Addresses of restarts begin here, so that none equals that of a dimension's scrambling.
constexpr std::uint64_t restart_addresses = std::uint64_t{1} << 32U;

// The numeric dimensions, in the order of the coordinates of CmaesState.
std::vector<std::size_t> numeric_dimensions(const SearchSpace& space) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < space.dimensions().size(); ++i)
    if (space.dimensions()[i].kind != Dimension::Kind::choice) result.push_back(i);
  return result;
}

double folded_into_unit(double x) {
  const double folded = std::abs(std::remainder(x, 2.0));  // period 2, mirrored at 0 and 1
  return std::clamp(folded, 0.0, 1.0);
}

// The state of the search after some generations of a history.
class CmaesSearch {
 public:
  CmaesSearch(const SearchSpace& space, const History& history, double sigma, std::uint64_t seed)
      : space_(space),
        history_(history),
        sigma_(sigma),
        seed_(seed),
        numeric_(numeric_dimensions(space)),
        state_(start()),
        order_(history.trials().size()) {
    for (const Dimension& dimension : space.dimensions()) chances_.push_back(dimension.weights);
    std::uint32_t place = 0;
    for (const std::uint32_t trial : history.ranked()) order_[trial] = place++;
  }

  // Adds the generation of trials [from, to).
  void add(std::size_t from, std::size_t to) {
    std::vector<std::size_t> evaluated;
    for (std::size_t i = from; i < std::min(to, order_.size()); ++i) {
      const auto grade = history_.outcome(i).grade;
      if (grade == TrialOutcome::Grade::finished || grade == TrialOutcome::Grade::stopped)
        evaluated.push_back(i);
    }
    if (evaluated.size() * 2 < to - from) return;
    std::sort(evaluated.begin(), evaluated.end(),
              [&](std::size_t a, std::size_t b) { return order_[a] < order_[b]; });
    std::vector<std::vector<double>> points;
    for (const std::size_t trial : evaluated) points.push_back(numbers(history_.point(trial)));
    state_.update(points);
    learn({evaluated.data(), std::max<std::size_t>(evaluated.size() / 2, 1)});
    if (state_.converged()) state_ = restarted(from);
  }

  [[nodiscard]] Point draw(Rng& rng) const {
    Point point(space_.dimensions().size(), inactive);
    std::vector<double> x;
    for (int tries = 0; tries < bounded_draws_max; ++tries) {
      x = state_.draw(rng);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] += rng.normal() * widening(k);
      if (std::all_of(x.begin(), x.end(), [](double one) { return one >= 0 && one <= 1; })) break;
    }
    for (std::size_t k = 0; k < x.size(); ++k) point[numeric_[k]] = folded_into_unit(x[k]);
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

  [[nodiscard]] CmaesState restarted(std::size_t from) const {
    Rng rng(seed_, Purpose::scramble, restart_addresses + from);
    std::vector<double> mean(numeric_.size());
    for (double& x : mean) x = rng.uniform();
    return {std::move(mean), sigma_};
  }

  // The deviation to add, so that a grid dimension keeps its least deviation.
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
        chances_[i][k] += choice_learning_rate * (shares[k] / active - chances_[i][k]);
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
  std::vector<std::uint32_t> order_;          // rank of each trial
  std::vector<std::vector<double>> chances_;  // probabilities of the choices, by dimension
};

class CmaesSampler final : public Sampler {
 public:
  CmaesSampler(std::size_t popsize, double sigma) : popsize_(popsize), sigma_(sigma) {}

  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw& draw) const override {
    CmaesSearch search(space, history, sigma_, draw.seed);
    const auto generation = static_cast<std::size_t>(draw.number) / popsize_;
    const std::size_t own = history.trials().size() - history.foreign();
    for (std::size_t g = 0; g < generation && g * popsize_ < own; ++g)
      search.add(history.foreign() + g * popsize_, history.foreign() + (g + 1) * popsize_);
    Rng rng = draw.rng();
    for (int tries = 0; tries < constrained_draws_max; ++tries) {
      Point point = search.draw(rng);
      if (space.feasible(point)) return point;
    }
    return random_point(space, rng);
  }

 private:
  std::size_t popsize_;
  double sigma_;
};

constexpr double popsize_max = 1000;

std::int64_t usual_popsize(const SearchSpace& space) {
  const auto size = static_cast<double>(std::max<std::size_t>(numeric_dimensions(space).size(), 1));
  return static_cast<std::int64_t>(4 + std::floor(3 * std::log(size)));
}

}  // namespace

Status check_cmaes_cost(const SearchSpec& search, const SearchSpace& space) {
  constexpr double work_max = 3e9;  // multiplications and additions, some 0.6 ns each
  const auto popsize = count_setting(search, "popsize", usual_popsize(space), {4, popsize_max});
  if (!popsize) return Done{};
  const auto size = static_cast<double>(numeric_dimensions(space).size());
  const auto each = static_cast<double>(*popsize);
  const double generation = size * size * (size / 6 + each);
  const double most = std::max(1.0, std::floor(work_max / std::max(generation, 1.0))) * each;
  if (static_cast<double>(search.trials) <= most) return Done{};
  return refuse(Code::invalid,
                "cmaes with " + std::to_string(numeric_dimensions(space).size()) +
                    " numeric parameters proposes at most " +
                    std::to_string(static_cast<std::int64_t>(most)) +
                    " trials, because each proposal takes longer than the one before: use fewer, "
                    "a larger popsize, or method hone or tpe",
                "/search/trials");
}

// popsize: trials of a generation, by default 4 + 3 ln(numeric parameters). sigma: the initial
// standard deviation, as a share of each range.
Result<std::unique_ptr<Sampler>> make_cmaes(const SearchSpec& search, const SearchSpace& space) {
  constexpr std::array<std::string_view, 2> known{"popsize", "sigma"};
  if (auto fits = only_settings(search, known); !fits) return fits.error();
  const auto popsize = count_setting(search, "popsize", usual_popsize(space), {4, popsize_max});
  if (!popsize) return popsize.error();
  const auto sigma = number_setting(search, "sigma", 0.3, {0.001, 1});
  if (!sigma) return sigma.error();
  return std::unique_ptr<Sampler>(
      std::make_unique<CmaesSampler>(static_cast<std::size_t>(*popsize), *sigma));
}

}  // namespace hone
