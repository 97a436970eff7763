#include "server/api/explain/explain_reach.hpp"

#include "base/expect.hpp"
#include "base/text.hpp"
#include "schemas/types/reach.hpp"
#include "schemas/types/spec.hpp"

namespace hone::api {
std::string time_text(const SweepSpec& spec, double time) {
  switch (spec.objective.reach->clock) {
    case RunClock::seconds:
      return short_number_text(time) + " s";
    case RunClock::cpu_seconds:
      return short_number_text(time) + " s of processor time";
    case RunClock::steps:
      return number_text(time) + " " + spec.budget.unit;
  }
  unreachable();
}

std::string reach_text(const SweepSpec& spec, Score value, double time) {
  const Reach& reach = *spec.objective.reach;
  const std::string bar =
      spec.objective.metric + (reach.falling ? " <= " : " >= ") + number_text(reach.bar);
  return reaches(reach, value) ? "It reached " + bar + " after " + time_text(spec, time) + "."
                               : "It had not reached " + bar + " in " + time_text(spec, time) + ".";
}

}  // namespace hone::api
