#include "server/search/space/space.hpp"

#include <algorithm>
#include <cmath>

#include "base/expect.hpp"
#include "schemas/values/member.hpp"

namespace hone {
namespace {

// The share of a prior that is spread evenly. Without it, values some spreads away from a mistaken
// center would be out of reach of every sampler, and of double precision.
constexpr double even_part = 0.05;
constexpr double sqrt_two_pi = 2.50662827463100050242;

double on_scale(Scale scale, double value) {
  switch (scale) {
    case Scale::linear:
      return value;
    case Scale::log:
      return std::log(value);
    case Scale::logit:
      return std::log(value / (1 - value));
  }
  unreachable();
}

double off_scale(Scale scale, double position) {
  switch (scale) {
    case Scale::linear:
      return position;
    case Scale::log:
      return std::exp(position);
    case Scale::logit:
      return 1 / (1 + std::exp(-position));
  }
  unreachable();
}

// A numeric domain as shares of its range, measured on its scale. A grid value k owns the shares
// between edge(k) and edge(k + 1).
struct Range {
  Scale scale = Scale::linear;
  double low = 0, high = 1;     // the values at share 0 and share 1
  double anchor = 0, step = 0;  // value k is anchor + k * step
  std::int64_t size = 0;        // 0: continuous
  std::optional<Prior> prior{};

  // Adds half a step on both sides of the grid, so that its ends own whole cells, too.
  void widen() {
    low = anchor - step / 2;
    high = anchor + (static_cast<double>(size) - 0.5) * step;
  }
  [[nodiscard]] double value(double share) const {
    const double from = on_scale(scale, low);
    return off_scale(scale, from + (on_scale(scale, high) - from) * share);
  }
  [[nodiscard]] double share(double value) const {
    const double from = on_scale(scale, low), to = on_scale(scale, high);
    return to > from ? std::clamp((on_scale(scale, value) - from) / (to - from), 0.0, 1.0) : 0;
  }
  [[nodiscard]] double edge(std::int64_t k) const {
    if (k <= 0) return 0;
    if (k >= size) return 1;
    if (scale == Scale::linear) return static_cast<double>(k) / static_cast<double>(size);
    return share(anchor + (static_cast<double>(k) - 0.5) * step);
  }
  [[nodiscard]] std::int64_t index(double share) const {
    const double k = scale == Scale::linear ? std::floor(share * static_cast<double>(size))
                                            : std::round((value(share) - anchor) / step);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(k), 0, size - 1);
  }

  // Maps a share to the unit interval in which the prior is uniform.
  [[nodiscard]] double to_unit(double share) const {
    return prior ? std::clamp(bell().below(share), 0.0, 1.0) : share;
  }
  // The inverse, by Newton steps inside a bracket: a mixture has no closed form.
  [[nodiscard]] double from_unit(double unit) const {
    if (!prior) return unit;
    const Bell prior_bell = bell();
    double low_share = 0, high_share = 1, share = 0.5;
    for (int step_number = 0; step_number < 100; ++step_number) {
      const double excess = prior_bell.below(share) - unit;
      if (excess == 0) break;
      (excess < 0 ? low_share : high_share) = share;
      double next = share - excess / prior_bell.density(share);
      if (!(next > low_share && next < high_share)) next = (low_share + high_share) / 2;
      if (std::abs(next - share) < 1e-16) break;
      share = next;
    }
    return share;
  }
  [[nodiscard]] Cell cell(std::int64_t k) const { return {to_unit(edge(k)), to_unit(edge(k + 1))}; }

