// Grid search: every combination of the parameters' values, in the order of nested loops with the
// last parameter innermost. A float without a step takes `points` values, spread evenly over its
// scale (with a prior: over the prior's quantiles), both bounds included; every other parameter
// takes all of its values. An inactive parameter has no values to combine, so that no two
// combinations are equal; infeasible ones are left out. Enqueued sets that lie on the grid are not
// proposed again.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/expect.hpp"
#include "schemas/values/member.hpp"
#include "server/search/samplers/settings.hpp"
#include "server/search/space/space.hpp"

namespace hone {
namespace {

constexpr std::int64_t grid_trials_max = 100'000;  // bounds memory: 8 bytes a dimension and trial
constexpr std::size_t visits_max = 1'000'000;      // combinations visited, infeasible ones included
constexpr double equal_within = 1e-9;              // coordinates closer than this are equal
constexpr std::int64_t inactive_value = -1;        // of an inactive dimension
constexpr std::string_view points_setting = "points";

using Combination = std::vector<std::int64_t>;  // which value of each dimension

struct LevelValue {  // the k-th value of a domain
  std::int64_t k;
  Value operator()(const FloatDomain& domain) const { return member_at(domain, k); }
  Value operator()(const IntDomain& domain) const { return domain.min + k * domain.step; }
  Value operator()(const ChoiceDomain& domain) const {
    return domain.values[static_cast<std::size_t>(k)];
  }
  Value operator()(const BoolDomain&) const { return k == 1; }
  Value operator()(const FixedDomain& domain) const { return domain.value; }
  Value operator()(const DerivedDomain&) const { return false; }  // no dimension
};

struct LevelOf {  // the inverse: k of a value
  Value value;
  std::int64_t operator()(const FloatDomain& domain) const {
    return nearest_member(domain, std::get<double>(value));
  }
  std::int64_t operator()(const IntDomain& domain) const {
    return (std::get<std::int64_t>(value) - domain.min) / domain.step;
  }
  std::int64_t operator()(const ChoiceDomain& domain) const {
    return std::find(domain.values.begin(), domain.values.end(), value) - domain.values.begin();
  }
  std::int64_t operator()(const BoolDomain&) const { return std::get<bool>(value) ? 1 : 0; }
  std::int64_t operator()(const FixedDomain&) const { return 0; }
  std::int64_t operator()(const DerivedDomain&) const { return 0; }
};

// The values of every dimension, by number.
class Axes {
 public:
  Axes(const SearchSpace& space, std::int64_t points)
      : dimensions_(space.dimensions()), points_(points) {
    for (const Parameter& parameter : space.parameters())
      if (domains_.size() < dimensions_.size() &&
          parameter.name == dimensions_[domains_.size()].name)
        domains_.push_back(&parameter.domain);
  }

  [[nodiscard]] std::int64_t size(std::size_t i) const {
    return dimensions_[i].kind == Dimension::Kind::real ? points_ : dimensions_[i].levels;
  }
  [[nodiscard]] double coordinate(std::size_t i, std::int64_t k) const {
    switch (dimensions_[i].kind) {
      case Dimension::Kind::real:
        return points_ == 1 ? 0.5 : static_cast<double>(k) / static_cast<double>(points_ - 1);
      case Dimension::Kind::grid:
        return unit_of(*domains_[i], std::visit(LevelValue{k}, *domains_[i]));
      case Dimension::Kind::choice:
        return static_cast<double>(k);
    }
    unreachable();
  }
  // nullopt if the point is not on the grid.
  [[nodiscard]] std::optional<Combination> place(std::span<const double> point) const {
    Combination result(point.size(), inactive_value);
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (std::isnan(point[i])) continue;
      result[i] = level(i, point[i]);
      if (std::abs(coordinate(i, result[i]) - point[i]) > equal_within) return std::nullopt;
    }
    return result;
  }

 private:
  [[nodiscard]] std::int64_t level(std::size_t i, double x) const {
    switch (dimensions_[i].kind) {
      case Dimension::Kind::real:
        return std::llround(x * static_cast<double>(points_ - 1));
      case Dimension::Kind::grid:
        return std::visit(LevelOf{value_at(*domains_[i], x)}, *domains_[i]);
      case Dimension::Kind::choice:
        return std::llround(x);
    }
    unreachable();
  }

