// schedule: the parameters of a run along the runs that it continues, as steps and values.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/plot.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

// More forks in a row than phases of any run: a server that names more would not end.
constexpr std::size_t segments_max = 10'000;

Result<RunId> wanted_run(Session& session, const std::string& word) {
  const auto object = parse_object(word);
  if (!object) return object.error();
  // All runs of a trial have its schedule.
  if (const auto* trial = std::get_if<TrialId>(&*object)) return RunId{*trial, 0};
  if (!std::holds_alternative<SweepId>(*object)) return resolve_run(session, word);
  const auto best = session.get("/v1/sweeps/" + in_path(*object) + "/best?limit=1");
  if (!best) return best.error();
  const std::string run = text_at(*best, "/items/0/run");
  if (run.empty())
    return refuse(Code::not_found,
                  word + " has no reports yet; follow it with: hone watch " + word);
  return resolve_run(session, run);
}

// Takes a product of numbers that any server may have sent.
std::int64_t whole_steps(double steps) {
  constexpr double most = 0x1p53;  // as the steps of a report
  return std::llround(std::clamp(steps, 0.0, most));
}

// Splits the segment of a run whose trial has a schedule at the steps where its parameters change;
// the latest first.
Result<std::vector<Json>> split_segment(Session& session, Json segment, const Json& run,
                                        const Json& schedule) {
  if (!schedule.is_array() || schedule.empty()) return std::vector<Json>{std::move(segment)};
  const auto sweep = session.get("/v1/sweeps/" + text_at(run, "/sweep"));
  if (!sweep) return sweep.error();
  const double phase_steps = number_at(*sweep, "/spec/budget/per_run") /
                             std::max(1.0, number_at(*sweep, "/spec/budget/phases"));
  std::vector<Json> parts;
  for (auto stage = schedule.rbegin(); stage != schedule.rend(); ++stage) {
    const auto from = whole_steps(phase_steps * number_at(*stage, "/phase"));
    if (from >= int_at(segment, "/to")) continue;  // not reached yet
    Json part = segment;
    part["from"] = from;
    part["params"] = member(*stage, "/params");
    segment["to"] = from;
    parts.push_back(std::move(part));
  }
  parts.push_back(std::move(segment));
  return parts;
}

// One row for each run that this one descends from, itself last: its parameters held from step
// `from` to step `to`. A confirmed schedule has one for each of its parameter sets.
Result<std::vector<Json>> read_segments(Session& session, RunId last) {
  std::vector<Json> segments;
  std::string id = text(last);
  std::int64_t to = -1;  // -1: as far as the run has come
  while (!id.empty() && segments.size() < segments_max) {
    const auto run = session.get("/v1/runs/" + id);
    if (!run) return run.error();
    const auto trial = session.get("/v1/trials/" + text_at(*run, "/trial"));
    if (!trial) return trial.error();
    const Json& origin = member(*run, "/origin");
    Json segment = Json::object();
    segment["run"] = id;
    segment["from"] = origin.is_null() ? 0 : int_at(origin, "/step");
    segment["to"] = to < 0 ? int_at(*run, "/step") : to;
    segment["params"] = member(*trial, "/params");
    to = int_at(segment, "/from");
    id = origin.is_null() ? std::string() : text_at(origin, "/run");
    auto parts = split_segment(session, std::move(segment), *run, member(*trial, "/schedule"));
    if (!parts) return parts.error();
    std::ranges::move(*parts, std::back_inserter(segments));
  }
  std::ranges::reverse(segments);
  return segments;
}

// A step function: each value from the start of its segment to the end.
std::vector<PlotPoint> steps_of(const std::vector<Json>& segments, const std::string& name) {
  std::vector<PlotPoint> points;
  for (const Json& segment : segments) {
    const Json& value = member(segment, "/params" + pointer_to(name));
    if (!value.is_number()) continue;
    points.push_back({static_cast<double>(int_at(segment, "/from")), value.get<double>()});
    points.push_back({static_cast<double>(int_at(segment, "/to")), value.get<double>()});
  }
  return points;
}

bool changes(const std::vector<Json>& segments, const std::string& name) {
  return std::ranges::any_of(segments, [&](const Json& segment) {
    return member(segment, "/params" + pointer_to(name)) !=
           member(segments.front(), "/params" + pointer_to(name));
  });
}

// One chart for each number that changed.
std::string charts(const std::vector<Json>& segments, const Screen& screen) {
  std::string text;
  for (const auto& [name, value] : member(segments.back(), "/params").items()) {
    if (!value.is_number() || !changes(segments, name)) continue;
    text += paint(screen, Ink::bold, name) + "\n" +
            plot(steps_of(segments, name), {std::min(screen.columns, 100), 6, screen.unicode}) +
            "\n";
  }
  return text;
}

Result<Exit> schedule(Session& session, const std::string& word) {
  const auto run = wanted_run(session, word);
  if (!run) return run.error();
  const auto segments = read_segments(session, *run);
  if (!segments) return segments.error();
  if (session.options().format == Format::table) session.print(charts(*segments, session.screen()));
  return print_list(session, schedule_columns(), *segments, text(*run) + " has no parameters");
}

}  // namespace

CommandAction declare_schedule(Flags& flags) {
  return with_options(schedule, [&](std::string& id) {
    flags.argument("ID", id, "id of a run, of a trial, or of a sweep (its best trial)");
  });
}

}  // namespace hone::cli
