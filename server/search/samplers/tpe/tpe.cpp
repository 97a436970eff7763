// Tree-structured Parzen estimators (Bergstra et al., 2011), extended.
//
// The first trials follow a low-discrepancy sequence. Then the trials are split into the best
// ceil(gamma n) and the others, and each side gets a Parzen estimator (parzen.hpp), l and g.
//   a share ratio_share of the proposals is the draw from l with the greatest l(x) / g(x), which
//     orders points as expected improvement does (Bergstra et al., 2011, eq. 2): textbook TPE
//   the others come from a surrogate that judges draws from l and their neighbours (surrogate.hpp),
//     sometimes confined to a part of the space (focus.hpp); every third of them is the minimum of
//     a quadratic through the trials around the best, where one fits (quadratic.hpp)
// With `surrogate: false` and `explore: 0`, only the ratio decides. `variant: textbook` is the
// published method without our changes (textbook.hpp).
// Pending trials count as bad in g (constant liar) and reduce the surrogate's uncertainty. Trials
// that were stopped early rank below finished ones by the phase they reached, failed ones last;
// both are evidence like any other. With one objective, the cost of a proposal does not grow with
// the number of trials.
#include <algorithm>
#include <cmath>

#include "server/search/samplers/settings.hpp"
#include "server/search/samplers/tpe/cost.hpp"
#include "server/search/samplers/tpe/evidence.hpp"
#include "server/search/samplers/tpe/focus.hpp"
#include "server/search/samplers/tpe/parzen.hpp"
#include "server/search/samplers/tpe/quadratic.hpp"
#include "server/search/samplers/tpe/settings.hpp"
#include "server/search/samplers/tpe/split.hpp"
#include "server/search/samplers/tpe/surrogate.hpp"
#include "server/search/samplers/tpe/textbook.hpp"

namespace hone {
namespace {

constexpr double local_share = 1.0 / 3;  // of the surrogate's proposals

// The points with which tpe begins.
class StartSampler final : public Sampler {
 public:
  std::optional<Point> propose(const SearchSpace& space, const History&,
                               const Draw& draw) const override {
    Rng rng = draw.rng();
    return start_point(space, draw, rng);
  }
};

class TpeSampler final : public Sampler {
 public:
  explicit TpeSampler(const TpeSettings& settings) : settings_(settings) {}

  std::optional<Point> propose(const SearchSpace& space, const History& history,
                               const Draw& draw) const override {
    Rng rng = draw.rng();
    std::optional<CostModel> cost;
    if (settings_.cost) cost.emplace(space, history);
    if (space.dimensions().empty() || history.ranked().size() < settings_.startup ||
        history.outcome(history.ranked()[0]).grade == TrialOutcome::Grade::failed)
      return cost && cost->known() ? cheap_start(StartSampler(), space, history, draw, *cost)
                                   : start_point(space, draw, rng);
    CostTerm term;
    if (cost && cost->known()) term = {&*cost, cost_weight(draw)};
    const Evidence evidence(history, settings_.good_max + settings_.surrogate_points, rng);
    const TpeSplit split(space, evidence, settings_);
    const bool by_surrogate = settings_.surrogate && rng.uniform() >= settings_.ratio_share;
    const bool plain = settings_.surrogate && !by_surrogate;  // the surrogate does the exploring
    const Focus focus = plain ? Focus{} : choose_focus(space, evidence, settings_, rng);
    if (by_surrogate && focus.kind == Focus::Kind::everywhere && rng.uniform() < local_share)
      if (auto point = propose_by_quadratic(space, evidence)) return point;
    if (by_surrogate) {
      const ParzenEstimator good = split.good(true);
      if (auto point = propose_by_surrogate({space, evidence, settings_, focus, good, term}, rng))
        return point;
    }
    if (auto point = propose_by_ratio(space, split, settings_, focus, term, rng)) return point;
    return random_point(space, rng);
  }

  std::optional<ProposalCost> cost_of(const SearchSpace& space, const History& history,
                                      const Draw& draw,
                                      std::span<const double> point) const override {
    if (!settings_.cost) return std::nullopt;
    const CostModel cost(space, history);
    if (!cost.known()) return std::nullopt;
    return ProposalCost{std::exp(cost.log_seconds(point)), cost_weight(draw)};
  }

 private:
  TpeSettings settings_;
};

}  // namespace

Result<std::unique_ptr<Sampler>> make_tpe(const SearchSpec& search, const SearchSpace&) {
  if (const Value* variant = find(search.settings, "variant")) {
    const auto* name = std::get_if<std::string>(variant);
    if (name != nullptr && *name == "textbook") return make_textbook_tpe(search);
    return refuse(Code::invalid, "variant must be textbook; leave it out for hone's own tpe",
                  "/search/variant");
  }
  auto settings = tpe_settings(search);
  if (!settings) return settings.error();
  return std::unique_ptr<Sampler>(std::make_unique<TpeSampler>(*settings));
}

}  // namespace hone
