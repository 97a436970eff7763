#include "server/api/use.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace hone::api {
namespace {

// Below this share of its slots a run waited: for input, a lock, or a core that another process
// had. Its processor time does not distinguish these. A run with GPUs is not judged: it waits for
// them.
constexpr double idle_share = 0.5;
// Below this share of the time its GPUs wait for the program.
constexpr double starved_share = 0.5;
// Above it, its threads compete with the runs of the other slots.
constexpr double crowded_share = 1.25;

}  // namespace

std::string memory_text(double bytes) {
  constexpr double mebi = 1024.0 * 1024.0;
  if (bytes < 1024 * mebi) return short_number_text(std::round(bytes / mebi)) + " MiB";
  return short_number_text(std::round(bytes / (1024 * mebi) * 10) / 10) + " GiB";
}

namespace {

std::string judged(const RunUse& use) {
  const double slots = use.claimed.cpus;
  if (use.gpu_busy && use.gpu_busy->mean < starved_share)
    return std::string(": this parameter set starves the GPU") + (use.claimed.gpus > 1 ? "s" : "");
  if (use.claimed.gpus == 0 && use.cores.mean < idle_share * slots)
    return ": either this parameter set leaves the processor idle, or other processes of the "
           "machine used it, which hone does not measure";
  if (use.cores.mean > crowded_share * slots)
    return ": that is more than its share, and slows the runs next to it";
  return "";
}

}  // namespace

std::optional<RunUse> read_use(SQLite::Database& db, RunId run, const ResourcesSpec& claimed) {
  const auto cores = summarize_metric(db, run, "hone.cpu_cores");
  if (!cores) return std::nullopt;
  RunUse use{*cores, {}, claimed};
  if (const auto memory = summarize_metric(db, run, "hone.memory_bytes"))
    use.memory_bytes = memory->most;
  use.gpu_busy = summarize_metric(db, run, "hone.gpu_busy");
  if (const auto memory = summarize_metric(db, run, "hone.gpu_memory_bytes"))
    use.gpu_memory_bytes = memory->most;
  return use;
}

std::string use_text(const RunUse& use) {
  const int slots = use.claimed.cpus;
  std::string text = "It kept " + short_number_text(std::round(use.cores.mean * 100) / 100) +
                     " of the " + (slots == 1 ? "one core" : std::to_string(slots) + " cores") +
                     " of its slots busy (mean of " + counted(use.cores.points, "measurement") +
                     ")";
  if (use.memory_bytes) text += " and had at most " + memory_text(*use.memory_bytes) + " of memory";
  if (use.gpu_busy) {
    text += "; its " + std::string(use.claimed.gpus == 1 ? "GPU was" : "GPUs were") + " busy " +
            short_number_text(std::round(use.gpu_busy->mean * 100)) + " % of the time";
    if (use.gpu_memory_bytes)
      text += ", with at most " + memory_text(*use.gpu_memory_bytes) + " of memory";
  }
  return text + judged(use) + ".";
}

Json render_use(const std::optional<RunUse>& use) {
  if (!use) return nullptr;
  Json json;
  json["cpu_cores"] = use->cores.mean;
  json["cpus"] = use->claimed.cpus;
  json["gpus"] = use->claimed.gpus;
  json["memory_bytes"] = use->memory_bytes ? Json(*use->memory_bytes) : Json(nullptr);
  json["gpu_busy"] = use->gpu_busy ? Json(use->gpu_busy->mean) : Json(nullptr);
  json["gpu_memory_bytes"] = use->gpu_memory_bytes ? Json(*use->gpu_memory_bytes) : Json(nullptr);
  json["measurements"] = use->cores.points;
  json["text"] = use_text(*use);
  return json;
}

Json render_use(const std::optional<WorkerUse>& use) {
  if (!use) return nullptr;
  std::string text = counted(use->runs, "run") + (use->runs == 1 ? " keeps " : " keep ") +
                     short_number_text(std::round(use->cpu_cores * 100) / 100) +
                     " cores busy, with " + memory_text(use->memory_bytes) + " of memory";
  if (use->gpu_busy)
    text +=
        "; GPUs are busy " + short_number_text(std::round(*use->gpu_busy * 100)) + " % of the time";
  if (use->gpu_memory_bytes) text += ", with " + memory_text(*use->gpu_memory_bytes);
  Json json;
  json["runs"] = use->runs;
  json["cpu_cores"] = use->cpu_cores;
  json["memory_bytes"] = use->memory_bytes;
  json["gpu_busy"] = use->gpu_busy ? Json(*use->gpu_busy) : Json(nullptr);
  json["gpu_memory_bytes"] = use->gpu_memory_bytes ? Json(*use->gpu_memory_bytes) : Json(nullptr);
  json["text"] = text;
  return json;
}

}  // namespace hone::api
