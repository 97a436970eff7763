#include "server/api/explain/explain_fork.hpp"

namespace hone::api {

std::string fork_text(const RunRow& run) {
  std::string text;
  if (const auto& origin = run.origin) {
    text = " It is a fork: it continues " + hone::text(origin->run) + " after phase " +
           std::to_string(origin->phase + 1) + " (step " + std::to_string(origin->step) +
           "), from checkpoint " + hone::text(origin->model);
    if (origin->replaces) text += ", in place of " + hone::text(*origin->replaces);
    if (origin->place && origin->rivals)
      text += ". By latest scores that run, or a fork of it, was number " +
              std::to_string(*origin->place) + " of " + std::to_string(*origin->rivals);
    text += ".";
  }
  if (run.successor && run.successor_origin)
    text += " " + hone::text(*run.successor) + ", a fork of " + hone::text(*run.successor_origin) +
            ", took its place in the population.";
  return text;
}

}  // namespace hone::api
