#include "server/api/sweeps/certainty.hpp"

#include <algorithm>
#include <cmath>

#include "schemas/types/spec.hpp"
#include "server/search/history/seed_curves.hpp"
#include "server/search/seeds/leaders.hpp"

namespace hone::api {
namespace {

bool all_finite(const std::vector<double>& merits) {
  return std::ranges::all_of(merits, [](double merit) { return std::isfinite(merit); });
}

}  // namespace

Json interval_json(Interval merits, const SweepSpec& spec) {
  if (spec.objective.reach) merits.high = std::min(merits.high, -0.0);
  Json low = shown(merits.low, spec), high = shown(merits.high, spec);
  if (low.is_number() && high.is_number() && low > high) std::swap(low, high);
  return Json::array({low, high});
}

std::optional<Interval> interval_of_seeds(const Strata& merits, const SweepSpec& spec,
                                          Aggregate aggregate, const PooledSpread& pooled) {
  if (spec.objective.reach && !std::ranges::all_of(merits, all_finite)) return std::nullopt;
  return seed_interval(merits, aggregate, pooled);
}

Certainty::Certainty(const Past& past, const SweepSpec& spec)
    : past_(past),
      spec_(spec),
      order_(find_leaders(past.history, past.history.trials().size())),
      expected_(expectations_of(past.history)) {
  for (const std::size_t trial : order_) {
    const SeedCurves curves(past.history, trial);
    values_.push_back(censored_as_failed(curves.values(past.history.outcome(trial).phase), spec));
    pooled_.add({values_.back()});
  }
}

std::optional<std::size_t> Certainty::place_of(std::size_t trial) const {
  const auto found = std::ranges::find(order_, trial);
  if (found == order_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - order_.begin());
}

const std::vector<double>& Certainty::values_of(std::size_t trial) const {
  return values_[place_of(trial).value()];
}

std::optional<Interval> Certainty::interval_of(std::size_t trial) const {
  const auto place = place_of(trial);
  if (!place) return std::nullopt;
  return interval_of_seeds({values_[*place]}, spec_, spec_.replicates.aggregate, pooled_);
}

std::optional<double> Certainty::expected_of(std::size_t trial) const {
  if (!place_of(trial) || !expected_[trial]) return std::nullopt;
  const auto interval = interval_of(trial);
  return interval ? std::clamp(*expected_[trial], interval->low, interval->high) : expected_[trial];
}

std::vector<Interval> Certainty::ranges(std::size_t count) const {
  if (!std::ranges::all_of(values_, all_finite)) return {};
  return rank_ranges(values_, spec_.replicates.aggregate, count);
}

}  // namespace hone::api
