// DEHB (Awad, Mallik and Hutter, "DEHB: Evolutionary Hyperband for Scalable, Robust and Efficient
// Hyperparameter Optimization", IJCAI 2021), the half that proposes; the other half is the rule
// `dehb`. What the paper leaves open is as in the authors' program (marked h).
//
//   sample   the first trials are drawn from the space
//   evolve   rand/1/bin with F = CR = 1/2. The parents are the best of the level below (of the same
//            level at a bracket's lowest rung); three of them, without the member that the trial
//            competes with (h), give r1 + F (r2 - r3). Fewer than three are filled up with mutants
//            of all subpopulations (h), and these with random vectors (h). Each coordinate is the
//            mutant's with probability CR, and at least one is. One outside [0, 1] is drawn again
//
// A choice of c values is the middle of one of c intervals of its prior. A parameter that is absent
// counts as the middle. Trials do not wait for others: a parent without a result yet is left out.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "server/search/samplers/dehb/state.hpp"
#include "server/search/samplers/settings.hpp"

namespace hone {
namespace {

constexpr std::int64_t dehb_trials_max = 10'000;  // a proposal costs time in proportion to them
constexpr std::size_t parents_min = 3;            // of rand/1
constexpr int dehb_draws_max = 100;               // for one that satisfies the constraints

struct DehbSettings {
  int eta = 3;
  double factor = 0.5;     // F
  double crossover = 0.5;  // CR
};

double prior_before(const Dimension& dimension, std::size_t value) {
  return std::accumulate(dimension.weights.begin(),
                         dimension.weights.begin() + static_cast<std::ptrdiff_t>(value), 0.0);
}

// A point as coordinates in [0, 1], and back.
Point vector_of(const SearchSpace& space, std::span<const double> point) {
  Point vector(point.begin(), point.end());
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const Dimension& dimension = space.dimensions()[i];
    if (std::isnan(vector[i]))
      vector[i] = 0.5;
    else if (dimension.kind == Dimension::Kind::choice) {
      const auto value = static_cast<std::size_t>(vector[i]);
      vector[i] = prior_before(dimension, value) + dimension.weights[value] / 2;
    }
  }
  return vector;
}

Point point_of(const SearchSpace& space, Point vector) {
  for (std::size_t i = 0; i < vector.size(); ++i)
    vector[i] = prior_coordinate(space.dimensions()[i], vector[i]);
  space.settle(vector);
  return vector;
}

Point random_vector(std::size_t dimensions, Rng& rng) {
  Point vector(dimensions);
  for (double& x : vector) x = rng.uniform();
  return vector;
}

class Dehb final : public Sampler {
 public:
  Dehb(const DehbSettings& settings, std::int64_t trials) : settings_(settings), trials_(trials) {}

  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw& draw) const override {
    Rng rng = draw.rng();
    const DehbPlan plan(draw.phases, settings_.eta, std::max(trials_, draw.number + 1));
    const std::size_t index = plan.step_of(draw.number);
    const DehbStep& step = plan.steps()[index];
    if (step.kind == DehbStep::Kind::sample || space.dimensions().empty())
      return random_point(space, rng);
    const DehbState state(plan, history, index, false);
    const auto target = target_of(space, history, state, step, rng);
    const auto parents = vectors_of(space, history, state.ranked(step.below), step.parents);
    const auto everyone = all_of(space, history, state, plan);
    for (int i = 0; i < dehb_draws_max; ++i) {
      Point point = point_of(space, offspring(target, parents, everyone, rng));
      if (space.feasible(point)) return point;
    }
    return random_point(space, rng);
  }

 private:
  using Vectors = std::vector<Point>;

  static Vectors vectors_of(const SearchSpace& space, const History& history,
                            const std::vector<DehbMember>& members, std::size_t most) {
    Vectors vectors;
    for (const DehbMember& member : members)
      if (vectors.size() < most) vectors.push_back(vector_of(space, history.point(member.trial)));
    return vectors;
  }

  static Vectors all_of(const SearchSpace& space, const History& history, const DehbState& state,
                        const DehbPlan& plan) {
    Vectors all;
    for (std::size_t level = 0; level < plan.levels(); ++level)
      std::ranges::move(vectors_of(space, history, state.ranked(level), plan.size(level)),
                        std::back_inserter(all));
    return all;
  }

