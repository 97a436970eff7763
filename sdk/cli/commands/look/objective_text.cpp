#include "sdk/cli/commands/look/objective_text.hpp"

#include <nlohmann/json.hpp>

#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"

namespace hone::cli {
namespace {

// "return >= 475, in seconds"
std::string bar_text(const Json& spec, const Json& objective) {
  const bool falling = text_at(objective, "/goal") == "minimize";
  const std::string clock = text_at(objective, "/clock");
  return text_at(objective, "/metric") + (falling ? " <= " : " >= ") +
         value_text(member(objective, "/reach")) +
         (clock == "cpu_seconds" ? ", in seconds of processor time"
          : clock == "steps"     ? ", in " + text_at(spec, "/budget/unit")
                                 : ", in " + clock);
}

}  // namespace

std::string objectives_text(const Json& spec) {
  std::string text;
  if (const Json& one = member(spec, "/objective"); member(one, "/reach").is_number())
    return "soonest " + bar_text(spec, one);
  for (const Json& one : member(spec, "/objectives"))
    text += (text.empty() ? "" : ", ") + text_at(one, "/goal") + " " + text_at(one, "/metric");
  if (!text.empty()) return text;
  return text_at(spec, "/objective/goal") + " " + text_at(spec, "/objective/metric");
}

std::string value_meaning(const Json& spec, std::optional<std::int64_t> seeds) {
  const Json& objective = member(spec, "/objective");
  const bool time = member(objective, "/reach").is_number();
  const std::string until = time ? " until " + bar_text(spec, objective) : "";
  if (seeds && *seeds < 2) return time ? "time" + until : "last report";
  const std::string aggregate = text_at(spec, "/replicates/aggregate");
  return (aggregate.empty() ? "mean" : aggregate) + (time ? " time" : " of the last reports") +
         " of " + (seeds ? std::to_string(*seeds) : "the") + " seeds" + until;
}

}  // namespace hone::cli
