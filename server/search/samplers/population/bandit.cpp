#include "server/search/samplers/population/bandit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "server/search/samplers/population/population.hpp"
#include "server/search/samplers/population/time_varying_process.hpp"

namespace hone {
namespace {

constexpr int starts = 10;         // as in the authors' program
constexpr int climb_steps = 60;    // of each start
constexpr double value_limit = 2;  // of standardized gains (authors' program)
constexpr double step_first = 0.2, step_last = 1e-3;

// Values to [0, 1] by their range among the changes; 0 without a range.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value) { low = std::min(low, value), high = std::max(high, value); }
  [[nodiscard]] double scaled(double value) const {
    return high > low ? (value - low) / (high - low) : 0;
  }
};

std::vector<double> standardized(const std::vector<RewardChange>& changes) {
  const auto n = static_cast<double>(changes.size());
  double mean = 0, squares = 0;
  for (const RewardChange& one : changes) mean += one.gain / n;
  for (const RewardChange& one : changes) squares += (one.gain - mean) * (one.gain - mean) / n;
  std::vector<double> values;
  for (const RewardChange& one : changes)
    values.push_back(
        std::clamp((one.gain - mean) / (std::sqrt(squares) + 1e-8), -value_limit, value_limit));
  return values;
}

// The gain that the fork may expect, as a function of its coordinates.
class Bound {
 public:
  explicit Bound(const BanditData& data) : data_(data) {
    for (const RewardChange& one : data.changes) times_.add(one.time), merits_.add(one.before);
    std::vector<TimedInput> inputs;
    for (const RewardChange& one : data.changes)
      inputs.push_back(input_at(one.time, one.before, one.point));
    auto values = standardized(data.changes);
    const TimeVaryingKernel kernel = fit_kernel(inputs, values);
    gains_.emplace(inputs, values, kernel);
    const std::size_t pending = data.pending.size();
    for (std::size_t i = pending - std::min(pending, bandit_pending_max); i < pending; ++i) {
      inputs.push_back(input_at(data.time, data.before, data.pending[i]));
      values.push_back(0);
    }
    doubts_.emplace(inputs, values, kernel);
    const auto n = static_cast<double>(data.changes.size());
    weight_ = std::sqrt(std::max(0.0, 0.2 * std::log(0.4 * n)));
  }

  [[nodiscard]] bool fits() const { return gains_->fits() && doubts_->fits(); }
  [[nodiscard]] double at(const Point& point) const {
    const TimedInput input = input_at(data_.time, data_.before, point);
    return gains_->mean(input) + weight_ * doubts_->deviation(input);
  }

 private:
  [[nodiscard]] TimedInput input_at(double time, double before, const Point& point) const {
    TimedInput input{times_.scaled(time), {merits_.scaled(before)}};
    for (const double x : point) input.at.push_back(std::isnan(x) ? 0.5 : x);
    return input;
  }

  const BanditData& data_;
  Range times_, merits_;
  std::optional<TimeVaryingProcess> gains_, doubts_;
  double weight_ = 0;
};

// The dimensions that the bandit chooses: numbers and ordered choices that are active and may
// change.
std::vector<std::size_t> chosen_dimensions(const SearchSpace& space, const Point& point,
                                           std::span<const std::string> changeable) {
  const std::set<std::string_view> names(changeable.begin(), changeable.end());
  std::vector<std::size_t> chosen;
  for (std::size_t j = 0; j < point.size(); ++j) {
    const Dimension& dimension = space.dimensions()[j];
    if (dimension.kind != Dimension::Kind::choice && !std::isnan(point[j]) &&
        names.contains(dimension.name))
      chosen.push_back(j);
  }
  return chosen;
}

struct Summit {
  Point point;
  double height = 0;
};

// Climbs along one coordinate at a time, with steps that shrink.
Summit climb(const Bound& bound, Point point, const std::vector<std::size_t>& dimensions) {
  Summit best{point, bound.at(point)};
  double step = step_first;
  for (int left = climb_steps; left > 0 && step > step_last;) {
    bool moved = false;
    for (const std::size_t j : dimensions)
      for (const double by : {step, -step}) {
        if (left-- <= 0) return best;
        point = best.point;
        point[j] = std::clamp(point[j] + by, 0.0, 1.0);
        const double height = bound.at(point);
        if (height > best.height) best = {point, height}, moved = true;
      }
    if (!moved) step /= 2;
  }
  return best;
}

}  // namespace

void keep_newest(std::vector<RewardChange>& changes) {
  std::ranges::stable_sort(changes, {}, &RewardChange::time);
  if (changes.size() > bandit_changes_max)
    changes.erase(changes.begin(), changes.end() - static_cast<std::ptrdiff_t>(bandit_changes_max));
}

Params explore_by_bandit(const SearchSpace& space, const Params& of,
                         std::span<const std::string> changeable, BanditData data, Rng rng) {
  const auto from = space.point_of(of);
  if (!from || data.changes.size() < 2) return of;
  const auto dimensions = chosen_dimensions(space, *from, changeable);
  keep_newest(data.changes);
  const Bound bound(data);
  if (dimensions.empty() || !bound.fits()) return of;
  std::vector<Summit> summits;
  for (int start = 0; start < starts; ++start) {
    Point point = *from;
    for (const std::size_t j : dimensions) point[j] = rng.uniform();
    summits.push_back(climb(bound, std::move(point), dimensions));
  }
  std::ranges::stable_sort(summits, std::greater<>(), &Summit::height);
  std::vector<Point> points;
  for (Summit& summit : summits) points.push_back(std::move(summit.point));
  return forked_to(space, of, changeable, points).value_or(of);
}

}  // namespace hone
