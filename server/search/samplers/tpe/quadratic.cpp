#include "server/search/samplers/tpe/quadratic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "server/search/samplers/tpe/quadratic_fit.hpp"
#include "server/search/samplers/tpe/relevance.hpp"

namespace hone {
namespace {

constexpr std::size_t parameters_max = 6;  // with products: 28 coefficients, about 20 us to fit
// Of more parameters the most relevant ones are tried, the fewest first.
constexpr std::array<std::size_t, 3> relevant_counts{2, 4, parameters_max};
constexpr std::size_t relevance_trials_min = 40;  // the best half of the trials, or so many
constexpr std::size_t separable_max = 32;         // without products: 65 coefficients
constexpr std::size_t places_max = 128;  // the best trials, among which the nearest are found
constexpr std::size_t spare_trials_min = 5;

// What a quadratic is fitted to, and which share of the variance it may leave. A proposal repeats a
// trial that is nearer than a share of the radius.
struct Model {
  bool everywhere;  // all trials, or the nearest that suffice
  bool squared;     // losses: those of a cone become those of a bowl
  double unexplained_max;
  double repeat_share;
};
constexpr Model bowl{false, false, 0.05, 1e-3};
constexpr Model cone{false, true, 0.05, 1e-3};
constexpr Model trend{true, false, 0.5, 0.05};  // of a bowl with ripples

// Finished trials that share what is not continuous with the best one, which is not among them.
struct Region {
  std::vector<std::size_t> free;    // continuous dimensions
  std::vector<std::size_t> places;  // in the order of the evidence, best first
};

// Trials near the best one: their steps from it in some of the free coordinates, in units of the
// largest, and what they lose on it.
struct Neighbourhood {
  std::vector<std::size_t> free;  // dimensions
  Terms kind = Terms::products;
  double radius = 0;
  std::vector<std::vector<double>> steps;
  std::vector<double> losses;

