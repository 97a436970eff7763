#include "server/search/terminators/hone/rank_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "server/search/space/space.hpp"
#include "server/search/terminators/hone/rank_prior.hpp"

namespace hone {
namespace {

constexpr double agreement_max = 0.995;  // Fisher's transform has no value at 1

struct Ranked {
  std::size_t run = 0;
  double score = 0;
  double normal = 0;  // its rank among these
  RankChain::Place before{};
};

// The runs that reported the phase, and those that diverged on their way to it.
std::vector<Ranked> runs_at(const SmoothedCurves& curves, int phase,
                            std::span<const RankChain::Place> places) {
  std::vector<Ranked> runs;
  for (const SmoothedCurves::Curve& curve : curves.curves()) {
    const RankChain::Place& before = places[curve.run];
    if (!curve.first || before.diverged || curve.inherited >= phase) continue;
    const bool reported = curve.length() >= phase;
    if (!reported && !(curve.diverged && curve.reports <= phase)) continue;
    const double score = reported ? curve.scores[static_cast<std::size_t>(phase - 1)]
                                  : -std::numeric_limits<double>::infinity();
    runs.push_back({curve.run, score, 0, before});
  }
  return runs;
}

// Gives each run the quantile of the normal distribution at its rank (Blom); ties share theirs.
void rank(std::vector<Ranked>& runs) {
  std::ranges::sort(runs, {}, [](const Ranked& run) { return std::pair(run.score, run.run); });
  const double count = static_cast<double>(runs.size()) + 0.25;
  for (std::size_t first = 0; first < runs.size();) {
    std::size_t end = first + 1;
    while (end < runs.size() && runs[end].score == runs[first].score) ++end;
    const double middle = static_cast<double>(first + end) / 2;
    for (; first < end; ++first) runs[first].normal = normal_quantile((middle + 0.125) / count);
  }
}

// Places at a stage (x) and ranks at the next one (y) of the runs that came so far.
struct Moments {
  double count = 0, mean_x = 0, mean_y = 0;
  double xx = 0, xy = 0, yy = 0;  // means of products of deviations
};

Moments moments_of(std::span<const Ranked> runs, int stage) {
  Moments m;
  const auto linked = [&](const Ranked& run) { return run.before.stage == stage; };
  m.count = static_cast<double>(std::ranges::count_if(runs, linked));
  for (const Ranked& run : runs)
    if (linked(run)) m.mean_x += run.before.normal / m.count, m.mean_y += run.normal / m.count;
  for (const Ranked& run : runs) {
    if (!linked(run)) continue;
    const double x = run.before.normal - m.mean_x, y = run.normal - m.mean_y;
    m.xx += x * x / m.count, m.xy += x * y / m.count, m.yy += y * y / m.count;
  }
  return m;
}

// Corrects the correlation for the selection that made the places less spread than those of all
// runs, whose variance is 1 (Thorndike, 1949, case 2).
Evidence evidence_of(const Moments& m) {
  constexpr double least = 1e-9;  // of a variance: ties
  if (m.count < 3 || m.xx < least || m.yy < least) return {};
  const double seen = std::clamp(m.xy / std::sqrt(m.xx * m.yy), -agreement_max, agreement_max);
  const double wider = 1 / std::min(1.0, m.xx);
  const double all = seen * std::sqrt(wider / (1 + seen * seen * (wider - 1)));
  return {all, std::max(0.0, std::min(1.0, m.xx) * m.count - 1)};
}

}  // namespace

Agreement agreement_of(const Evidence& evidence, const Evidence& believed, double caution) {
  const auto fisher = [](double correlation) {
    return std::atanh(std::clamp(correlation, -agreement_max, agreement_max));
  };
  const double weight = believed.runs + evidence.runs;
  const double middle =
      (believed.runs * fisher(believed.seen) + evidence.runs * fisher(evidence.seen)) / weight;
  const double error = 1 / std::sqrt(weight);
  const double measured = std::tanh(middle);
  return {measured, (1 - measured * measured) * error,
          std::clamp(std::tanh(middle - caution * error), 0.0, agreement_max)};
}

Evidence believed_agreement(const AgreementPrior& prior, int from, int to, int phases) {
  if (!prior.earlier)
    return {std::pow(prior.doubling, std::log2(static_cast<double>(to) / from)), prior.weight};
  // Kendall's tau of a normal distribution with correlation r is 2 / pi * asin(r).
  const auto correlation = [&](int phase) {
    return std::sin(std::numbers::pi / 2 * agreed(*prior.earlier, phase, phases));
  };
  const double until_end = correlation(to);
  const double step = until_end > 0 ? std::min(1.0, correlation(from) / until_end) : 0;
  return {step, std::max<double>(prior.earlier->runs, prior.weight)};
}

std::vector<double> reliance_of(std::span<const Agreement> steps) {
  std::vector<double> reliance(steps.size() + 1, 1);
  for (std::size_t stage = steps.size(); stage-- > 0;)
    reliance[stage] = reliance[stage + 1] * steps[stage].used;
  return reliance;
}

RankChain::RankChain(const SmoothedCurves& curves, std::span<const int> stages,
                     const AgreementPrior& prior)
    : places_(curves.curves().size()) {
  for (std::size_t at = 0; at < stages.size(); ++at) {
    std::vector<Ranked> runs = runs_at(curves, stages[at], places_);
    rank(runs);
    const int stage = static_cast<int>(at);
    double shift = 0, scale = 1;
    if (at > 0) {
      const Moments m = moments_of(runs, stage - 1);
      const Evidence believed =
          believed_agreement(prior, stages[at - 1], stages[at], stages.back());
      steps_.push_back(agreement_of(evidence_of(m), believed, prior.caution));
      // The mean and variance that these runs have among all, by the places that they came from.
      const double r = steps_.back().used;
      if (m.count > 0) scale = std::sqrt(r * r * std::min(1.0, m.xx) + 1 - r * r);
      shift = r * m.mean_x - scale * m.mean_y;
    }
    for (const Ranked& run : runs)
      places_[run.run] = {stage, shift + scale * run.normal, std::isinf(run.score)};
  }
  reliance_ = reliance_of(steps_);
}

}  // namespace hone
