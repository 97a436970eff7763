// What a search that weighs cost expected of a parameter set that it proposed.
#pragma once

namespace hone {

struct ProposalCost {
  double phase_seconds = 0;  // that a phase was expected to take
  double weight = 0;         // the power of it by which expected improvement was divided
  friend bool operator==(const ProposalCost&, const ProposalCost&) = default;
};

}  // namespace hone
