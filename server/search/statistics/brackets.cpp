#include "server/search/statistics/brackets.hpp"

namespace hone {

std::vector<BracketShape> hyperband_shapes(int phases, int eta) {
  // Integer arithmetic: the logarithm of an exact power can come out one too low.
  int s_max = 0;
  for (std::int64_t power = eta; power <= phases; power *= eta) ++s_max;
  std::vector<BracketShape> shapes;
  for (int s = s_max; s >= 0; --s) {
    BracketShape shape;
    shape.trials = (s_max + 1) / (s + 1);
    for (int i = 0; i < s; ++i) shape.trials *= eta;
    std::int64_t divisor = 1;
    for (int i = s; i >= 0; --i, divisor *= eta)
      shape.rungs.insert(shape.rungs.begin(), static_cast<int>(phases / divisor));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace hone
