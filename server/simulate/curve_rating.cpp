// How good the parameter sets of a curve table are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "schemas/types/reach.hpp"
#include "server/simulate/curve_table.hpp"

namespace hone::simulate {
namespace {

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
}

std::size_t checkpoints_in_last_tenth(std::size_t checkpoints) {
  return std::max<std::size_t>(1, (checkpoints + 9) / 10);
}

}  // namespace

void CurveTable::rate(Configuration& one, double worst, double floor) const {
  const double sign = goal_ == Goal::maximize ? 1 : -1;
  double sum = 0;
  for (const Curve& curve : one.curves) {
    const std::size_t tail = checkpoints_in_last_tenth(curve.values.size());
    for (std::size_t k = curve.values.size() - tail; k < curve.values.size(); ++k) {
      const double merit = curve.values[k] ? sign * *curve.values[k] : worst;
      one.diverged = one.diverged || !curve.values[k] || merit < floor;
      sum += std::max(merit, floor) / static_cast<double>(tail);
    }
  }
  one.merit = sum / static_cast<double>(one.curves.size());
}

void CurveTable::finish() {
  const double sign = goal_ == Goal::maximize ? 1 : -1;
  double worst = std::numeric_limits<double>::infinity(), seconds = 0, curves = 0;
  double highest = -worst;  // last value
  std::vector<double> first;
  for (const Configuration& one : configurations_)
    for (const Curve& curve : one.curves) {
      for (const auto& value : curve.values)
        if (value) worst = std::min(worst, sign * *value);
      if (curve.values.front()) first.push_back(sign * *curve.values.front());
      if (curve.values.back()) highest = std::max(highest, sign * *curve.values.back());
      seconds += curve.seconds.back();
      ++curves;
    }
  full_run_seconds_ = seconds / curves;
  if (!std::isfinite(worst)) worst = 0;  // no run has a number
  const double start = first.empty() ? worst : quantile(first, 0.5);
  const double floor = highest > start ? std::max(worst, start - (highest - start)) : worst;
  for (Configuration& one : configurations_) rate(one, worst, floor);
  set_unit();
}

void CurveTable::rate_by(const Reach& reach, std::int64_t per_run) {
  for (Configuration& one : configurations_) {
    double sum = 0;
    for (const Curve& curve : one.curves) {
      const std::size_t count = curve.values.size();
      const bool steps = reach.clock == RunClock::steps;
      double time = 2 * (steps ? static_cast<double>(per_run) : curve.seconds.back());
      for (std::size_t k = count; k-- > 0;)
        if (curve.values[k] && reaches(reach, Score::of(*curve.values[k])))
          time = steps ? static_cast<double>(per_run) * static_cast<double>(k + 1) /
                             static_cast<double>(count)
                       : curve.seconds[k];
      sum += time;
    }
    one.merit = -sum / static_cast<double>(one.curves.size());
  }
  goal_ = Goal::soonest;
  set_unit();
}

void CurveTable::set_unit() {
  std::vector<double> merits, sound;
  for (const Configuration& one : configurations_) {
    merits.push_back(one.merit);
    if (!one.diverged) sound.push_back(one.merit);
  }
  best_ = *std::max_element(merits.begin(), merits.end());
  const auto& of_unit = sound.size() > 1 ? sound : merits;
  unit_ = std::max(best_ - quantile(of_unit, 0.5), 0.05 * (best_ - quantile(of_unit, 0.1)));
  if (!(unit_ > 0)) unit_ = 1;  // every configuration is as good as the best
}

double CurveTable::regret(std::size_t configuration) const {
  return (best_ - configurations_[configuration].merit) / unit_;
}

double CurveTable::excess(std::size_t configuration, double merit) const {
  return (merit - configurations_[configuration].merit) / unit_;
}

double CurveTable::true_value(std::size_t configuration) const {
  const double merit = configurations_[configuration].merit;
  return goal_ == Goal::maximize ? merit : -merit;
}

double CurveTable::blind_regret() const {
  double sum = 0;
  for (std::size_t i = 0; i < configurations_.size(); ++i) sum += regret(i);
  return sum / static_cast<double>(configurations_.size());
}

}  // namespace hone::simulate