 private:
  // The prior on [0, 1]: a truncated normal distribution, and even_part spread evenly.
  struct Bell {
    double centre, spread, left, inside;
    [[nodiscard]] double below(double share) const {
      const double normal = (normal_cdf((share - centre) / spread) - left) / inside;
      return (1 - even_part) * normal + even_part * share;
    }
    [[nodiscard]] double density(double share) const {
      const double z = (share - centre) / spread;
      const double normal = std::exp(-z * z / 2) / (spread * inside * sqrt_two_pi);
      return (1 - even_part) * normal + even_part;
    }
  };
  [[nodiscard]] Bell bell() const {
    const double centre = share(prior->center);
    const double left = normal_cdf(-centre / prior->spread);
    return {centre, prior->spread, left, normal_cdf((1 - centre) / prior->spread) - left};
  }
};

Range range_of(const FloatDomain& d) {
  Range range{d.scale, d.min, d.max, d.min, d.step.value_or(0), 0, d.prior};
  if (d.step) range.size = member_count(d);
  if (d.step && d.scale == Scale::linear) range.widen();
  return range;
}

Range range_of(const IntDomain& d) {
  const auto step = static_cast<double>(d.step), min = static_cast<double>(d.min);
  const std::int64_t size = (d.max - d.min) / d.step + 1;
  Range range{d.scale, min, static_cast<double>(d.max), min, step, size, d.prior};
  range.widen();
  if (d.scale == Scale::log) range.low = std::max(range.low, 0.5);
  return range;
}

double choice_weight(const ChoiceDomain& domain, std::size_t index) {
  if (domain.weights.empty()) return 1 / static_cast<double>(domain.values.size());
  double sum = 0;
  for (const double one : domain.weights) sum += one;
  return domain.weights[index] / sum;
}

std::size_t choice_index(const ChoiceDomain& domain, double unit) {
  const std::size_t size = domain.values.size();
  if (domain.weights.empty())
    return std::min(static_cast<std::size_t>(unit * static_cast<double>(size)), size - 1);
  double below = 0;
  for (std::size_t i = 0; i + 1 < size; ++i)
    if (below += choice_weight(domain, i); unit < below) return i;
  return size - 1;
}

Cell choice_cell(const ChoiceDomain& domain, std::size_t index) {
  double below = 0;
  for (std::size_t i = 0; i < index; ++i) below += choice_weight(domain, i);
  return {below, index + 1 == domain.values.size() ? 1 : below + choice_weight(domain, index)};
}

std::int64_t int_at(const IntDomain& domain, double unit) {
  const Range range = range_of(domain);
  return domain.min + range.index(range.from_unit(unit)) * domain.step;
}

struct ValueAt {
  double unit;
  Value operator()(const FloatDomain& domain) const {
    const Range range = range_of(domain);
    const double share = range.from_unit(unit);
    if (domain.step) return member_at(domain, range.index(share));
    return std::clamp(range.value(share), domain.min, domain.max);
  }
  Value operator()(const IntDomain& domain) const { return int_at(domain, unit); }
  Value operator()(const ChoiceDomain& domain) const {
    return domain.values[choice_index(domain, unit)];
  }
  Value operator()(const BoolDomain&) const { return unit >= 0.5; }
  Value operator()(const FixedDomain& domain) const { return domain.value; }
  Value operator()(const DerivedDomain&) const { unreachable(); }
};

struct UnitOf {
  const Value& value;
  double operator()(const FloatDomain& domain) const {
    const Range range = range_of(domain);
    const double real = std::get<double>(value);
    if (domain.step) return range.cell(nearest_member(domain, real)).middle();
    return range.to_unit(range.share(real));
  }
  double operator()(const IntDomain& domain) const {
    return range_of(domain)
        .cell((std::get<std::int64_t>(value) - domain.min) / domain.step)
        .middle();
  }
  double operator()(const ChoiceDomain& domain) const {
    const auto found = std::find(domain.values.begin(), domain.values.end(), value);
    return choice_cell(domain, static_cast<std::size_t>(found - domain.values.begin())).middle();
  }
  double operator()(const BoolDomain&) const { return std::get<bool>(value) ? 0.75 : 0.25; }
  double operator()(const FixedDomain&) const { return 0.5; }
  double operator()(const DerivedDomain&) const { unreachable(); }
};

struct Levels {
  std::int64_t operator()(const FloatDomain& domain) const { return range_of(domain).size; }
  std::int64_t operator()(const IntDomain& domain) const { return range_of(domain).size; }
  std::int64_t operator()(const ChoiceDomain& domain) const {
    return static_cast<std::int64_t>(domain.values.size());
  }
  std::int64_t operator()(const BoolDomain&) const { return 2; }
  std::int64_t operator()(const FixedDomain&) const { return 1; }
  std::int64_t operator()(const DerivedDomain&) const { unreachable(); }
};

struct CellAt {
  double unit;
  Cell operator()(const FloatDomain& domain) const { return cell_of(range_of(domain)); }
  Cell operator()(const IntDomain& domain) const { return cell_of(range_of(domain)); }
  Cell operator()(const ChoiceDomain& domain) const {
    return choice_cell(domain, choice_index(domain, unit));
  }
  Cell operator()(const BoolDomain&) const { return unit >= 0.5 ? Cell{0.5, 1} : Cell{0, 0.5}; }
  Cell operator()(const FixedDomain&) const { return {0, 1}; }
  Cell operator()(const DerivedDomain&) const { unreachable(); }

 private:
  [[nodiscard]] Cell cell_of(const Range& range) const {
    expect(range.size > 0, "only a grid has cells");
    return range.cell(range.index(range.from_unit(unit)));
  }
};

}  // namespace

Value value_at(const Domain& domain, double unit) { return std::visit(ValueAt{unit}, domain); }

double unit_of(const Domain& domain, const Value& member) {
  return std::visit(UnitOf{member}, domain);
}

std::int64_t levels(const Domain& domain) { return std::visit(Levels{}, domain); }

Cell cell_at(const Domain& domain, double unit) { return std::visit(CellAt{unit}, domain); }

double normal_cdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

double normal_quantile(double p) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                          6.680131188771972e+01, -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                          3.754408661907416e+00};
  const auto tail = [&](double q) {
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  };
  double x = 0;
  if (p < 0.02425) {
    x = tail(std::sqrt(-2 * std::log(p)));
  } else if (p > 1 - 0.02425) {
    x = -tail(std::sqrt(-2 * std::log1p(-p)));
  } else {
    const double q = p - 0.5, r = q * q;
    x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
        (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
  }
  const double error = normal_cdf(x) - p;
  const double u = error * 2.50662827463100050242 * std::exp(x * x / 2);
  return std::isfinite(u) ? x - u / (1 + x * u / 2) : x;
}

}  // namespace hone
