// The commands of a sweep file as JSON, before the server reads it.
#pragma once

#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"

namespace hone::cli {

// Calls `use` with each command of the document: a line, a list of words or an object.
template <class Document, class Use>
void each_command(Document& document, const Use& use) {
  if (!document.is_object()) return;
  if (document.contains("command")) use(document["command"]);
  if (!document.contains("steps") || !document["steps"].is_array()) return;
  for (auto& step : document["steps"])
    if (step.is_object() && step.contains("command")) use(step["command"]);
}

}  // namespace hone::cli
