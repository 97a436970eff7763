// What a sweep has shown about ranks: how well those of one decision phase foretell those of the
// next, and the place of each run among all that were started, although only the better ones of a
// phase are seen at the next. Built for every decision.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "schemas/types/rank_prior.hpp"
#include "server/search/terminators/hone/smoothed_curves.hpp"

namespace hone {

// What is believed before a sweep has shown anything, and how carefully it is read.
struct AgreementPrior {
  double doubling = 0.85;              // correlation of ranks after p and after 2 p reports
  double weight = 2;                   // of so many runs
  double caution = 2;                  // standard errors that are taken off
  std::optional<RankPrior> earlier{};  // takes the place of the first two: search.warm_start
};

// Agreement of ranks at one decision phase with those at the next: the correlation of their normal
// scores over all runs that were started.
struct Agreement {
  double measured = 0;  // with what was believed before
  double error = 0;     // its standard error
  double used = 0;      // less `caution` errors, at least 0
};

// The agreement that follows from `runs` runs, spread like all of them, that showed `seen`.
struct Evidence {
  double seen = 0;
  double runs = 0;
};
Agreement agreement_of(const Evidence& evidence, const Evidence& believed, double caution);

class RankChain {
 public:
  // `stages`: the decision phases in ascending order, then the end of a run.
  RankChain(const SmoothedCurves& curves, std::span<const int> stages, const AgreementPrior& prior);

  struct Place {
    int stage = -1;     // index of the last of the stages that was reported; -1: none
    double normal = 0;  // rank among all runs, as a quantile of the normal distribution
    bool diverged = false;
  };
  [[nodiscard]] const Place& place(std::size_t run) const { return places_[run]; }
  // Agreement of a stage with the next one. Precondition: it is not the last.
  [[nodiscard]] const Agreement& step(int stage) const {
    return steps_[static_cast<std::size_t>(stage)];
  }
  // How far ranks at a stage are relied on to foretell those at the end, in [0, 1]: the product of
  // what is used of the agreements from there on.
  [[nodiscard]] double reliance(int stage) const {
    return reliance_[static_cast<std::size_t>(stage)];
  }
  // Returns the normal score that is expected of the run at the end. Precondition: it has a stage.
  [[nodiscard]] double expected(std::size_t run) const {
    return reliance(places_[run].stage) * places_[run].normal;
  }

 private:
  std::vector<Place> places_;     // by run
  std::vector<Agreement> steps_;  // by stage
  std::vector<double> reliance_;
};

// Returns what is believed of the agreement between two lengths of a run of `phases`.
Evidence believed_agreement(const AgreementPrior& prior, int from, int to, int phases);

// Returns the products that RankChain::reliance() gives, by stage.
std::vector<double> reliance_of(std::span<const Agreement> steps);

}  // namespace hone
