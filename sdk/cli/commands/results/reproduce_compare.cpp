#include "sdk/cli/commands/results/reproduce_compare.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "sdk/cli/render/json_view.hpp"

namespace hone::cli {
namespace {

Json difference_in(const std::string& what, Json recorded, Json again) {
  return {{"what", what}, {"recorded", std::move(recorded)}, {"again", std::move(again)}};
}

}  // namespace

Json first_difference(const Recorded& run, const Again& again, Json& models) {
  for (std::size_t phase = 0; phase < run.reports.size(); ++phase) {
    const std::string what = "report of phase " + std::to_string(phase + 1);
    const Json& recorded = run.reports[phase];
    if (phase >= again.reports.size())
      return difference_in(what, member(recorded, "/value"), again.exit);
    for (const char* field : {"/step", "/value", "/further"})
      if (to_text(member(recorded, field)) != to_text(member(again.reports[phase], field)))
        return difference_in(what + ", " + (field + 1), member(recorded, field),
                             member(again.reports[phase], field));
  }
  std::map<std::int64_t, std::string> saved;
  for (const Json& one : again.checkpoints) saved[int_at(one, "/step")] = text_at(one, "/sha256");
  for (const Json& model : run.models) {
    const auto found = saved.find(int_at(model, "/step"));
    const std::string digest = found == saved.end() ? std::string() : found->second;
    if (digest != text_at(model, "/sha256"))
      return difference_in(
          "model " + text_at(model, "/id") + " at step " + std::to_string(int_at(model, "/step")),
          member(model, "/sha256"), digest.empty() ? Json(nullptr) : Json(digest));
    models = models.get<int>() + 1;
  }
  return nullptr;
}

}  // namespace hone::cli
