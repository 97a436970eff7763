#include "server/sweep/submit/plan.hpp"

#include <nlohmann/json.hpp>

#include "db/queries/queries.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/default_methods.hpp"
#include "schemas/types/spec.hpp"
#include "server/api/arguments.hpp"
#include "server/api/render.hpp"
#include "server/api/routes.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone::api {

// POST /v1/plan: the checks of a submission that need no result of another sweep. It writes
// nothing.
ReadResult plan(SQLite::Database& db, const Request& request) {
  auto spec = body<SweepSpec>(request);
  if (!spec) return spec.error();
  choose_version(*spec);
  if (const auto fits = check_new(*spec); !fits) return fits.error();
  for (std::size_t i = 0; i < spec->search.warm_start.size(); ++i)
    if (auto earlier = find_sweep(db, spec->search.warm_start[i]); !earlier)
      return refuse(earlier.error().code, earlier.error().detail,
                    "/search/warm_start/" + std::to_string(i));
  Json answer;
  answer["spec"] = encode(*spec);
  answer["plan"] = encode(plan_sweep(*spec));
  return json_response(answer);
}

}  // namespace hone::api
