#include "placement/trace.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"

namespace hone::placement {
namespace {

constexpr double us_per_ms = 1000;

Json event(const std::string& name, int row, double begin_ms, double end_ms) {
  return {{"name", name},
          {"ph", "X"},
          {"pid", 0},
          {"tid", row},
          {"ts", us_per_ms * begin_ms},
          {"dur", us_per_ms * (end_ms - begin_ms)}};
}

Json row_name(int row, const std::string& name) {
  return {
      {"name", "thread_name"}, {"ph", "M"}, {"pid", 0}, {"tid", row}, {"args", {{"name", name}}}};
}

std::string name_of(const Problem& problem, int task) {
  if (task < 0) return "weight " + problem.graph.weights[static_cast<std::size_t>(-1 - task)].name;
  const int node = problem.node_of_task[static_cast<std::size_t>(task)];
  return problem.graph.nodes[static_cast<std::size_t>(node)].name +
         (problem.kind(task) == TaskKind::backward ? " backward" : "");
}

}  // namespace

std::string chrome_trace(const Problem& problem, const Placement& placement) {
  const Timeline timeline = Simulator(problem).trace(placement);
  Json events = Json::array();
  for (int d = 0; d < problem.devices(); ++d) {
    const std::string name(problem.cluster.devices[static_cast<std::size_t>(d)].name);
    events.push_back(row_name(2 * d, name + " " + std::to_string(d)));
    events.push_back(row_name(2 * d + 1, name + " " + std::to_string(d) + " sends"));
  }
  for (int task = 0; task < problem.tasks; ++task) {
    const auto at = static_cast<std::size_t>(task);
    const int device = placement[static_cast<std::size_t>(problem.group_of_task[at])];
    const double begin = timeline.start_ms[at];
    events.push_back(
        event(name_of(problem, task), 2 * device, begin, begin + problem.cost(task, device)));
  }
  for (const Transfer& t : timeline.transfers)
    events.push_back(event(name_of(problem, t.task) + " to " + std::to_string(t.to), 2 * t.from + 1,
                           t.begin_ms, t.end_ms));
  return to_text({{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}) + "\n";
}

}  // namespace hone::placement
