// Quasi-random search: points of Sobol's sequence (USSR Comput. Math. Math. Phys. 7, 1967), which
// leave no gaps and no clusters, so that the first 2^m trials cover every one-dimensional and many
// two-dimensional projections evenly. Every sweep seed scrambles the sequence by its own random
// linear matrix and digital shift (Matousek, J. Complexity 14, 1998), which keeps the evenness and
// puts no point on a bound. Trial n is point n of the sequence. If that point breaks a constraint,
// it is replaced by the first feasible point n + k * 2^20. Dimensions beyond 100 are drawn at
// random.
#include <algorithm>
#include <array>
#include <bit>

#include "server/search/samplers/settings.hpp"
#include "server/search/samplers/sobol/numbers.hpp"

namespace hone {
namespace {

constexpr std::uint32_t block = 1U << 20U;  // points; more than a sweep may have trials
// Then the witness of the space is used. blocks_max * block < 2^32.
constexpr std::uint32_t blocks_max = 1000;

// The scrambling of one dimension: a lower triangular matrix with a unit diagonal and a shift.
class Scramble {
 public:
  Scramble(std::uint64_t seed, std::size_t dimension) : rng_(seed, Purpose::scramble, dimension) {
    for (std::size_t row = 0; row < sobol_bits; ++row) {
      const std::uint32_t diagonal = 1U << (sobol_bits - 1 - row);
      const std::uint32_t above = ~(diagonal | (diagonal - 1));  // more significant bits
      rows_[row] = diagonal | (static_cast<std::uint32_t>(rng_.bits()) & above);
    }
    shift_ = rng_.bits() >> 11U;
  }

  [[nodiscard]] double unit(std::uint32_t coordinate) const {
    std::uint64_t mixed = 0;
    for (std::size_t row = 0; row < sobol_bits; ++row)
      mixed |= static_cast<std::uint64_t>(std::popcount(rows_[row] & coordinate) & 1) << (52 - row);
    return static_cast<double>(mixed ^ shift_) * 0x1.0p-53;
  }

 private:
  Rng rng_;
  std::array<std::uint32_t, sobol_bits> rows_{};
  std::uint64_t shift_ = 0;  // of all 53 bits
};

class SobolSampler final : public Sampler {
 public:
  explicit SobolSampler(std::size_t dimensions) {
    for (std::size_t i = 0; i < std::min(dimensions, sobol_dimensions_max); ++i)
      directions_.push_back(sobol_directions(i));
  }

  std::optional<Point> propose(const SearchSpace& space, const History&,
                               const Draw& draw) const override {
    std::vector<Scramble> scrambles;
    for (std::size_t i = 0; i < directions_.size(); ++i) scrambles.emplace_back(draw.seed, i);
    Rng rng = draw.rng();
    for (std::uint32_t k = 0; k < blocks_max; ++k) {
      Point point(space.dimensions().size());
      for (std::size_t i = 0; i < point.size(); ++i) {
        const double unit =
            i < scrambles.size()
                ? scrambles[i].unit(sobol_coordinate(directions_[i], index(draw, k)))
                : rng.uniform();
        point[i] = prior_coordinate(space.dimensions()[i], unit);
      }
      space.settle(point);
      if (space.feasible(point)) return point;
    }
    return Point(space.witness().begin(), space.witness().end());
  }

 private:
  static std::uint32_t index(const Draw& draw, std::uint32_t k) {
    return static_cast<std::uint32_t>(draw.number) % block + k * block;
  }
  std::vector<SobolDirections> directions_;
};

}  // namespace

Result<std::unique_ptr<Sampler>> make_sobol(const SearchSpec& search, const SearchSpace& space) {
  if (auto fits = only_settings(search, {}); !fits) return fits.error();
  return std::unique_ptr<Sampler>(std::make_unique<SobolSampler>(space.dimensions().size()));
}

}  // namespace hone
