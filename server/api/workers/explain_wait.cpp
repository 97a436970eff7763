#include "server/api/workers/explain_wait.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "db/queries/overview.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/turns.hpp"
#include "server/api/progress.hpp"
#include "server/api/row_json.hpp"
#include "server/api/use.hpp"
#include "server/api/workers/spans.hpp"
#include "server/api/workers/worker_state.hpp"
#include "server/limits.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone::api {
namespace {

// What a sweep holds on all workers.
struct Holding {
  std::int64_t slots = 0, runs = 0;
};
using Holdings = std::map<SweepId, Holding>;

struct Held {
  Holdings here, everywhere;
  std::int64_t slots_here = 0;
};

Held held_now(SQLite::Database& db, WorkerId worker) {
  Held held;
  SlotCounts counts(db);
  each_live_attempt(db, [&](const AttemptSpan& span) {
    const int cpus = counts.of(span);
    const auto add = [&](Holdings& to) {
      to[span.sweep].slots += cpus;
      ++to[span.sweep].runs;
    };
    add(held.everywhere);
    if (span.worker != worker) return;
    add(held.here);
    held.slots_here += cpus;
  });
  return held;
}

std::vector<std::string> texts_of(const std::string& json) {
  const Json list = row::stored_json(json, row::None::list);
  std::vector<std::string> texts;
  for (const Json& one : list)
    if (one.is_string()) texts.push_back(one.get<std::string>());
  return texts;
}

Room whole_room(const WorkerRow& worker) {
  std::vector<std::int64_t> gpu_memory;
  for (const Json& one : row::stored_json(worker.gpu_memory, row::None::list))
    if (one.is_number_integer()) gpu_memory.push_back(one.get<std::int64_t>());
  return {
      {worker.cpus, worker.gpus, worker.memory, texts_of(worker.labels)}, gpu_memory, gpu_memory};
}

std::string needs_text(const ResourcesSpec& needs) {
  std::string text = counted(std::max(1, needs.cpus), "slot");
  if (needs.gpus > 0) text += ", " + counted(needs.gpus, "GPU");
  if (needs.gpu_memory > 0)
    text += " with " + memory_text(static_cast<double>(needs.gpu_memory)) + " free";
  if (needs.memory > 0) text += ", " + memory_text(static_cast<double>(needs.memory));
  for (const std::string& label : needs.labels) text += ", " + label;
  return text;
}

std::string share_text(const Holdings& here) {
  std::string text;
  for (const auto& [sweep, holding] : here)
    text += (text.empty() ? "" : ", ") + hone::text(sweep) + " " + counted(holding.slots, "slot");
  return text;
}

// The worker keeps a slot free for the speed of its runs (server/sweep/lease/neighbours.cpp).
bool keeps_free(const WorkerRow& worker, SweepId sweep) {
  const auto document = parse_json(worker.kept_free);
  const auto kept = document ? decode_kept_free(*document) : Result<KeptFree>(document.error());
  return kept && kept->sweep == sweep;
}

// Limits of the sweep itself; empty where none holds it back.
std::string own_limit(const SweepSpec& spec, const Holding& holding) {
  if (const auto most = spec.limits.concurrency; most && holding.runs >= *most)
    return "its limits.concurrency of " + std::to_string(*most) +
           " is reached: " + counted(holding.runs, "run") + " in progress";
  if (const auto most = spec.slots.max; most && holding.slots + least_slots(spec) > *most)
    return "its slots.max of " + std::to_string(*most) + " is reached: it holds " +
           counted(holding.slots, "slot");
  return {};
}

class Reasons {
 public:
  Reasons(SQLite::Database& db, const WorkerRow& worker, const Request& request)
      : worker_(worker),
        held_(held_now(db, worker.id)),
        room_(whole_room(worker)),
        state_(state_of(worker, request)) {}

  [[nodiscard]] const Holdings& here() const { return held_.here; }

  [[nodiscard]] std::string why_not(const SweepRow& sweep, const SweepSpec& spec) const {
    if (std::holds_alternative<AskTrainer>(spec.trainer))
      return "its trials are evaluated by clients of hone ask";
    if (sweep.state == SweepState::paused)
      return "it is paused; resume it with: hone resume " + text(sweep.id);
    if (state_ == "silent" || state_ == "lost") return "this worker is not connected";
    if (!fits_a_step(spec, room_))
      return "a run needs " + needs_text(most_resources(spec)) + "; this worker has " +
             needs_text(room_.counted);
    if (worker_.aside_until)
      return "this worker is quarantined until " + rfc3339(*worker_.aside_until) + ": " +
             worker_.aside_why;
    const auto found = held_.everywhere.find(sweep.id);
    const Holding holding = found == held_.everywhere.end() ? Holding{} : found->second;
    if (auto limit = own_limit(spec, holding); !limit.empty()) return limit;
    if (keeps_free(worker_, sweep.id))
      return "a slot stays free, as its runs would slow down those of this worker";
    return by_slots(spec);
  }

 private:
  [[nodiscard]] std::string by_slots(const SweepSpec& spec) const {
    const std::int64_t free = worker_.cpus - held_.slots_here;
    if (free >= least_slots(spec))
      return "slots are free for it: its rule or sampler gives no further run for now, or the "
             "worker asks in a moment";
    const std::string all = free <= 0 ? "every slot is held" : counted(free, "slot") + " free";
    return all + " (" + share_text(held_.here) +
           "): the next free one goes to the sweep that got "
           "the least for its share";
  }

  const WorkerRow& worker_;
  Held held_;
  Room room_;
  std::string state_;
};

// Whether the sweep has a run that no worker has, or a trial to propose.
bool may_wait(const SweepRow& sweep) {
  return sweep.runs.queued > 0 || sweep.trials_proposed < sweep.trials_total;
}

}  // namespace

Waiting waiting_for(SQLite::Database& db, const WorkerRow& worker, const Request& request) {
  Waiting all;
  const Reasons reasons(db, worker, request);
  for (const auto& [sweep, holding] : reasons.here())
    all.held.push_back({sweep, holding.slots, holding.runs});
  std::ranges::stable_sort(all.held, std::greater{}, &HolderRow::slots);
  for (const SweepRow& sweep : open_sweeps(db, limits::open_sweeps_max)) {
    if (!may_wait(sweep)) continue;
    if (std::ssize(all.waiting) >= limits::waiting_sweeps_max) {
      ++all.left_out;
      continue;
    }
    const auto spec = spec_of(sweep);
    if (!spec) continue;
    WaitRow row{sweep.id, sweep.name, sweep.runs.queued};
    row.why = reasons.why_not(sweep, *spec);
    if (const auto run = first_queued_run(db, sweep.id)) {
      row.run = run->id;
      row.story = story_of(db, *run);
    }
    all.waiting.push_back(std::move(row));
  }
  return all;
}

}  // namespace hone::api
