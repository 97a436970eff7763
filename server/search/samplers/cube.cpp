#include "server/search/samplers/cube.hpp"

#include "base/expect.hpp"

namespace hone {

Point point_in(const SearchSpace& space, std::span<const double> units) {
  expect(units.size() == space.dimensions().size(), "the cube has a side for every dimension");
  Point point(units.begin(), units.end());
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Dimension& dimension = space.dimensions()[i];
    if (dimension.kind != Dimension::Kind::choice) continue;
    double below = 0;
    std::size_t index = 0;
    while (index + 1 < dimension.weights.size() && units[i] >= (below += dimension.weights[index]))
      ++index;
    point[i] = static_cast<double>(index);
  }
  space.settle(point);
  return point;
}

}  // namespace hone
