#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "schemas/values/member.hpp"
#include "server/search/samplers/population/changes.hpp"
#include "server/search/samplers/population/population.hpp"

namespace hone {
namespace {

constexpr int explore_draws_max = 100;  // for one that satisfies the constraints

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
    const auto level = static_cast<std::int64_t>(std::llround((from - domain.min) / step));
    const auto moved =
        moved_level(level, (to - domain.min) / step, from * factor > from, member_count(domain));
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

// A member that is followed. By parameter: its values (null: inactive), and which of them may
// change.
struct Member {
  const SearchSpace& space;
  Point point;
  std::vector<const Value*> values;
  std::vector<bool> changeable;
};

Member member_of(const SearchSpace& space, const Params& params, Point point,
                 std::span<const std::string> names) {
  Member member{space, std::move(point), space.values_of(params), {}};
  const std::set<std::string_view> changeable(names.begin(), names.end());
  for (const Parameter& parameter : space.parameters())
    member.changeable.push_back(changeable.contains(parameter.name));
  return member;
}

// A draw: a point, and the values that multiplied numbers move to.
struct Moved {
  Point point;
  Params params;
};

Moved move(const Member& member, const Population& population, Rng& rng) {
  const SearchSpace& space = member.space;
  Moved moved{member.point, {}};
  for (std::size_t i = 0; i < moved.point.size(); ++i) {
    const Dimension& dimension = space.dimensions()[i];
    const std::size_t parameter = space.parameter_of(i);
    const Value* value = member.values[parameter];
    const bool inactive_now = value == nullptr;  // becomes active if its condition comes to hold
    if (!inactive_now && !member.changeable[parameter]) continue;
    const bool resamples = rng.uniform() < population.resample;
    const double drawn = prior_coordinate(dimension, rng.uniform());
    const double factor = population.perturb[rng.below(population.perturb.size())];
    if (inactive_now || resamples) {
      moved.point[i] = drawn;
      continue;
    }
    const Domain& domain = space.parameters()[parameter].domain;
    auto perturbed = std::visit(Perturbed{*value, factor}, domain);
    if (perturbed) perturbed = space.recorded(parameter, *perturbed);
    moved.params.push_back({dimension.name, perturbed ? *std::move(perturbed) : *value});
  }
  space.place(moved.params, moved.point);
  return moved;
}

// The parameters at a point. Those at the member's coordinates have its exact values, and the
// others those of `moved`, by parameter, where it has them.
Params params_at(const Member& member, std::span<const Value* const> moved, Point point) {
  const SearchSpace& space = member.space;
  std::vector<const Value*> exact(space.parameters().size(), nullptr);
  for (std::size_t i = 0; i < point.size(); ++i) {
    const std::size_t parameter = space.parameter_of(i);
    exact[parameter] = point[i] == member.point[i] ? member.values[parameter] : moved[parameter];
  }
  space.settle(point);
  Params params = space.params_at(point);
  std::size_t index = 0;  // both are in the order of the file
  for (Param& param : params) {
    while (space.parameters()[index].name != param.name) ++index;
    keep_unchanged(member.values[index], param.value);
    const Value* value = exact[index++];
    if (value != nullptr && value->index() == param.value.index()) param.value = *value;
  }
  return params;
}

// Whether a parameter differs, appears or vanishes that may not change.
bool changes_beyond(const Member& member, const Params& params) {
  const auto after = member.space.values_of(params);
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (member.changeable[i]) continue;
    const Value* before = member.values[i];
    if ((before == nullptr) != (after[i] == nullptr)) return true;
    if (before != nullptr && *before != *after[i]) return true;
  }
  return false;
}

// Bounds a proposal to some tenths of a second of the engine: one for a parameter, or a node of an
// expression, of each parameter set that is computed.
class Work {
 public:
  explicit Work(const SearchSpace& space) : cost_(space.evaluation_cost()) {}
  // Whether another parameter set may be computed.
  bool take() { return (done_ += cost_) <= most; }

 private:
  static constexpr std::size_t most = 2'000'000;
  std::size_t cost_, done_ = 0;
};

// The point with only those of its moves, in their order, from which no change of a parameter
// follows that may not change; the last ones are left out where the work is too much.
Point permitted(const Member& member, std::span<const Value* const> moved, const Point& point,
                Work& work) {
  Point kept = member.point;
  for (std::size_t i = 0; i < point.size(); ++i) {
    if (point[i] == member.point[i]) continue;
    if (!work.take()) return kept;
    Point tried = kept;
    tried[i] = point[i];
    if (!changes_beyond(member, params_at(member, moved, tried))) kept = std::move(tried);
  }
  return kept;
}

}  // namespace

Params explore(const SearchSpace& space, const Params& of, std::span<const std::string> changeable,
               const Population& population, Rng rng) {
  auto from = space.point_of(of);
  if (!from) return of;  // the space has changed since
  const Member member = member_of(space, of, *std::move(from), changeable);
  Work work(space);
  for (int i = 0; i < explore_draws_max && work.take(); ++i) {
    const Moved drawn = move(member, population, rng);
    const auto moved = space.values_of(drawn.params);
    Params params = params_at(member, moved, drawn.point);
    if (changes_beyond(member, params))
      params = params_at(member, moved, permitted(member, moved, drawn.point, work));
    if (space.feasible(params)) return params;
  }
  return of;
}

std::optional<Params> forked_to(const SearchSpace& space, const Params& of,
                                std::span<const std::string> changeable,
                                std::span<const Point> points) {
  auto from = space.point_of(of);
  if (!from) return std::nullopt;
  const Member member = member_of(space, of, *std::move(from), changeable);
  const std::vector<const Value*> none(space.parameters().size(), nullptr);
  Work work(space);
  for (const Point& point : points) {
    if (!work.take()) break;
    Params params = params_at(member, none, point);
    if (changes_beyond(member, params))
      params = params_at(member, none, permitted(member, none, point, work));
    if (space.feasible(params)) return params;
  }
  return std::nullopt;
}

}  // namespace hone
