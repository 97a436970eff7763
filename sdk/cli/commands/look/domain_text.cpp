#include <nlohmann/json.hpp>

#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"

namespace hone::cli {
namespace {

std::string prior_text(const Json& prior) {
  if (prior.is_null()) return {};
  const Json& center = prior.is_object() ? member(prior, "/center") : prior;
  std::string text = ", around " + value_text(center);
  if (const Json& spread = member(prior, "/spread"); spread.is_number())
    text += " +- " + value_text(spread) + " of the range";
  return text;
}

std::string choices_text(const Json& parameter) {
  const Json& values = member(parameter, "/values");
  const Json& weights = member(parameter, "/weights");
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += " " + (values[i].is_null() ? "null" : value_text(values[i]));
    if (i < weights.size()) text += " (" + value_text(weights[i]) + ")";
  }
  return text;
}

}  // namespace

std::string domain_text(const Json& parameter) {
  if (!parameter.is_object()) return value_text(parameter);
  const std::string type = text_at(parameter, "/type");
  std::string text = type;
  if (type == "float" || type == "int")
    text += " " + value_text(member(parameter, "/min")) + " .. " +
            value_text(member(parameter, "/max"));
  if (const auto scale = text_at(parameter, "/scale"); scale == "log" || scale == "logit")
    text += ", " + scale + " scale";
  if (const Json& step = member(parameter, "/step"); step.is_number() && step != 1)
    text += ", in steps of " + value_text(step);
  text += prior_text(member(parameter, "/prior"));
  if (type == "choice") text += (member(parameter, "/ordered") == true ? ", ordered, of" : " of");
  text += choices_text(parameter);
  if (const auto expr = text_at(parameter, "/expr"); !expr.empty()) text += ": " + expr;
  if (const Json& value = member(parameter, "/value"); !value.is_null())
    text += " " + value_text(value);
  if (const auto when = text_at(parameter, "/when"); !when.empty()) text += ", when " + when;
  return text;
}

}  // namespace hone::cli
