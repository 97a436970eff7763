// Random search (Bergstra and Bengio, 2012): every trial an independent draw from the space.
#include "server/search/expression.hpp"
#include "server/search/samplers/rows.hpp"
#include "server/search/space.hpp"

namespace hone {
namespace {

class RandomSampler final : public Sampler {
 public:
  Params propose(const Space& space, const History&, Rng& rng) const override {
    Params params;
    for (const Parameter& parameter : space) {
      // Drawn even when inactive: a condition never shifts the draws of later parameters.
      const double unit = rng.uniform();
      if (!parameter.when.empty() && !Expression::parse(parameter.when).value().holds(params))
        continue;
      params.push_back({parameter.name, value_at(parameter.domain, unit)});
    }
    return params;
  }
};

}  // namespace

Result<std::unique_ptr<Sampler>> make_random(const SearchSpec&) {
  return std::unique_ptr<Sampler>(std::make_unique<RandomSampler>());
}

}  // namespace hone
