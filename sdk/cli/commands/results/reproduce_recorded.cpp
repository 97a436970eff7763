#include "sdk/cli/commands/results/reproduce_recorded.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "schemas/codec/body.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {

Result<Recorded> read_recorded(Session& session, RunId run) {
  Recorded recorded;
  recorded.run = run;
  auto row = session.get("/v1/runs/" + text(run));
  if (!row) return row.error();
  recorded.runs = *std::move(row);
  if (const Json& origin = member(recorded.runs, "/origin"); !origin.is_null())
    return refuse(Code::conflict, text(run) + " is a fork: it began as " + text_at(origin, "/run") +
                                      ", and only runs that started from nothing are reproduced");
  auto trial = session.get("/v1/trials/" + text(run.trial));
  if (!trial) return trial.error();
  recorded.trial = *std::move(trial);
  auto sweep = session.get("/v1/sweeps/" + text_at(recorded.runs, "/sweep"));
  if (!sweep) return sweep.error();
  recorded.sweep = *std::move(sweep);
  auto spec = decode_request<SweepSpec>(member(recorded.sweep, "/spec"));
  if (!spec) return spec.error();
  recorded.spec = *std::move(spec);
  const std::string of_run = "/v1/runs/" + text(run);
  for (auto [path, list] : {std::pair{of_run + "/attempts", &recorded.attempts},
                            std::pair{of_run + "/curve", &recorded.reports},
                            std::pair{"/v1/models?run=" + text(run), &recorded.models}}) {
    auto items = session.list(path);
    if (!items) return items.error();
    *list = *std::move(items);
  }
  if (recorded.reports.empty())
    return refuse(Code::conflict, text(run) + " has no report: there is nothing to compare");
  if (std::holds_alternative<PipelineTrainer>(recorded.spec.trainer))
    return refuse(Code::conflict, text(run) +
                                      " is of a pipeline, whose steps are not run again together: "
                                      "its files and the code of each step are in hone lineage " +
                                      text(run));
  if (std::holds_alternative<AskTrainer>(recorded.spec.trainer))
    return refuse(Code::conflict, text(run) +
                                      " was evaluated by an asker (hone ask): the server does not "
                                      "know its program");
  return recorded;
}

std::vector<Segment> segments_of(const Recorded& recorded) {
  std::vector<Segment> segments;
  std::size_t phase = 0;
  for (std::size_t i = 0; i < recorded.attempts.size(); ++i) {
    const std::string next = i + 1 < recorded.attempts.size()
                                 ? text_at(recorded.attempts[i + 1], "/granted_at")
                                 : std::string("9999");
    Segment segment{recorded.attempts[i], phase, phase};
    while (segment.end < recorded.reports.size() &&
           text_at(recorded.reports[segment.end], "/at") < next)
      ++segment.end;
    phase = segment.end;
    if (segment.end > segment.first) segments.push_back(std::move(segment));
  }
  return segments;
}

}  // namespace hone::cli
