#include "sdk/cli/commands/look/fitting.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "server/search/space/search_space.hpp"

namespace hone::cli {

std::string fitting_text(Session& session, const std::string& sweep, const SweepSpec& spec) {
  const auto trials = session.list("/v1/sweeps/" + sweep + "/trials?sort=number&limit=1000");
  const auto space = SearchSpace::make(spec.parameters, spec.constraints, WitnessSearch::brief);
  if (!trials || !space) return {};
  std::int64_t valued = 0, fitting = 0;
  std::string why;
  for (const Json& trial : *trials) {
    const auto params = decode_params(member(trial, "/params"), "/params");
    if (!params || member(trial, "/value").is_null()) continue;
    ++valued;
    const std::string outside = space->why_outside(*params);
    if (outside.empty()) ++fitting;
    if (!outside.empty() && why.empty()) why = text_at(trial, "/id") + ", " + outside;
  }
  return std::to_string(fitting) + " of " + counted(valued, "trial") + " with a value of " + sweep +
         " lie in the space" + (fitting == 0 && valued > 0 ? " (" + why + ")" : "");
}

}  // namespace hone::cli
