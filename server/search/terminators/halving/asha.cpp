// ASHA, the promotion form: asynchronous successive halving (Li et al., MLSys 2020).
//
// Rungs lie after first_rung * eta^k phases. The best floor(n / eta) of the n runs that reported at
// a rung may train on to the next; see promotion.hpp. A promoted run continues from its checkpoint,
// so it only trains the difference between the rungs.
#include <array>

#include "server/search/terminators/halving/promotion.hpp"

namespace hone {

Result<std::unique_ptr<Terminator>> make_asha(const TerminatorSpec& spec, const SweepShape& shape) {
  static constexpr std::array<std::string_view, 2> known{"eta", "first_rung"};
  if (auto fits = only_settings(spec, known); !fits) return fits.error();
  const auto settings = rung_settings(spec, shape);
  if (!settings) return settings.error();
  Brackets brackets{settings->eta, {rungs_of(*settings, shape.phases)}, {0}};
  const double expected = expected_phases(brackets.rungs[0], settings->eta);
  return std::unique_ptr<Terminator>(
      std::make_unique<Promotion>("ASHA", expected, std::move(brackets), shape));
}

}  // namespace hone
