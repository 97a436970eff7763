// The method `hone`, the counterpart of the rule of that name (docs/hone.md): evenly spread points
// first, because with few complete runs every model of the space does worse. A model needs fewer
// trials if the space has fewer cells, so it proposes about every second point once there are as
// many trials with a report as cells, and every point from `model_after` finished trials on.
#include <algorithm>
#include <array>

#include "server/search/samplers/settings.hpp"
#include "server/search/samplers/tpe/cost.hpp"

namespace hone {
namespace {

// The number of cells of a grid with `levels` values in each dimension. May overflow to infinity.
double cells_of(const SearchSpace& space, std::int64_t levels) {
  double cells = 1;
  for (const Dimension& dimension : space.dimensions())
    cells *=
        static_cast<double>(dimension.levels == 0 ? levels : std::min(levels, dimension.levels));
  return cells;
}

class HoneSampler final : public Sampler {
 public:
  HoneSampler(std::unique_ptr<Sampler> spread, std::unique_ptr<Sampler> model, double cells,
              std::int64_t model_after, bool cost)
      : spread_(std::move(spread)),
        model_(std::move(model)),
        cells_(cells),
        model_after_(model_after),
        cost_(cost) {}

  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw& draw) const override {
    const bool model = knows_enough(history) || (covers(history) && uses_model(draw));
    if (model) return model_->propose(space, history, draw);
    if (cost_)
      if (const CostModel cost(space, history); cost.known())
        return cheap_start(*spread_, space, history, draw, cost);
    return spread_->propose(space, history, draw);
  }

  std::optional<ProposalCost> cost_of(const SearchSpace& space, const History& history,
                                      const Draw& draw,
                                      std::span<const double> point) const override {
    return model_->cost_of(space, history, draw, point);
  }

 private:
  [[nodiscard]] bool covers(const History& history) const {
    return static_cast<double>(history.ranked().size()) >= cells_;
  }

  // A random choice: every second point of a Sobol sequence would fill only half of the cube.
  static bool uses_model(const Draw& draw) {
    return Rng(draw.seed, Purpose::mixture, static_cast<std::uint64_t>(draw.number)).below(2) == 1;
  }

  // Finished trials rank first.
  [[nodiscard]] bool knows_enough(const History& history) const {
    const auto ranked = history.ranked();
    const auto needed = static_cast<std::size_t>(model_after_);
    return ranked.size() >= needed && (needed == 0 || history.outcome(ranked[needed - 1]).grade ==
                                                          TrialOutcome::Grade::finished);
  }

  std::unique_ptr<Sampler> spread_;
  std::unique_ptr<Sampler> model_;
  double cells_;
  std::int64_t model_after_;
  bool cost_;
};

}  // namespace

Result<std::unique_ptr<Sampler>> make_hone_sampler(const SearchSpec& search,
                                                   const SearchSpace& space) {
  static constexpr std::array<std::string_view, 3> known{"model_after", "levels", "cost"};
  if (auto fits = only_settings(search, known); !fits) return fits.error();
  const auto model_after = count_setting(search, "model_after", 12, {0, 1e6});
  if (!model_after) return model_after.error();
  const auto levels = count_setting(search, "levels", 3, {1, 1e6});
  if (!levels) return levels.error();
  auto spread = make_sampler({"sobol", search.trials}, space);
  if (!spread) return spread.error();
  const auto cost = cost_setting(search);
  if (!cost) return cost.error();
  SearchSpec modelled{"tpe", search.trials};
  if (*cost) modelled.settings = {{"cost", std::string("seconds")}};
  auto model = make_sampler(modelled, space);
  if (!model) return model.error();
  return std::unique_ptr<Sampler>(std::make_unique<HoneSampler>(
      *std::move(spread), *std::move(model), cells_of(space, *levels), *model_after, *cost));
}

}  // namespace hone