  [[nodiscard]] std::size_t wanted() const {
    const std::size_t terms = term_count(free.size(), kind);
    return terms + std::max(spare_trials_min, terms / 2);
  }
};

// Whether the points agree outside of the free dimensions.
bool shares_rest(std::span<const double> a, std::span<const double> b,
                 const std::vector<std::size_t>& free) {
  for (std::size_t j = 0; j < a.size(); ++j) {
    if (std::isnan(a[j]) != std::isnan(b[j])) return false;
    const bool is_free = std::find(free.begin(), free.end(), j) != free.end();
    if (!is_free && !std::isnan(a[j]) && a[j] != b[j]) return false;
  }
  return true;
}

std::vector<double> step_between(std::span<const std::size_t> dimensions,
                                 std::span<const double> from, std::span<const double> to) {
  std::vector<double> step(dimensions.size());
  for (std::size_t i = 0; i < step.size(); ++i) step[i] = to[dimensions[i]] - from[dimensions[i]];
  return step;
}

std::optional<Region> region_of(const SearchSpace& space, const Evidence& evidence) {
  Region region;
  const auto best = evidence.point(0);
  if (!std::isfinite(evidence.loss(evidence.order()[0]))) return std::nullopt;
  for (std::size_t j = 0; j < best.size(); ++j)
    if (space.dimensions()[j].kind == Dimension::Kind::real && !std::isnan(best[j]))
      region.free.push_back(j);
  if (region.free.empty()) return std::nullopt;
  for (std::size_t i = 1; i < std::min(evidence.order().size(), places_max); ++i)
    if (std::isfinite(evidence.loss(evidence.order()[i])) &&
        shares_rest(best, evidence.point(i), region.free))
      region.places.push_back(i);
  return region;
}

// Those of the free dimensions that decide the losses of the better trials.
std::vector<std::size_t> relevant_of(const Evidence& evidence, const Region& region) {
  const std::size_t better = std::max(relevance_trials_min, region.places.size() / 2);
  const std::size_t count = std::min(region.places.size(), better);
  std::vector<std::vector<double>> columns(region.free.size());
  std::vector<double> losses;
  const double least = evidence.loss(evidence.order()[0]);
  for (const std::size_t place : std::span(region.places).first(count)) {
    losses.push_back(evidence.loss(evidence.order()[place]) - least);
    for (std::size_t j = 0; j < region.free.size(); ++j)
      columns[j].push_back(evidence.point(place)[region.free[j]]);
  }
  auto chosen = most_relevant(std::move(columns), std::move(losses), parameters_max);
  for (std::size_t& j : chosen) j = region.free[j];
  return chosen;
}

std::optional<Neighbourhood> neighbourhood_of(const Evidence& evidence, const Region& region,
                                              std::span<const std::size_t> dimensions, Terms kind,
                                              const Model& model) {
  Neighbourhood near;
  near.free.assign(dimensions.begin(), dimensions.end());
  near.kind = kind;
  if (near.free.empty() || region.places.size() < near.wanted()) return std::nullopt;
  const auto best = evidence.point(0);
  const double least = evidence.loss(evidence.order()[0]);
  struct Neighbour {
    double distance;
    std::size_t place;
  };
  std::vector<Neighbour> found;
  found.reserve(region.places.size());
  const auto step_to = [&](std::size_t place) {
    return step_between(near.free, best, evidence.point(place));
  };
  for (const std::size_t i : region.places) found.push_back({length_of(step_to(i)), i});
  std::sort(found.begin(), found.end(), [](const Neighbour& a, const Neighbour& b) {
    return a.distance < b.distance || (a.distance == b.distance && a.place < b.place);
  });
  if (!model.everywhere) found.resize(near.wanted());
  near.radius = found.back().distance;
  if (!(near.radius > 0)) return std::nullopt;
  for (const Neighbour& one : found) {
    near.steps.push_back(step_to(one.place));
    for (double& x : near.steps.back()) x /= near.radius;
    near.losses.push_back(evidence.loss(evidence.order()[one.place]) - least);
  }
  if (model.squared)
    for (double& loss : near.losses) loss *= loss;
  near.steps.emplace_back(near.free.size(), 0.0);  // the best trial
  near.losses.push_back(0);
  return near;
}

bool repeats(const Evidence& evidence, const Region& region, const Neighbourhood& near,
             std::span<const double> point, double repeat_share) {
  const auto close = [&](std::uint32_t trial) {
    const auto other = evidence.history().point(trial);
    if (!shares_rest(point, other, region.free)) return false;
    return length_of(step_between(near.free, point, other)) < repeat_share * near.radius;
  };
  const auto order = evidence.order().first(std::min(evidence.order().size(), places_max));
  const auto pending = evidence.history().pending();
  return std::any_of(order.begin(), order.end(), close) ||
         std::any_of(pending.begin(), pending.end(), close);
}

// What a quadratic says: whether it describes the losses, and its minimum if that is new.
struct Finding {
  bool described = false;
  std::optional<Point> point{};
};

Finding look(const SearchSpace& space, const Evidence& evidence, const Region& region,
             std::span<const std::size_t> dimensions, Terms kind, const Model& model) {
  const auto near = neighbourhood_of(evidence, region, dimensions, kind, model);
  if (!near) return {};
  const auto step = least_step(near->steps, near->losses, kind, model.unexplained_max);
  if (!step) return {};
  const auto best = evidence.point(0);
  Point point(best.begin(), best.end());
  for (std::size_t i = 0; i < near->free.size(); ++i) {
    double& x = point[near->free[i]];
    x = std::clamp(x + near->radius * (*step)[i], 0.0, 1.0);
  }
  space.settle(point);
  if (!space.feasible(point) || repeats(evidence, region, *near, point, model.repeat_share))
    return {.described = true};
  return {.described = true, .point = std::move(point)};
}

}  // namespace

std::optional<Point> propose_by_quadratic(const SearchSpace& space, const Evidence& evidence) {
  if (evidence.history().objectives() > 1 || evidence.order().empty()) return std::nullopt;
  const auto region = region_of(space, evidence);
  if (!region) return std::nullopt;
  const bool few = region->free.size() <= parameters_max;
  bool described = false;
  if (!few) {
    const auto relevant = relevant_of(evidence, *region);
    for (const std::size_t count : relevant_counts) {
      const auto dimensions = std::span(relevant).first(std::min(count, relevant.size()));
      auto found = look(space, evidence, *region, dimensions, Terms::products, bowl);
      if (found.point) return std::move(found.point);
      described = described || found.described;
    }
  }
  if (region->free.size() > separable_max) return std::nullopt;
  for (const Model& model : {bowl, cone, trend}) {
    auto found =
        look(space, evidence, *region, region->free, few ? Terms::products : Terms::squares, model);
    if (found.point) return std::move(found.point);
    if (described || found.described) return std::nullopt;  // what it says is known
  }
  return std::nullopt;
}

}  // namespace hone
