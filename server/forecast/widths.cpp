#include "server/forecast/widths.hpp"

#include <algorithm>
#include <cmath>

#include "server/forecast/least_squares.hpp"

namespace hone::forecast {
namespace {

// What counts as so many phases: the ratio 1 of the least slots, and the assumed speed-up.
constexpr double anchor = 100, assumed = 0.5;
constexpr std::int64_t phases_max = 100;  // more of them are no better evidence

std::array<double, 3> line_of(int least, int slots) {
  const double times = static_cast<double>(slots) / least;
  return {1 / times, 1, times};
}

void add(Design& design, int least, int slots, double ratio, double phases) {
  design.add(line_of(least, slots), ratio, std::sqrt(phases));
}

}  // namespace

double WidthModel::ratio(int slots) const {
  const auto value = [&](int n) {
    const auto line = line_of(least, n);
    return terms[0] * line[0] + terms[1] * line[1] + terms[2] * line[2];
  };
  return value(slots) / value(least);
}

WidthModel fit_widths(int least, int most, std::span<const WidthSample> samples) {
  Design design{3, {}, {}};
  add(design, least, least, 1, anchor);
  const int next = std::min(2 * least, most);
  if (next > least) add(design, least, next, static_cast<double>(least) / next, assumed);
  for (const WidthSample& sample : samples)
    if (sample.phases > 0 && std::isfinite(sample.ratio) && sample.ratio > 0)
      add(design, least, sample.slots, sample.ratio,
          static_cast<double>(std::min(sample.phases, phases_max)));
  WidthModel model{.least = least};
  std::ranges::copy(nonnegative_least_squares(design), model.terms.begin());
  return model;
}

}  // namespace hone::forecast
