#include "server/search/terminators/hone/phase_rank.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/rng.hpp"

namespace hone {
namespace {

constexpr std::size_t donors_of = 5;  // one of so many runs may be continued, as in populations

}  // namespace

PhaseRank phase_rank(const SmoothedCurves& curves, std::size_t run, int phase, bool forks) {
  const auto index = static_cast<std::size_t>(phase - 1);
  const double own = curves.curves()[run].scores[index];
  PhaseRank rank;
  double first = -std::numeric_limits<double>::infinity();
  double finite = 0, at_first = 0;
  for (const SmoothedCurves::Curve& curve : curves.curves()) {
    if (!curve.first || curve.reports < phase) continue;
    if (forks && curve.inherited >= phase) continue;
    ++rank.rivals;
    if (curve.length() < phase) continue;  // its last report diverged: ranks behind all others
    const double score = curve.scores[index];
    ++finite;
    if (score > first) first = score, at_first = 0;
    at_first += score == first ? 1 : 0;
    if (score > own || (score == own && curve.run < run)) ++rank.place;
  }
  rank.tied = own == first && finite >= 2 && at_first > std::floor(finite / 2);
  return rank;
}

std::optional<std::size_t> best_paused(const SmoothedCurves& curves, int reports) {
  const SmoothedCurves::Curve* best = nullptr;
  for (const SmoothedCurves::Curve& curve : curves.curves()) {
    const bool fits = curve.paused && !curve.diverged && curve.length() > 0 &&
                      (reports == 0 || curve.length() == reports);
    if (fits && (best == nullptr || curve.scores.back() > best->scores.back())) best = &curve;
  }
  if (best == nullptr) return std::nullopt;
  return best->run;
}

bool is_turn(double share, std::size_t number) {
  constexpr double rounding = 1e-9;
  const auto count = static_cast<double>(number);
  return share > 0 &&
         std::floor((count + 1) * share - rounding) != std::floor(count * share - rounding);
}

std::optional<Donor> find_donor(const SmoothedCurves& curves, const SweepShape& shape, int grain,
                                std::size_t number) {
  std::vector<const SmoothedCurves::Curve*> ranked;
  for (const SmoothedCurves::Curve& curve : curves.curves())
    if (curve.first && !curve.diverged && curve.length() >= grain) ranked.push_back(&curve);
  if (ranked.size() < donors_of) return std::nullopt;
  std::ranges::stable_sort(ranked, std::greater<>(),
                           [](const auto* curve) { return curve->scores.back(); });
  Rng rng(shape.seed, Purpose::rule, number);
  const std::size_t place = rng.below(ranked.size() / donors_of);
  const SmoothedCurves::Curve& curve = *ranked[place];
  const int judged = std::min(curve.length(), shape.phases - 1) / grain;
  if (judged == 0) return std::nullopt;
  const int reports = grain * (1 + static_cast<int>(rng.below(static_cast<std::uint64_t>(judged))));
  return Donor{curve.run, reports, {static_cast<std::int64_t>(place) + 1, std::ssize(ranked)}};
}

}  // namespace hone
