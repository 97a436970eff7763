#include "sdk/cli/commands/results/tensorboard.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/event_file.hpp"
#include "sdk/cli/commands/results/curve_metric.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

double seconds_of(const Json& item, const std::string& pointer) {
  const auto at = time_at(item, pointer);
  return at ? static_cast<double>(at->us) / 1e6 : 0;
}

// Diverged values are NaN, as programs log them.
void append_points(std::string& file, const std::string& tag, const std::vector<Json>& points) {
  for (const Json& point : points) {
    const Json& value = member(point, "/value");
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    file += event_record({int_at(point, "/step"), seconds_of(point, "/at"), {{tag, number}}});
  }
}

// TensorBoard sorts and filters numbers, texts and truths; a null is the text.
Setting setting_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>();
  return value.is_string() ? value.get<std::string>() : value.dump();
}

SessionStart start_of(const Json& run, const Json& params) {
  SessionStart start;
  start.wall_time = seconds_of(run, "/started_at");
  start.group = text_at(run, "/trial");
  for (const auto& [name, value] : params.items())
    start.settings.emplace_back(name, setting_of(value));
  return start;
}

// Nothing of a run in progress. One that a rule stopped has not failed.
std::string end_of(const Json& run) {
  if (member(run, "/ended_at").is_null()) return {};
  const std::string state = text_at(run, "/state");
  const bool good = state == "completed" || state == "stopped";
  return session_end_record(seconds_of(run, "/ended_at"),
                            good ? SessionStatus::success : SessionStatus::failure);
}

Result<std::string> file_of(Session& session, const Json& run, const std::string& id,
                            const std::string& objective, const Json& params) {
  const auto reports = session.list("/v1/runs/" + id + "/curve");
  if (!reports) return reports.error();
  std::string file = event_file_head(seconds_of(run, "/started_at"));
  file += session_start_record(start_of(run, params));
  const auto names = metric_names(session, id);
  if (!names) return names.error();
  // The program's own series of that name has more points than the reports.
  if (std::ranges::find(*names, objective) == names->end())
    append_points(file, objective, *reports);
  for (const auto& name : *names) {
    const auto points = metric_points(session, id, name);
    if (!points) return points.error();
    append_points(file, name, *points);
  }
  return file + end_of(run);
}

// The parameters of each trial of a sweep, by its id.
Result<Json> params_by_trial(Session& session, const std::string& sweep) {
  const auto trials = session.list(sweep + "/trials?limit=1000");
  if (!trials) return trials.error();
  Json found = Json::object();
  for (const Json& trial : *trials) found[text_at(trial, "/id")] = member(trial, "/params");
  return found;
}

}  // namespace

Result<Exit> export_tensorboard(Session& session, SweepId sweep, const fs::path& folder,
                                bool force) {
  const std::string path = "/v1/sweeps/" + text(sweep);
  const auto document = session.get(path);
  if (!document) return document.error();
  const auto runs = session.list(path + "/runs?limit=1000");
  if (!runs) return runs.error();
  const auto params = params_by_trial(session, path);
  if (!params) return params.error();
  const std::string objective = text_at(*document, "/objective/metric");
  for (const Json& run : *runs) {
    const auto named = id_of_row<RunId>(run);
    if (!named) return named.error();
    const std::string id = text(*named);
    const fs::path file = folder / id / ("events.out.tfevents.hone." + id);
    std::error_code failure;
    if (!force && fs::exists(file, failure))
      return refuse(Code::conflict, file.string() + " exists; add --force to replace it");
    fs::create_directories(file.parent_path(), failure);
    if (failure)
      return refuse(Code::internal,
                    "cannot create " + file.parent_path().string() + ": " + failure.message());
    const auto bytes =
        file_of(session, run, id, objective, member(*params, "/" + text_at(run, "/trial")));
    if (!bytes) return bytes.error();
    if (auto written = write_file(file, *bytes); !written)
      return refuse(Code::internal, written.error().detail);
  }
  session.print(folder.string() + "\n");
  session.note("open it with: tensorboard --logdir " + folder.string());
  return Exit::ok;
}

}  // namespace hone::cli
