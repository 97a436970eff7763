#include "sdk/cli/commands/start/plan.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "schemas/codec/body.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/look/objective_text.hpp"
#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/commands/look/slot_texts.hpp"
#include "sdk/cli/commands/start/space_remarks.hpp"
#include "sdk/cli/local/passing_remarks.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/shortage.hpp"
#include "server/search/terminators/phase_forecast.hpp"
#include "server/search/terminators/run_budget.hpp"
#include "server/sweep/state/shape.hpp"
#include "server/sweep/submit/plan.hpp"

namespace hone::cli {
namespace {

struct Slots {
  int count = 1;
  std::string of;  // where they are
};

// Measured in earlier sweeps of the same training, each in the newest sweep that has it.
struct Experience {
  double seconds_per_unit = 0;  // 0: unknown
  std::string pace_of;
  double phases_per_run = 0;  // under the same rule and as many phases; 0: unknown
  std::string work_of;
};

// So many runs of one GPU each: those that declare their memory share GPUs.
std::int64_t places_on_gpus(const Json& worker, const ResourcesSpec& needs) {
  if (needs.gpu_memory == 0) return int_at(worker, "/gpus");
  std::int64_t places = 0;
  for (const Json& one : member(worker, "/gpu_memory"))
    places += int_at(one, "") / needs.gpu_memory;
  return places;
}

constexpr std::int64_t runs_at_once_max = 4096;  // slots of a worker

// How many runs a worker holds at once.
int runs_at_once(const Json& worker, const ResourcesSpec& needs) {
  if (!can_hold(worker, encode(needs))) return 0;
  auto runs = int_at(worker, "/cpus") / std::max(1, needs.cpus);
  if (needs.gpus > 0) runs = std::min(runs, places_on_gpus(worker, needs) / needs.gpus);
  if (needs.memory > 0) runs = std::min(runs, int_at(worker, "/memory") / needs.memory);
  return static_cast<int>(std::clamp<std::int64_t>(runs, 0, runs_at_once_max));
}

Slots slots_at_hand(const std::vector<Json>& workers, const ResourcesSpec& needs, int requested) {
  if (requested > 0) return {requested, "as requested"};
  int slots = 0;
  for (const Json& worker : workers)
    if (is_connected(worker, now())) slots += runs_at_once(worker, needs);
  if (slots > 0) return {slots, "of the server's workers"};
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return {std::max(1, cores / std::max(1, needs.cpus)), "on this machine"};
}

// Seconds that a unit of the budget took in the runs of a sweep, without the time in which they
// waited.
std::optional<double> seconds_per_unit(Session& session, const std::string& sweep) {
  const auto summary = session.get("/v1/sweeps/" + sweep + "/summary");
  if (!summary) return std::nullopt;
  const Json& seconds = member(*summary, "/work/run_seconds");
  const auto units = int_at(*summary, "/units/trained");
  if (!seconds.is_number() || seconds.get<double>() <= 0 || units <= 0) return std::nullopt;
  return seconds.get<double>() / static_cast<double>(units);
}

// The words of a command: how its results are read, and where it runs, changes no time.
const Json& words_of(const Json& spec) {
  const Json& command = member(spec, "/command");
  return command.is_object() ? member(command, "/run") : command;
}

bool same(const Json& a, const Json& b, std::initializer_list<const char*> pointers) {
  return std::all_of(pointers.begin(), pointers.end(),
                     [&](const char* pointer) { return member(a, pointer) == member(b, pointer); });
}

Experience experience_with(Session& session, const Json& spec) {
  constexpr int looked_at = 10;  // newest sweeps
  Experience known;
  const auto sweeps = session.list("/v1/sweeps?limit=" + std::to_string(looked_at), looked_at);
  if (!sweeps) return known;
  for (const Json& item : *sweeps) {
    const std::string id = text_at(item, "/id");
    const auto sweep = session.get("/v1/sweeps/" + id);
    if (!sweep) continue;
    const Json& other = member(*sweep, "/spec");
    if (!same(spec, other, {"/trainer", "/steps", "/budget/unit"}) ||
        words_of(spec) != words_of(other))
      continue;
    if (known.pace_of.empty())
      if (const auto pace = seconds_per_unit(session, id))
        known.seconds_per_unit = *pace, known.pace_of = id;
    if (!known.work_of.empty() || !same(spec, other, {"/terminator", "/budget/phases"})) continue;
    const auto incumbent = session.get("/v1/sweeps/" + id + "/incumbent");
    if (incumbent && member(*incumbent, "/phases_per_run").is_number())
      known.phases_per_run = member(*incumbent, "/phases_per_run").get<double>(),
      known.work_of = id;
  }
  return known;
}

// Parameter sets that fill the sweep's time limit on these slots: W0 of HyperTrick.
Json trials_that_fit(const SweepSpec& spec, double phases, const Slots& slots,
                     const Experience& known) {
  if (!spec.limits.duration || known.pace_of.empty()) return nullptr;
  const double phase_seconds = known.seconds_per_unit * static_cast<double>(spec.budget.per_run) /
                               static_cast<double>(spec.budget.phases);
  const double seconds_at_hand =
      static_cast<double>(spec.limits.duration->us) / 1e6 * static_cast<double>(slots.count);
  const auto runs = runs_that_fit(seconds_at_hand / phase_seconds, phases);
  return std::max<std::int64_t>(1, runs / first_runs(spec));
}

// The rule that judges a user's program if it saves no checkpoint; empty if the sweep's rule does.
std::string rule_without_pauses(const SweepSpec& spec) {
  if (!std::holds_alternative<CommandTrainer>(spec.trainer) &&
      !std::holds_alternative<PipelineTrainer>(spec.trainer))
    return "";
  const auto other = without_pauses(spec.terminator);
  return other ? other->rule : "";
}

// The work if the program saves no checkpoint, which is known after its first phase; null where
// that changes nothing, or where an earlier sweep of the program has measured it.
Json without_checkpoints_json(const SweepSpec& spec, const Experience& known) {
  if (rule_without_pauses(spec).empty() || known.phases_per_run > 0) return nullptr;
  const auto forecast = forecast_without_checkpoints(spec.terminator, sweep_shape(spec));
  if (!forecast) return nullptr;
  const double phase = static_cast<double>(spec.budget.per_run) / spec.budget.phases;
  const auto runs = static_cast<double>(spec.search.trials * first_runs(spec));
  const auto phases = static_cast<double>(forecast->expected);
  Json json;
  json["phases_expected"] = forecast->expected;
  json["phases_range"] = {forecast->low, forecast->high};
  json["phases_per_run"] = phases / runs;
  json["work_expected"] = std::llround(phases * phase);
  return json;
}

// How long so much work takes.
void add_wall_time(double work, const SweepSpec& spec, const Slots& slots, const Experience& known,
                   Json& json) {
  json["complete_runs_one_after_another"] =
      work / static_cast<double>(spec.budget.per_run) / slots.count;
  json["seconds_expected"] =
      known.pace_of.empty() ? Json(nullptr) : Json(work * known.seconds_per_unit / slots.count);
}

Json plan_json(const SweepSpec& spec, const Slots& slots, const Experience& known) {
  const SweepPlan amounts = plan_sweep(spec, known.phases_per_run);
  const auto or_null = [](const std::string& id) { return id.empty() ? Json(nullptr) : Json(id); };
  Json plan = encode(amounts);
  const std::string unpausing = rule_without_pauses(spec);
  plan["pauses_command"] = !unpausing.empty();
  plan["rule_without_pauses"] = or_null(unpausing);
  Json without = without_checkpoints_json(spec, known);
  if (!without.is_null()) {
    add_wall_time(without["work_expected"].get<double>(), spec, slots, known, without);
    without["trials_that_fit"] =
        trials_that_fit(spec, without["phases_per_run"].get<double>(), slots, known);
  }
  plan["without_checkpoints"] = std::move(without);
  plan["phases_per_run_of"] = or_null(known.work_of);
  plan["slots"] = slots.count;
  plan["pace_of"] = or_null(known.pace_of);
  add_wall_time(plan["work_expected"].get<double>(), spec, slots, known, plan);
  plan["trials_that_fit"] = trials_that_fit(spec, amounts.phases_per_run, slots, known);
  return plan;
}

// The wall time of the plan, or of its work without checkpoints.
std::string took_text(const Json& work) {
  if (work["seconds_expected"].is_null())
    return "as long as " +
           counted(work["complete_runs_one_after_another"].get<double>(), "complete run") +
           " in sequence";
  const auto wall = static_cast<std::int64_t>(work["seconds_expected"].get<double>() * 1e6);
  return "about " + duration_text(microseconds(wall));
}

std::string wall_text(const Json& plan, const Slots& slots) {
  const bool paced = !plan["pace_of"].is_null();
  return took_text(plan) + (paced ? "" : ",") + " on " + std::to_string(slots.count) +
         (slots.count == 1 ? " slot " : " slots ") + slots.of +
         (paced ? ", at the pace of " + plan["pace_of"].get<std::string>() : "");
}

std::string work_text(const Json& plan, const char* which) {
  const std::string suffix = which;
  return count_text(plan["phases_" + suffix].get<std::int64_t>()) + " phases, " +
         count_text(plan["work_" + suffix].get<std::int64_t>()) + " " +
         plan["unit"].get<std::string>();
}

std::string expectation_of(const Json& plan, const std::string& rule) {
  const Json& measured_on = plan["phases_per_run_of"];
  if (!measured_on.is_null()) return "as in " + measured_on.get<std::string>();
  if (plan["phases_expected"] != plan["phases_at_most"]) return "as the rule stops runs on average";
  return rule == rule_none ? "as no rule stops runs" : "if the rule stops none";
}

std::string phase_range_text(const Json& range) {
  return "between " + count_text(range[0].get<std::int64_t>()) + " and " +
         count_text(range[1].get<std::int64_t>()) + " phases in 90 % of simulated sweeps";
}

std::string expected_text(const Json& plan, const std::string& rule) {
  return work_text(plan, "expected") + "; " +
         counted(plan["phases_per_run"].get<double>(), "phase") + " a run, " +
         expectation_of(plan, rule) +
         (plan["without_checkpoints"].is_null() ? "" : ", if the program saves checkpoints");
}

std::string without_checkpoints_text(const Json& plan) {
  const Json& without = plan["without_checkpoints"];
  return count_text(int_at(without, "/phases_expected")) + " phases, " +
         count_text(int_at(without, "/work_expected")) + " " + text_at(plan, "/unit") + " (" +
         phase_range_text(without["phases_range"]) + ") if it saves none";
}

std::string runs_text(const Json& spec, const Json& plan) {
  const auto runs = plan["runs"].get<std::int64_t>(),
             most = plan["runs_at_most"].get<std::int64_t>();
  const Json& seeds = member(spec, "/replicates/seeds");
  std::string text = std::to_string(runs);
  if (seeds.is_number_integer() && seeds.get<int>() > 1)
    text += ", " + std::to_string(seeds.get<int>()) + " seeds a trial";
  if (most > runs) text += ", up to " + std::to_string(most) + " with further seeds of the leaders";
  return text;
}

std::string confirm_text(const Json& plan) {
  const Json& confirm = plan["confirm"];
  return "then " + std::to_string(int_at(confirm, "/top")) + " leaders on " +
         std::to_string(int_at(confirm, "/seeds")) +
         " new seeds: " + count_text(int_at(confirm, "/phases")) + " phases, " +
         count_text(int_at(confirm, "/work")) + " " + plan["unit"].get<std::string>() + " more";
}

std::string fit_text(const Json& plan) {
  const Json& without = plan["without_checkpoints"];
  return "holds about " + count_text(plan["trials_that_fit"].get<std::int64_t>()) + " trials" +
         (without.is_null() ? ""
                            : ", or " + count_text(int_at(without, "/trials_that_fit")) +
                                  " if the program saves no checkpoints");
}

std::string seed_text(const Json& spec) {
  const std::string seed = std::to_string(int_at(spec, "/seed"));
  return seed + (seed == "0" ? ", the default" : "") +
         ": every submission with it proposes the same trials";
}

std::string plan_text(const Json& spec, const Json& plan, const Slots& slots,
                      const Screen& screen) {
  const Json& rule = member(spec, "/terminator");
  std::vector<RecordLine> lines = {
      {"objective", objectives_text(spec)},
      {"trainer", trainer_text(spec)},
      {"search", text_at(spec, "/search/method") + ", " +
                     std::to_string(plan["trials"].get<std::int64_t>()) + " trials"},
      {"seed", seed_text(spec)},
      {"terminator", text_at(rule, "/rule") + settings_text(rule, "rule")},
      {"budget", budget_text(spec)},
      {"runs", runs_text(spec, plan)},
      {"expected", expected_text(plan, text_at(rule, "/rule"))}};
  if (!plan["phases_range"].is_null() && plan["phases_range"][0] != plan["phases_range"][1])
    lines.push_back({"", phase_range_text(plan["phases_range"])});
  if (!plan["without_checkpoints"].is_null()) lines.push_back({"", without_checkpoints_text(plan)});
  lines.push_back({"at most", work_text(plan, "at_most")});
  lines.push_back({"wall time", wall_text(plan, slots)});
  if (const auto cpus = cpus_text(member(spec, "/resources")); !cpus.empty())
    lines.push_back({"", "each run on the least of " + cpus});
  if (!plan["without_checkpoints"].is_null())
    lines.push_back({"", took_text(plan["without_checkpoints"]) + " if it saves none"});
  if (plan["pauses_command"].get<bool>())
    lines.push_back(
        {"pauses", text_at(rule, "/rule") +
                       " pauses runs and resumes them from their checkpoints; a program that "
                       "saves none is not paused: it is judged by " +
                       text_at(plan, "/rule_without_pauses")});
  if (!plan["confirm"].is_null()) lines.push_back({"confirm", confirm_text(plan)});
  if (!plan["trials_that_fit"].is_null()) lines.push_back({"time limit", fit_text(plan)});
  if (!plan["shortage"].is_null())
    lines.push_back({"workers", plan["shortage"].get<std::string>(), Ink::bad});
  for (const Json& remark : plan["remarks"])
    lines.push_back({"remark", remark.get<std::string>(), Ink::bad});
  bool first = true;
  for (const auto& [name, domain] : member(spec, "/parameters").items()) {
    lines.push_back({first ? "parameters" : "", name + ": " + domain_text(domain)});
    first = false;
  }
  first = true;
  for (const Json& one : member(spec, "/constraints"))
    lines.push_back({std::exchange(first, false) ? "constraints" : "", value_text(one)});
  return paint(screen, Ink::bold, text_at(spec, "/name")) + "  (nothing is submitted)\n" +
         record_text(lines, screen);
}

}  // namespace

Result<Exit> print_plan(Session& session, const SweepSpec& spec, int workers) {
  const auto learned = warm_start_remarks(session, spec);
  if (!learned) return learned.error();
  Json document = encode(spec);
  const auto known = session.list("/v1/workers");
  const Slots slots =
      slots_at_hand(known ? *known : std::vector<Json>{}, most_resources(spec), workers);
  Json plan = plan_json(spec, slots, experience_with(session, document));
  const std::string shortage = known ? find_shortage(session, document) : "";
  plan["shortage"] = shortage.empty() ? Json(nullptr) : Json(shortage);
  plan["remarks"] = passing_remarks(spec);
  for (auto& remark : space_remarks(spec)) plan["remarks"].push_back(remark);
  for (const auto& remark : *learned) plan["remarks"].push_back(remark);
  const std::string shown = plan_text(document, plan, slots, session.screen());
  document["plan"] = std::move(plan);
  return print_object(session, document, shown);
}

std::string time_of_runs(Session& session, const Json& sweep, std::int64_t runs) {
  const auto pace = seconds_per_unit(session, text_at(sweep, "/id"));
  const auto spec = decode_request<SweepSpec>(member(sweep, "/spec"));
  if (!pace || !spec) return "";
  const auto workers = session.list("/v1/workers");
  const Slots slots =
      slots_at_hand(workers ? *workers : std::vector<Json>{}, most_resources(*spec), 0);
  const auto units = static_cast<double>(runs * spec->budget.per_run);
  return "about " + duration_text(duration_of(*pace * units / slots.count));
}

}  // namespace hone::cli
