#include "sdk/cli/commands/look/slot_texts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/shortage.hpp"

namespace hone::cli {

std::string labels_text(const Json& labels) {
  std::string text;
  for (const Json& label : labels) text += (text.empty() ? "" : ", ") + value_text(label);
  return text;
}

std::string cpus_text(const Json& resources) {
  const auto most = int_at(resources, "/cpus/max");
  return most == 0
             ? ""
             : std::to_string(least_cpus(resources)) + " to " + counted(most, "slot") +
                   " (more than " + std::to_string(least_cpus(resources)) + " while no run waits)";
}

std::string run_resources_text(const Json& run) {
  const auto least = least_cpus(run), most = int_at(run, "/cpus/max");
  std::string text = most > 0 ? cpus_text(run) : counted(least, "slot");
  const std::string one = "1 slot";
  if (const auto gpus = int_at(run, "/gpus"); gpus > 0) text += ", " + counted(gpus, "GPU");
  if (const auto memory = int_at(run, "/gpu_memory"); memory > 0)
    text += " shared, " + bytes_text(memory) + " of it";
  if (const auto memory = int_at(run, "/memory"); memory > 0) text += ", " + bytes_text(memory);
  if (const auto labels = labels_text(member(run, "/labels")); !labels.empty())
    text += ", on " + labels;
  return text == one ? "" : text + " for each run";
}

std::string share_text(const Json& spec) {
  const auto share = int_at(spec, "/share"), min = int_at(spec, "/slots/min"),
             max = int_at(spec, "/slots/max");
  std::string text = share > 1 ? "share of " + std::to_string(share) : "";
  const auto add_bound = [&](const char* words, std::int64_t bound) {
    if (bound > 0) text += (text.empty() ? "" : ", ") + std::string(words) + std::to_string(bound);
  };
  add_bound("at least ", min);
  add_bound("at most ", max);
  return text;
}

std::string deadline_text(const Json& by) {
  if (by.is_number()) return duration_text(duration_of(by.get<double>())) + " after its submission";
  return by.is_string() ? by.get<std::string>() : "";
}

}  // namespace hone::cli
