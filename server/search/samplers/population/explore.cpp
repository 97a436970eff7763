#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "server/search/samplers/population/changes.hpp"
#include "server/search/samplers/population/population.hpp"

namespace hone {
namespace {

constexpr int draws_max = 100;  // for one that satisfies the constraints

// The level that a grid parameter moves to: the one nearest to the multiplied value, but at least
// one step away if the bounds allow it.
std::int64_t moved_level(std::int64_t level, double nearest, bool up, std::int64_t levels) {
  auto moved = static_cast<std::int64_t>(
      std::llround(std::clamp(nearest, 0.0, static_cast<double>(levels - 1))));
  if (moved == level) moved = std::clamp<std::int64_t>(level + (up ? 1 : -1), 0, levels - 1);
  return moved;
}

// The value multiplied by a factor, as a value of its domain; nullopt where that means nothing.
struct Perturbed {
  const Value& value;
  double factor;

  std::optional<Value> operator()(const FloatDomain& domain) const {
    if (!std::holds_alternative<double>(value)) return std::nullopt;
    const double from = std::get<double>(value);
    const double to = std::clamp(from * factor, domain.min, domain.max);
    if (!domain.step) return Value{to};
    const double step = *domain.step;
    const auto levels =
        static_cast<std::int64_t>(std::floor((domain.max - domain.min) / step + 1e-9)) + 1;
    const auto level = static_cast<std::int64_t>(std::llround((from - domain.min) / step));
    const auto moved = moved_level(level, (to - domain.min) / step, from * factor > from, levels);
    return Value{domain.min + static_cast<double>(moved) * step};
  }
  std::optional<Value> operator()(const IntDomain& domain) const {
    if (!std::holds_alternative<std::int64_t>(value)) return std::nullopt;
    const std::int64_t from = std::get<std::int64_t>(value);
    const double to = static_cast<double>(from) * factor;
    const double low = static_cast<double>(domain.min), step = static_cast<double>(domain.step);
    const std::int64_t levels = (domain.max - domain.min) / domain.step + 1;
    const std::int64_t moved = moved_level((from - domain.min) / domain.step, (to - low) / step,
                                           to > static_cast<double>(from), levels);
    return Value{domain.min + moved * domain.step};
  }
  std::optional<Value> operator()(const ChoiceDomain& domain) const {
    if (!domain.ordered) return std::nullopt;
    const auto found = std::ranges::find(domain.values, value);
    if (found == domain.values.end()) return std::nullopt;
    const auto level = found - domain.values.begin();
    const auto last = static_cast<std::ptrdiff_t>(domain.values.size()) - 1;
    return domain.values[static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(level + (factor > 1 ? 1 : -1), 0, last))];
  }
  std::optional<Value> operator()(const BoolDomain&) const { return std::nullopt; }
  std::optional<Value> operator()(const FixedDomain&) const { return std::nullopt; }
  std::optional<Value> operator()(const DerivedDomain&) const { return std::nullopt; }
};

const Domain& domain_of(const SearchSpace& space, const std::string& name) {
  return std::ranges::find(space.parameters(), name, &Parameter::name)->domain;
}

// Moves the changeable coordinates of a point. Returns the values to which numbers are multiplied.
Params move_point(const SearchSpace& space, const Params& of,
                  std::span<const std::string> changeable, const Population& population, Rng& rng,
                  Point& point) {
  Params moved;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const Dimension& dimension = space.dimensions()[i];
    const Value* value = find(of, dimension.name);
    const bool inactive_now = value == nullptr;  // becomes active if its condition comes to hold
    if (!inactive_now && std::ranges::find(changeable, dimension.name) == changeable.end())
      continue;
    const bool resamples = rng.uniform() < population.resample;
    const double drawn = prior_coordinate(dimension, rng.uniform());
    const double factor = population.perturb[rng.below(population.perturb.size())];
    if (inactive_now || resamples) {
      point[i] = drawn;
      continue;
    }
    const Domain& domain = domain_of(space, dimension.name);
    auto perturbed = std::visit(Perturbed{*value, factor}, domain);
    if (perturbed && contains(domain, *perturbed))
      moved.push_back({dimension.name, *std::move(perturbed)});
    else
      moved.push_back({dimension.name, *value});
  }
  return moved;
}

// The parameters at a point. Those at the coordinates of `from` have their exact values in `of`,
// and the others those in `moved`, where it has them.
Params params_at(const SearchSpace& space, const Params& of, const Point& from, const Params& moved,
                 Point point) {
  Params exact;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const std::string& name = space.dimensions()[i].name;
    if (const Value* value = find(point[i] == from[i] ? of : moved, name))
      exact.push_back({name, *value});
  }
  space.settle(point);
  Params params = space.params_at(point);
  keep_unchanged(of, params);
  for (Param& param : params)
    if (const Value* value = find(exact, param.name);
        value != nullptr && value->index() == param.value.index())
      param.value = *value;
  return params;
}

// The point with only those of its moves, in their order, from which no change of a parameter
// follows that may not change.
Point permitted(const SearchSpace& space, const Params& of, const Point& from, const Params& moved,
                const Point& point, std::span<const std::string> changeable) {
  Point kept = from;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (point[i] == from[i]) continue;
    Point tried = kept;
    tried[i] = point[i];
    if (!change_beyond(of, params_at(space, of, from, moved, tried), changeable))
      kept = std::move(tried);
  }
  return kept;
}

}  // namespace

Params explore(const SearchSpace& space, const Params& of, std::span<const std::string> changeable,
               const Population& population, Rng rng) {
  const auto from = space.point_of(of);
  if (!from) return of;  // the space has changed since
  for (int i = 0; i < draws_max; ++i) {
    Point point = *from;
    const Params moved = move_point(space, of, changeable, population, rng, point);
    space.place(moved, point);
    Params params = params_at(space, of, *from, moved, point);
    if (change_beyond(of, params, changeable))
      params =
          params_at(space, of, *from, moved, permitted(space, of, *from, moved, point, changeable));
    if (space.feasible(params)) return params;
  }
  return of;
}

}  // namespace hone
