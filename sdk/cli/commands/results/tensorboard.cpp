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

Result<std::string> file_of(Session& session, const Json& run, const std::string& id,
                            const std::string& objective) {
  const auto reports = session.list("/v1/runs/" + id + "/curve");
  if (!reports) return reports.error();
  std::string file = event_file_head(seconds_of(run, "/started_at"));
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
  return file;
}

}  // namespace

Result<Exit> export_tensorboard(Session& session, SweepId sweep, const fs::path& folder,
                                bool force) {
  const std::string path = "/v1/sweeps/" + text(sweep);
  const auto document = session.get(path);
  if (!document) return document.error();
  const auto runs = session.list(path + "/runs?limit=1000");
  if (!runs) return runs.error();
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
    const auto bytes = file_of(session, run, id, objective);
    if (!bytes) return bytes.error();
    if (auto written = write_file(file, *bytes); !written)
      return refuse(Code::internal, written.error().detail);
  }
  session.print(folder.string() + "\n");
  session.note("open it with: tensorboard --logdir " + folder.string());
  return Exit::ok;
}

}  // namespace hone::cli
