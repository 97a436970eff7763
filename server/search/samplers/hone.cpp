// hone's own way to propose, the partner of its rule (docs/hone.md): evenly spread points first,
// because with few complete runs every model of the space lost to them; from `model_after` finished
// trials on, what `tpe` proposes.
#include <array>

#include "server/search/samplers/rows.hpp"

namespace hone {
namespace {

class HoneSampler final : public Sampler {
 public:
  HoneSampler(std::unique_ptr<Sampler> spread, std::unique_ptr<Sampler> model,
              std::int64_t model_after)
      : spread_(std::move(spread)), model_(std::move(model)), model_after_(model_after) {}

  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw& draw) const override {
    return (knows_enough(history) ? model_ : spread_)->propose(space, history, draw);
  }

 private:
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
  std::int64_t model_after_;
};

}  // namespace

Result<std::unique_ptr<Sampler>> make_hone_sampler(const SearchSpec& search,
                                                   const SearchSpace& space) {
  static constexpr std::array<std::string_view, 1> known{"model_after"};
  if (auto fits = only_settings(search, known); !fits) return fits.error();
  const auto model_after = count_setting(search, "model_after", 12, {0, 1e6});
  if (!model_after) return model_after.error();
  const SearchSpec plain{"", search.trials};
  auto spread = make_sobol(plain, space);
  if (!spread) return spread.error();
  auto model = make_tpe(plain, space);
  if (!model) return model.error();
  return std::unique_ptr<Sampler>(
      std::make_unique<HoneSampler>(*std::move(spread), *std::move(model), *model_after));
}

}  // namespace hone
