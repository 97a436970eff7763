#include "server/sweep/submit/plan.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/default_methods.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone::api {

// POST /v1/plan: the checks of a submission that need nothing but the file. It writes nothing.
ReadResult plan(SQLite::Database&, const Request& request) {
  auto spec = body<SweepSpec>(request);
  if (!spec) return spec.error();
  choose_version(*spec);
  for (const auto& fits : {check_spec(*spec), check_variables(*spec), check_environments(*spec)})
    if (!fits) return fits.error();
  Json answer;
  answer["spec"] = encode(*spec);
  answer["plan"] = encode(plan_sweep(*spec));
  return json_response(answer);
}

}  // namespace hone::api