  static Point target_of(const SearchSpace& space, const History& history, const DehbState& state,
                         const DehbStep& step, Rng& rng) {
    const auto member = state.member(step.level, step.slot);
    return member ? vector_of(space, history.point(member->trial))
                  : random_vector(space.dimensions().size(), rng);
  }

  [[nodiscard]] Point mutant(const Vectors& pool, const Point& target, Rng& rng) const {
    std::vector<const Point*> drawn;
    for (const Point& one : pool) drawn.push_back(&one);
    const auto own = std::ranges::find(pool, target);
    if (own != pool.end() && pool.size() > 1) drawn.erase(drawn.begin() + (own - pool.begin()));
    std::array<Point, parents_min> random;
    for (std::size_t i = 0; drawn.size() < parents_min; ++i) {
      random[i] = random_vector(target.size(), rng);
      drawn.push_back(&random[i]);
    }
    for (std::size_t i = 0; i < parents_min; ++i)
      std::swap(drawn[i], drawn[i + rng.below(drawn.size() - i)]);
    Point made(target.size());
    for (std::size_t j = 0; j < made.size(); ++j)
      made[j] = (*drawn[0])[j] + settings_.factor * ((*drawn[1])[j] - (*drawn[2])[j]);
    return made;
  }

  [[nodiscard]] Point donor(const Point& target, const Vectors& parents, const Vectors& everyone,
                            Rng& rng) const {
    if (parents.size() >= parents_min) return mutant(parents, target, rng);
    Vectors filled = parents;
    while (filled.size() < parents_min + 1) filled.push_back(mutant(everyone, target, rng));
    return mutant(filled, target, rng);
  }

  [[nodiscard]] Point offspring(const Point& target, const Vectors& parents,
                                const Vectors& everyone, Rng& rng) const {
    const Point changed = donor(target, parents, everyone, rng);
    Point made = target;
    const std::size_t always = rng.below(made.size());
    bool any = false;
    for (std::size_t j = 0; j < made.size(); ++j)
      if (rng.uniform() < settings_.crossover) made[j] = changed[j], any = true;
    if (!any) made[always] = changed[always];
    for (double& x : made)
      if (x < 0 || x > 1) x = rng.uniform();
    return made;
  }

  DehbSettings settings_;
  std::int64_t trials_;
};

Result<DehbSettings> dehb_settings(const SearchSpec& search) {
  constexpr std::array<std::string_view, 3> known{"eta", "mutation_factor", "crossover"};
  if (auto fits = only_settings(search, known); !fits) return fits.error();
  if (search.trials > dehb_trials_max)
    return refuse(Code::invalid,
                  "dehb folds all results for every proposal: it takes at most 10,000 trials; "
                  "method tpe takes more",
                  "/search/trials");
  if (!search.warm_start.empty())
    return refuse(Code::invalid,
                  "dehb learns from its own sweep's trials only; method tpe takes a warm start",
                  "/search/warm_start");
  const auto eta = count_setting(search, "eta", 3, {2, 1000});
  if (!eta) return eta.error();
  const auto factor = number_setting(search, "mutation_factor", 0.5, {0.01, 2});
  if (!factor) return factor.error();
  const auto crossover = number_setting(search, "crossover", 0.5, {0, 1});
  if (!crossover) return crossover.error();
  return DehbSettings{static_cast<int>(*eta), *factor, *crossover};
}

}  // namespace

Result<std::unique_ptr<Sampler>> make_dehb(const SearchSpec& search, const SearchSpace& space) {
  const auto settings = dehb_settings(search);
  if (!settings) return settings.error();
  constexpr std::size_t conditions_max = 10'000'000;  // of one proposal, on the engine's thread
  if (dehb_draws_max * space.evaluation_cost() > conditions_max)
    return refuse(Code::invalid,
                  "the expressions of this space are too long for dehb, which evaluates them up to "
                  "100 times for one proposal: use method random",
                  "/search/method");
  return std::unique_ptr<Sampler>(std::make_unique<Dehb>(*settings, search.trials));
}

}  // namespace hone
