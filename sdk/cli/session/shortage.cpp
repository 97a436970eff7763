#include "sdk/cli/session/shortage.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "schemas/codec/words.hpp"
#include "schemas/types/budget_spec.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"

namespace hone::cli {
namespace {

constexpr std::size_t shown_max = 3;  // workers, in one sentence

std::string counted(std::int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// " of 24 GiB", of a worker the largest; a run needs so much of each of its GPUs.
std::string gpu_memory_text(const Json& resources) {
  const Json& memory = member(resources, "/gpu_memory");
  std::int64_t most = memory.is_array() ? 0 : int_at(resources, "/gpu_memory");
  if (memory.is_array())
    for (const Json& one : memory) most = std::max(most, int_at(one, ""));
  return most > 0 ? " of " + bytes_text(most) : " of unknown memory";
}

// "2 slots, 1 GPU, 4 GiB and zone=a", from the members cpus, gpus, memory and labels; leaves out
// those that `needed` does not ask for.
std::string resources_text(const Json& resources, const Json& needed) {
  std::vector<std::string> parts{counted(int_at(resources, "/cpus"), "slot")};
  if (const auto gpus = int_at(resources, "/gpus"); gpus > 0)
    parts.push_back(counted(gpus, "GPU") +
                    (int_at(needed, "/gpu_memory") > 0 ? gpu_memory_text(resources) : ""));
  if (int_at(needed, "/memory") > 0)
    parts.push_back(int_at(resources, "/memory") > 0 ? bytes_text(int_at(resources, "/memory"))
                                                     : "unknown memory");
  if (!member(needed, "/labels").empty())
    for (const Json& label : member(resources, "/labels")) parts.push_back(value_text(label));
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string workers_text(const std::vector<const Json*>& workers, const Json& needed) {
  std::string text;
  for (std::size_t i = 0; i < std::min(shown_max, workers.size()); ++i)
    text += (i == 0 ? "" : ", ") + text_at(*workers[i], "/id") + " with " +
            resources_text(*workers[i], needed);
  if (workers.size() > shown_max)
    text += " and " + std::to_string(workers.size() - shown_max) + " smaller ones";
  return text;
}

}  // namespace

bool is_connected(const Json& worker, Instant at) {
  const auto seen = time_at(worker, "/last_seen_at");
  const std::string state = text_at(worker, "/state");
  if (state == "lost" || state == "silent") return false;
  return int_at(worker, "/cpus") > 0 && seen && at - *seen <= worker_absent_after;
}

std::int64_t gpus_with(const Json& worker, std::int64_t memory) {
  if (memory == 0) return int_at(worker, "/gpus");
  const Json& gpus = member(worker, "/gpu_memory");
  return std::count_if(gpus.begin(), gpus.end(),
                       [&](const Json& one) { return int_at(one, "") >= memory; });
}

bool can_hold(const Json& worker, const Json& run) {
  const Json& labels = member(worker, "/labels");
  const auto has = [&](const Json& label) {
    return std::ranges::find(labels, label) != labels.end();
  };
  const Json& needed = member(run, "/labels");
  const auto may = [&](const Json& label) {
    return !text_at(label, "").starts_with(only_label) ||
           std::ranges::find(needed, label) != needed.end();
  };
  return int_at(worker, "/cpus") >= int_at(run, "/cpus") &&
         gpus_with(worker, int_at(run, "/gpu_memory")) >= int_at(run, "/gpus") &&
         int_at(worker, "/memory") >= int_at(run, "/memory") &&
         std::all_of(needed.begin(), needed.end(), has) &&
         std::all_of(labels.begin(), labels.end(), may);
}

std::int64_t least_cpus(const Json& resources) {
  const Json& cpus = member(resources, "/cpus");
  return std::max<std::int64_t>(1, int_at(resources, cpus.is_object() ? "/cpus/min" : "/cpus"));
}

namespace {

// A pilot of the fleet as the worker that it will be. What it finds there is not known before.
Json worker_of(const Json& fleet) {
  constexpr std::int64_t enough = std::int64_t{1} << 53U;  // the most that int_at returns
  const auto or_enough = [&](const char* at) {
    return int_at(fleet, at) > 0 ? int_at(fleet, at) : enough;
  };
  constexpr std::int64_t gpus_max = 4096;  // of a worker, as its fleet may state
  const auto gpus =
      static_cast<std::size_t>(std::clamp<std::int64_t>(int_at(fleet, "/spec/gpus"), 0, gpus_max));
  return {{"cpus", int_at(fleet, "/spec/slots")},
          {"gpus", gpus},
          {"memory", or_enough("/spec/memory")},
          {"gpu_memory", Json::array_t(gpus, or_enough("/spec/gpu_memory"))},
          {"labels", member(fleet, "/spec/labels")}};
}

bool starts_pilots(const Json& fleet) { return text_at(fleet, "/state") == "running"; }

bool is_live(const Json& fleet) {
  return starts_pilots(fleet) || text_at(fleet, "/state") == "halted";
}

// "fleet 'gpu' starts 2 pilots: hone fleet explain gpu".
std::string fleet_text(const Json& fleet) {
  const auto name = text_at(fleet, "/name");
  const auto waiting = int_at(fleet, "/pilots") - int_at(fleet, "/joined");
  return "fleet '" + name + "' " +
         (!starts_pilots(fleet) ? "is halted"
          : waiting > 0         ? "starts " + counted(waiting, "pilot")
                                : "starts pilots when runs wait") +
         ": hone fleet explain " + name;
}

// Describes the first fleet whose pilots can hold the run; "" without one.
std::string remedy_of(const Json& run, const std::vector<Json>& fleets) {
  for (const Json& fleet : fleets)
    if (is_live(fleet) && can_hold(worker_of(fleet), run)) return "; " + fleet_text(fleet);
  return {};
}

// `what` needs these resources, and no worker has them.
std::string shortage_of(const std::string& what, const Json& need, const std::vector<Json>& workers,
                        Instant at, const std::vector<Json>& fleets) {
  const Json resources = {{"cpus", least_cpus(need)},
                          {"gpus", int_at(need, "/gpus")},
                          {"memory", int_at(need, "/memory")},
                          {"gpu_memory", int_at(need, "/gpu_memory")},
                          {"labels", member(need, "/labels")}};
  const auto size = [](const Json& of) {
    return std::pair(int_at(of, "/gpus"), int_at(of, "/cpus"));
  };
  std::vector<const Json*> there;
  for (const Json& worker : workers) {
    if (!is_connected(worker, at)) continue;
    if (can_hold(worker, resources)) return {};
    there.push_back(&worker);
  }
  const std::string needs = what + " needs " + resources_text(resources, resources);
  const std::string remedy = remedy_of(resources, fleets);
  if (there.empty())
    return "no worker is connected: " + needs +
           (remedy.empty() ? "; start one with: hone worker" : remedy);
  std::stable_sort(there.begin(), there.end(),
                   [&](const Json* a, const Json* b) { return size(*a) > size(*b); });
  return "no worker can train it: " + needs + "; connected: " + workers_text(there, resources) +
         remedy;
}

}  // namespace

std::string shortage_text(const Json& spec, const std::vector<Json>& workers, Instant at,
                          const std::vector<Json>& fleets) {
  if (text_at(spec, "/trainer/name") == "ask") return {};  // needs no worker
  const Json& steps = member(spec, "/steps");
  if (!steps.is_array())
    return shortage_of("a run", member(spec, "/resources"), workers, at, fleets);
  for (const Json& step : steps) {
    const char* own = step.contains("resources") ? "/resources" : "";
    const Json& of = *own != 0 ? member(step, own) : member(spec, "/resources");
    auto text = shortage_of("step '" + text_at(step, "/name") + "'", of, workers, at, fleets);
    if (!text.empty()) return text;
  }
  return {};
}

FleetPromise promise_of(const std::vector<Json>& fleets) {
  FleetPromise promise;
  for (const Json& fleet : fleets) {
    if (!is_live(fleet)) continue;
    promise.starts |= starts_pilots(fleet);
    promise.text += (promise.text.empty() ? "" : "; ") + fleet_text(fleet);
  }
  return promise;
}

std::string find_shortage(Session& session, const Json& spec) {
  const auto workers = session.list("/v1/workers");
  if (!workers || shortage_text(spec, *workers, now()).empty()) return {};
  const auto fleets = session.list("/v1/fleets");
  return shortage_text(spec, *workers, now(), fleets ? *fleets : std::vector<Json>{});
}

std::string shortage_of_sweep(Session& session, const Json& sweep) {
  const auto state = parse_word<SweepState>(text_at(sweep, "/state"));
  if (!state || is_end(*state) ||
      int_at(sweep, "/runs/leased") + int_at(sweep, "/runs/running") > 0)
    return {};
  return find_shortage(session, member(sweep, "/spec"));
}

}  // namespace hone::cli
