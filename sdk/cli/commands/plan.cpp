#include "sdk/cli/commands/plan.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "schemas/codec/body.hpp"
#include "sdk/cli/commands/show_texts.hpp"
#include "sdk/cli/output.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "server/search/terminator.hpp"

namespace hone::cli {
namespace {

struct Slots {
  int count = 1;
  std::string of;  // whose they are
};

struct Pace {
  double seconds_per_unit = 0;
  std::string from;  // the sweep that it was measured on
};

constexpr std::int64_t seen_seconds = 60;  // a worker silent for longer is not at hand

Slots slots_at_hand(Session& session, const ResourcesSpec& needs, int wished) {
  if (wished > 0) return {wished, "as you say"};
  int slots = 0;
  if (const auto workers = session.list("/v1/workers"))
    for (const Json& worker : *workers) {
      const auto seen = parse_rfc3339(text_at(worker, "/last_seen_at"));
      if (seen && now() - *seen <= seconds(seen_seconds))
        slots += static_cast<int>(int_at(worker, "/cpus")) / std::max(1, needs.cpus);
    }
  if (slots > 0) return {slots, "of the server's workers"};
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return {std::max(1, cores / std::max(1, needs.cpus)), "on this machine"};
}

// Seconds a unit of the budget took in the runs of a sweep's first trials.
std::optional<double> measured(Session& session, const std::string& sweep) {
  constexpr int looked_at = 10;  // trials: enough to average over parameters
  const auto trials =
      session.get("/v1/sweeps/" + sweep + "/trials?limit=" + std::to_string(looked_at));
  if (!trials) return std::nullopt;
  double seconds = 0, units = 0;
  for (const Json& trial : member(*trials, "/items")) {
    const auto runs = session.get("/v1/trials/" + text_at(trial, "/id") + "/runs");
    if (!runs) continue;
    for (const Json& run : member(*runs, "/items")) {
      const auto from = parse_rfc3339(text_at(run, "/started_at"));
      const auto to = parse_rfc3339(text_at(run, "/ended_at"));
      if (!from || !to || text_at(run, "/state") == "failed") continue;
      seconds += static_cast<double>((*to - *from).us) / 1e6;
      units += static_cast<double>(int_at(run, "/step"));
    }
  }
  if (!(seconds > 0 && units > 0)) return std::nullopt;
  return seconds / units;
}

std::optional<Pace> pace_of(Session& session, const Json& spec) {
  constexpr int looked_at = 10;  // newest sweeps
  const auto sweeps = session.get("/v1/sweeps?limit=" + std::to_string(looked_at));
  if (!sweeps) return std::nullopt;
  for (const Json& item : member(*sweeps, "/items")) {
    const std::string id = text_at(item, "/id");
    const auto sweep = session.get("/v1/sweeps/" + id);
    if (!sweep) continue;
    const Json& other = member(*sweep, "/spec");
    const bool same = member(other, "/trainer") == member(spec, "/trainer") &&
                      member(other, "/command") == member(spec, "/command") &&
                      member(other, "/budget/unit") == member(spec, "/budget/unit");
    if (!same) continue;
    if (const auto seconds_per_unit = measured(session, id)) return Pace{*seconds_per_unit, id};
  }
  return std::nullopt;
}

Json plan_json(const SweepSpec& spec, const Slots& slots, const std::optional<Pace>& pace) {
  const auto terminator = make_terminator(
      spec.terminator,
      {spec.search.trials, spec.seeds, spec.budget.phases, spec.limits.duration.has_value()});
  const std::int64_t runs = spec.search.trials * spec.seeds;
  const double share = terminator ? (*terminator)->expected_phases() / spec.budget.phases : 1;
  const auto complete = static_cast<double>(runs);
  Json plan;
  plan["trials"] = spec.search.trials;
  plan["runs"] = runs;
  plan["phases_at_most"] = runs * spec.budget.phases;
  plan["phases_expected"] = std::llround(complete * share * spec.budget.phases);
  plan["work_at_most"] = runs * spec.budget.per_run;
  plan["work_expected"] = std::llround(complete * share * static_cast<double>(spec.budget.per_run));
  plan["unit"] = spec.budget.unit;
  plan["slots"] = slots.count;
  plan["complete_runs_one_after_another"] = complete * share / slots.count;
  plan["pace_of"] = pace ? Json(pace->from) : Json(nullptr);
  plan["seconds_expected"] =
      pace ? Json(plan["work_expected"].get<double>() * pace->seconds_per_unit / slots.count)
           : Json(nullptr);
  return plan;
}

std::string wall_text(const Json& plan, const Slots& slots) {
  const std::string where =
      " on " + std::to_string(slots.count) + (slots.count == 1 ? " slot " : " slots ") + slots.of;
  if (plan["seconds_expected"].is_null())
    return "as long as " + number_text(plan["complete_runs_one_after_another"].get<double>()) +
           " complete runs one after another," + where;
  const auto wall = static_cast<std::int64_t>(plan["seconds_expected"].get<double>() * 1e6);
  return "about " + duration_text(microseconds(wall)) + where + ", at the pace of " +
         plan["pace_of"].get<std::string>();
}

std::string work_text(const Json& plan, const char* which) {
  const std::string suffix = which;
  return count_text(plan["phases_" + suffix].get<std::int64_t>()) + " phases, " +
         count_text(plan["work_" + suffix].get<std::int64_t>()) + " " +
         plan["unit"].get<std::string>();
}

std::string plan_text(const Json& spec, const Json& plan, const Slots& slots,
                      const Screen& screen) {
  const Json& rule = member(spec, "/terminator");
  std::vector<RecordLine> lines = {
      {"objective", text_at(spec, "/objective/goal") + " " + text_at(spec, "/objective/metric")},
      {"trainer", trainer_text(spec)},
      {"search", text_at(spec, "/search/method") + ", " +
                     std::to_string(plan["trials"].get<std::int64_t>()) + " trials"},
      {"terminator", text_at(rule, "/rule") + settings_text(rule, "rule")},
      {"budget", budget_text(spec)},
      {"runs", std::to_string(plan["runs"].get<std::int64_t>())},
      {"expected", work_text(plan, "expected")},
      {"at most", work_text(plan, "at_most")},
      {"wall time", wall_text(plan, slots)}};
  bool first = true;
  for (const auto& [name, domain] : member(spec, "/parameters").items()) {
    lines.push_back({first ? "parameters" : "", name + ": " + domain_text(domain)});
    first = false;
  }
  return paint(screen, Ink::bold, text_at(spec, "/name")) + "  (nothing is submitted)\n" +
         record_text(lines, screen);
}

}  // namespace

Result<Exit> print_plan(Session& session, const SweepSpec& spec, int workers) {
  Json document = encode(spec);
  const Slots slots = slots_at_hand(session, spec.resources, workers);
  Json plan = plan_json(spec, slots, pace_of(session, document));
  const std::string shown = plan_text(document, plan, slots, session.screen());
  document["plan"] = std::move(plan);
  return print_object(session, document, shown);
}

}  // namespace hone::cli
