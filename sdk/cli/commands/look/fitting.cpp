#include "sdk/cli/commands/look/fitting.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "server/search/space/search_space.hpp"

namespace hone::cli {

std::optional<Fitting> count_fitting(Session& session, const std::string& sweep,
                                     const SweepSpec& spec) {
  const auto trials = session.list("/v1/sweeps/" + sweep + "/trials?sort=number&limit=1000");
  const auto space = SearchSpace::make(spec.parameters, spec.constraints, WitnessSearch::brief);
  if (!trials || !space) return std::nullopt;
  Fitting found;
  for (const Json& trial : *trials) {
    const auto params = decode_params(member(trial, "/params"), "/params");
    if (!params || member(trial, "/value").is_null()) continue;
    ++found.valued;
    const std::string outside = space->why_outside(*params);
    if (outside.empty()) ++found.fitting;
    if (!outside.empty() && found.why.empty()) found.why = text_at(trial, "/id") + ", " + outside;
  }
  return found;
}

std::string fitting_text(const Fitting& found, const std::string& sweep) {
  return std::to_string(found.fitting) + " of " + counted(found.valued, "trial") +
         " with a value of " + sweep + " lie in the space" +
         (found.fits_none() ? " (" + found.why + ")" : "");
}

}  // namespace hone::cli
