#include "sdk/cli/commands/look/objective_text.hpp"

#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"

namespace hone::cli {
namespace {

// "soonest return >= 475, in seconds"
std::string reach_text(const Json& spec, const Json& objective) {
  const bool falling = text_at(objective, "/goal") == "minimize";
  const std::string clock = text_at(objective, "/clock");
  return "soonest " + text_at(objective, "/metric") + (falling ? " <= " : " >= ") +
         value_text(member(objective, "/reach")) +
         (clock == "cpu_seconds" ? ", in seconds of processor time"
          : clock == "steps"     ? ", in " + text_at(spec, "/budget/unit")
                                 : ", in " + clock);
}

}  // namespace

std::string objectives_text(const Json& spec) {
  std::string text;
  if (const Json& one = member(spec, "/objective"); member(one, "/reach").is_number())
    return reach_text(spec, one);
  for (const Json& one : member(spec, "/objectives"))
    text += (text.empty() ? "" : ", ") + text_at(one, "/goal") + " " + text_at(one, "/metric");
  if (!text.empty()) return text;
  return text_at(spec, "/objective/goal") + " " + text_at(spec, "/objective/metric");
}

}  // namespace hone::cli
