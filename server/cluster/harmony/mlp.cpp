#include "server/cluster/harmony/mlp.hpp"

#include <algorithm>
#include <cmath>

namespace hone::cluster {
namespace {

// Sums in four lanes: the order is fixed, and the compiler may use vector instructions.
double dot(const double* a, const double* b, std::size_t count) {
  double lanes[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  for (; i < count; ++i) lanes[0] += a[i] * b[i];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

// The weights of a layer are [input][unit], then its biases [unit]: inputs of 0 cost nothing, and
// most are.
Mlp::Mlp(std::vector<std::size_t> widths) : widths_(std::move(widths)) {
  for (std::size_t l = 1; l < widths_.size(); ++l) size_ += (widths_[l - 1] + 1) * widths_[l];
  size_ += widths_.back() + 1;
}

std::vector<double> Mlp::first_weights(Rng& rng) const {
  constexpr double output_share = 0.1;
  std::vector<double> weights;
  for (std::size_t l = 1; l <= widths_.size(); ++l) {
    const bool last = l == widths_.size();
    const std::size_t units = last ? 1 : widths_[l];
    const double bound =
        std::sqrt(6.0 / static_cast<double>(widths_[l - 1])) * (last ? output_share : 1);
    for (std::size_t i = 0; i < widths_[l - 1] * units; ++i)
      weights.push_back(rng.uniform(-bound, bound));
    weights.insert(weights.end(), units, 0);
  }
  return weights;
}

double Mlp::forward(std::span<const double> weights, std::span<const double> input,
                    Activity& activity) const {
  activity.resize(widths_.size());
  activity[0].assign(input.begin(), input.end());
  const double* w = weights.data();
  for (std::size_t l = 1; l < widths_.size(); ++l) {
    const std::size_t ins = widths_[l - 1], units = widths_[l];
    auto& out = activity[l];
    out.assign(w + ins * units, w + (ins + 1) * units);
    for (std::size_t i = 0; i < ins; ++i) {
      const double x = activity[l - 1][i];
      if (x == 0) continue;
      for (std::size_t u = 0; u < units; ++u) out[u] += x * w[i * units + u];
    }
    for (double& value : out) value = std::max(0.0, value);
    w += (ins + 1) * units;
  }
  return dot(w, activity.back().data(), widths_.back()) + w[widths_.back()];
}

void Mlp::backward(std::span<const double> weights, const Activity& activity, double slope,
                   std::span<double> gradient) const {
  std::size_t at = size_ - widths_.back() - 1;
  std::vector<double> slopes(widths_.back());
  for (std::size_t u = 0; u < widths_.back(); ++u) {
    gradient[at + u] += slope * activity.back()[u];
    slopes[u] = activity.back()[u] > 0 ? slope * weights[at + u] : 0;
  }
  gradient[at + widths_.back()] += slope;
  for (std::size_t l = widths_.size() - 1; l > 0; --l) {
    const std::size_t ins = widths_[l - 1], units = widths_[l];
    at -= (ins + 1) * units;
    std::vector<double> below(ins, 0);
    for (std::size_t i = 0; i < ins; ++i) {
      const double x = activity[l - 1][i];
      if (x == 0) continue;
      double* g = &gradient[at + i * units];
      for (std::size_t u = 0; u < units; ++u) g[u] += x * slopes[u];
      if (l > 1) below[i] = dot(&weights[at + i * units], slopes.data(), units);
    }
    for (std::size_t u = 0; u < units; ++u) gradient[at + ins * units + u] += slopes[u];
    slopes = std::move(below);
  }
}

}  // namespace hone::cluster
