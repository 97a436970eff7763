// Random search (Bergstra and Bengio, 2012): every trial an independent draw from the space.
#include "server/search/samplers/settings.hpp"

namespace hone {
namespace {

class RandomSampler final : public Sampler {
 public:
  std::optional<Point> propose(const SearchSpace& space, const History&,
                               const Draw& draw) const override {
    Rng rng = draw.rng();
    return random_point(space, rng);
  }
};

}  // namespace

std::unique_ptr<Sampler> random_sampler() { return std::make_unique<RandomSampler>(); }

Result<std::unique_ptr<Sampler>> make_random(const SearchSpec& search, const SearchSpace&) {
  if (auto fits = only_settings(search, {}); !fits) return fits.error();
  return random_sampler();
}

}  // namespace hone