  std::span<const Dimension> dimensions_;
  std::int64_t points_;
  std::vector<const Domain*> domains_;
};

// The first `wanted` feasible combinations, in order.
class GridWalk {
 public:
  GridWalk(const SearchSpace& space, const Axes& axes, std::size_t wanted)
      : space_(space),
        axes_(axes),
        wanted_(wanted),
        point_(space.dimensions().size(), inactive),
        place_(point_.size(), inactive_value) {
    descend(0);
  }
  [[nodiscard]] std::vector<Combination> found() && { return std::move(found_); }
  [[nodiscard]] bool gave_up() const { return visits_ >= visits_max; }

 private:
  [[nodiscard]] bool done() const { return found_.size() >= wanted_ || visits_ >= visits_max; }

  void descend(std::size_t i) {
    if (i == point_.size()) return visit();
    if (!active(i)) return descend(i + 1);
    for (std::int64_t k = 0; k < axes_.size(i) && !done(); ++k) {
      place_[i] = k;
      point_[i] = axes_.coordinate(i, k);
      descend(i + 1);
    }
    place_[i] = inactive_value;
    point_[i] = inactive;
  }
  // Conditions only read earlier dimensions, so that the point so far decides.
  [[nodiscard]] bool active(std::size_t i) const {
    return space_.unconditional() ||
           find(space_.params_at(point_), space_.dimensions()[i].name) != nullptr;
  }
  void visit() {
    ++visits_;
    if (space_.feasible(point_)) found_.push_back(place_);
  }

  const SearchSpace& space_;
  const Axes& axes_;
  std::size_t wanted_;
  Point point_;
  Combination place_;
  std::vector<Combination> found_;
  std::size_t visits_ = 0;
};

class GridSampler final : public Sampler {
 public:
  GridSampler(std::int64_t points, std::vector<Combination> combinations)
      : points_(points), combinations_(std::move(combinations)) {}

  // The first combination that no trial of this sweep has.
  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw&) const override {
    const Axes axes(space, points_);
    std::vector<bool> taken(combinations_.size(), false);
    for (std::size_t trial = history.foreign(); trial < history.trials().size(); ++trial) {
      const auto place = axes.place(history.point(trial));
      if (!place) continue;
      const auto found = std::lower_bound(combinations_.begin(), combinations_.end(), *place);
      if (found != combinations_.end() && *found == *place)
        taken[static_cast<std::size_t>(found - combinations_.begin())] = true;
    }
    const auto free = std::find(taken.begin(), taken.end(), false);
    if (free == taken.end()) return std::nullopt;
    const Combination& place = combinations_[static_cast<std::size_t>(free - taken.begin())];
    Point point(place.size(), inactive);
    for (std::size_t i = 0; i < place.size(); ++i)
      if (place[i] != inactive_value) point[i] = axes.coordinate(i, place[i]);
    return point;
  }

 private:
  std::int64_t points_;
  std::vector<Combination> combinations_;  // ascending
};

Error too_small(std::size_t size, bool gave_up, std::int64_t trials) {
  const std::string count = std::to_string(size);
  if (gave_up)
    return refuse(Code::invalid,
                  "only " + count + " of the first " + std::to_string(visits_max) +
                      " combinations of the grid satisfy the constraints",
                  "/search/trials");
  return refuse(Code::invalid,
                "the grid has " + count + " combinations, fewer than trials (" +
                    std::to_string(trials) + "): write trials: " + count +
                    " or raise search.points, which is the number of values of each float",
                "/search/trials");
}

}  // namespace

Result<std::unique_ptr<Sampler>> make_grid(const SearchSpec& search, const SearchSpace& space) {
  constexpr std::array<std::string_view, 1> known{points_setting};
  if (auto fits = only_settings(search, known); !fits) return fits.error();
  const auto points = count_setting(search, points_setting, 5, {1, 1000});
  if (!points) return points.error();
  if (search.trials > grid_trials_max)
    return refuse(Code::invalid, "a grid may have at most 100000 trials", "/search/trials");
  GridWalk walk(space, Axes(space, *points), static_cast<std::size_t>(search.trials));
  const bool gave_up = walk.gave_up();
  std::vector<Combination> combinations = std::move(walk).found();
  if (static_cast<std::int64_t>(combinations.size()) < search.trials)
    return too_small(combinations.size(), gave_up, search.trials);
  return std::unique_ptr<Sampler>(std::make_unique<GridSampler>(*points, std::move(combinations)));
}

}  // namespace hone
