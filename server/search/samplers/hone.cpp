// hone's own way to propose, the partner of its rule (docs/hone.md): evenly spread points first,
// because with few complete runs every model of the space lost to them. A model needs less where
// the space has fewer cells, so it proposes every second time once there are as many trials with a
// report as cells, and always from `model_after` finished trials on.
#include <algorithm>
#include <array>

#include "server/search/samplers/rows.hpp"

namespace hone {
namespace {

// Cells of a grid with so many levels in every dimension. Infinite in high dimensions: never.
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
              std::int64_t model_after)
      : spread_(std::move(spread)),
        model_(std::move(model)),
        cells_(cells),
        model_after_(model_after) {}

  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw& draw) const override {
    const bool model = knows_enough(history) || (covers(history) && heads(draw));
    return (model ? model_ : spread_)->propose(space, history, draw);
  }

 private:
  [[nodiscard]] bool covers(const History& history) const {
    return static_cast<double>(history.ranked().size()) >= cells_;
  }

  // A coin and no alternation: every second point of a Sobol sequence fills half of the cube.
  static bool heads(const Draw& draw) {
    return Rng(draw.seed, Purpose::mixture, static_cast<std::uint64_t>(draw.number)).below(2) == 1;
  }

  // Finished trials come first among the ranked ones.
  [[nodiscard]] bool knows_enough(const History& history) const {
    const auto ranked = history.ranked();
    const auto needed = static_cast<std::size_t>(model_after_);
    return ranked.size() >= needed &&
           (needed == 0 ||
            history.achievement(ranked[needed - 1]).grade == Achievement::Grade::finished);
  }

  std::unique_ptr<Sampler> spread_;
  std::unique_ptr<Sampler> model_;
  double cells_;
  std::int64_t model_after_;
};

}  // namespace

Result<std::unique_ptr<Sampler>> make_hone_sampler(const SearchSpec& search,
                                                   const SearchSpace& space) {
  static constexpr std::array<std::string_view, 2> known{"model_after", "levels"};
  if (auto fits = only_settings(search, known); !fits) return fits.error();
  const auto model_after = count_setting(search, "model_after", 12, {0, 1e6});
  if (!model_after) return model_after.error();
  const auto levels = count_setting(search, "levels", 3, {1, 1e6});
  if (!levels) return levels.error();
  const SearchSpec plain{"", search.trials};
  auto spread = make_sobol(plain, space);
  if (!spread) return spread.error();
  auto model = make_tpe(plain, space);
  if (!model) return model.error();
  return std::unique_ptr<Sampler>(std::make_unique<HoneSampler>(
      *std::move(spread), *std::move(model), cells_of(space, *levels), *model_after));
}

}  // namespace hone
