// HyperTrick: asynchronous eviction with a share of each phase exempt (Heinrich and Frosio, arXiv
// 1902.02725). Reconstructed: published are asynchronous measurements and a stop below a threshold
// (US 2020/0226461 A1). Both shares are settings.
//
// With W0 runs, r = eviction_rate, d = dcm_fraction, q = evict_quantile and n reports of phase p,
// this one included:
//   n <= d * W0 * (1 - r)^p          data collection mode: no run is judged
//   else rank_below < floor(q * n)   worker selection mode: evict, fewer than a share q are worse
// (1 - d) * q must equal r, so that a share r of the runs that reach a phase is expected to be
// evicted there.
#include <array>
#include <cmath>

#include "server/search/terminators/rule_helpers.hpp"

namespace hone {
namespace {

struct Shares {
  double eviction_rate = 0;   // r
  double dcm_fraction = 0;    // d, by default 1 - sqrt(r)
  double evict_quantile = 0;  // q, by default sqrt(r)
};

bool evicts(double rank_below, double cutoff) { return rank_below < cutoff; }

class HyperTrick final : public Terminator {
 public:
  HyperTrick(const Shares& shares, const SweepShape& shape) : shares_(shares), shape_(shape) {}

  Verdict judge(const History& history, std::size_t, int phase, Score score) const override {
    const auto reports = static_cast<double>(history.reports(phase) + 1);
    const double quota = shares_.dcm_fraction * static_cast<double>(shape_.runs()) *
                         std::pow(1 - shares_.eviction_rate, phase);
    if (reports <= quota)
      return {Action::go_on, VerdictReason::collecting, {{"reports", reports}, {"quota", quota}}};
    const auto rank_below = static_cast<double>(history.rank_below(phase, score));
    // The tolerance keeps floor(0.5 * 6) at 3 if the product comes out as 2.9999999999999996.
    const double cutoff = std::floor(shares_.evict_quantile * reports + 1e-12);
    const bool evict = evicts(rank_below, cutoff);
    return {
        evict ? Action::stop : Action::go_on,
        evict ? VerdictReason::evicted : VerdictReason::good_enough,
        {{"reports", reports}, {"quota", quota}, {"rank_below", rank_below}, {"cutoff", cutoff}}};
  }

  Action recompute(const std::vector<VerdictInput>& inputs) const override {
    if (input(inputs, "reports") <= input(inputs, "quota")) return Action::go_on;
    return evicts(input(inputs, "rank_below"), input(inputs, "cutoff")) ? Action::stop
                                                                        : Action::go_on;
  }

  std::string explain(const Verdict& verdict) const override {
    const double reports = input(verdict.inputs, "reports");
    if (verdict.reason == VerdictReason::collecting)
      return "HyperTrick did not judge it: this was report " + number_text(reports) +
             " of the phase, and the first " +
             number_text(std::floor(input(verdict.inputs, "quota"))) + " are exempt";
    return std::string("HyperTrick ") + (verdict.action == Action::stop ? "evicted" : "kept") +
           " it: " + number_text(input(verdict.inputs, "rank_below")) + " of the " +
           number_text(reports) +
           " reports of the phase so far were worse, and a run needs at least " +
           number_text(input(verdict.inputs, "cutoff")) + " (the lower " +
           number_text(shares_.evict_quantile) + " of them) to continue";
  }

  // The closed form (1 - (1 - r)^P) / r; optimistic if reports are correlated.
  double expected_phases() const override {
    const double r = shares_.eviction_rate;
    return (1 - std::pow(1 - r, shape_.phases)) / r;
  }

 private:
  Shares shares_;
  SweepShape shape_;
};

Status in_unit_interval(double value, const char* name, double low) {
  if (value >= low && value < 1 && (low > 0 || value >= 0)) return Done{};
  return refuse(Code::invalid, std::string(name) + " must lie in (0, 1)",
                std::string("/terminator/") + name);
}

}  // namespace

Result<std::unique_ptr<Terminator>> make_hypertrick(const TerminatorSpec& spec,
                                                    const SweepShape& shape) {
  static constexpr std::array<std::string_view, 3> known{"eviction_rate", "dcm_fraction",
                                                         "evict_quantile"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  Shares shares;
  shares.eviction_rate = setting(spec, "eviction_rate").value_or(0.25);
  if (auto ok = in_unit_interval(shares.eviction_rate, "eviction_rate", 1e-9); !ok)
    return ok.error();
  shares.dcm_fraction = setting(spec, "dcm_fraction").value_or(1 - std::sqrt(shares.eviction_rate));
  // If one share is given, the other follows from the rate.
  shares.evict_quantile =
      setting(spec, "evict_quantile").value_or(shares.eviction_rate / (1 - shares.dcm_fraction));
  if (!setting(spec, "dcm_fraction") && setting(spec, "evict_quantile"))
    shares.dcm_fraction = 1 - shares.eviction_rate / shares.evict_quantile;
  const bool sensible = shares.dcm_fraction >= 0 && shares.dcm_fraction < 1 &&
                        shares.evict_quantile > 0 && shares.evict_quantile <= 1;
  if (!sensible ||
      std::abs((1 - shares.dcm_fraction) * shares.evict_quantile - shares.eviction_rate) > 1e-12)
    return refuse(Code::invalid,
                  "(1 - dcm_fraction) * evict_quantile must equal eviction_rate, with dcm_fraction "
                  "in [0, 1) and evict_quantile in (0, 1]; give one of the two and leave the other "
                  "out",
                  "/terminator");
  return std::unique_ptr<Terminator>(std::make_unique<HyperTrick>(shares, shape));
}

}  // namespace hone
