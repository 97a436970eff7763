#include "server/api/progress.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"

namespace hone::api {

Result<std::unique_ptr<Terminator>> terminator_of(const SweepRow& sweep) {
  const auto document = parse_json(sweep.spec);
  if (!document)
    return refuse(Code::internal, "the stored spec is damaged: " + document.error().detail);
  const auto spec = decode_sweep_spec(*document);
  if (!spec) return refuse(Code::internal, "the stored spec is damaged: " + spec.error().detail);
  const Plan plan{spec->search.trials * spec->seeds, spec->budget.phases};
  return make_terminator(spec->terminator, plan);
}

std::int64_t phases_expected(const SweepRow& sweep) {
  if (is_end(sweep.state)) return sweep.phases_done;
  const auto terminator = terminator_of(sweep);
  const double per_run = terminator ? (*terminator)->expected_phases() : sweep.phases_per_run;
  const double runs = static_cast<double>(sweep.trials_total) * sweep.seeds;
  return std::max<std::int64_t>(sweep.phases_done, std::llround(runs * per_run));
}

}  // namespace hone::api
