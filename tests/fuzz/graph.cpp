// A computation graph (hone's JSON, a planner's input, a profile of PipeDream), a line of three
// dashes, and a placement of it. Small graphs are grouped, placed by every baseline and simulated.
#include <cmath>

#include "placement/baselines/baselines.hpp"
#include "placement/bound.hpp"
#include "placement/read/placement_file.hpp"
#include "placement/read/read.hpp"
#include "placement/simulator.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {
namespace {

using placement::Graph;
using placement::Placement;
using placement::Problem;

constexpr std::size_t nodes_most = 30, edges_most = 60;

void check_written(const Graph& graph) {
  const auto again = placement::read_graph(placement::json_text(graph), "other");
  expect(again.ok(), "a graph that was read can be written and read again");
  expect(placement::digest_with_shapes(*again) == placement::digest_with_shapes(graph),
         "and is the same");
  expect(!placement::dot_text(graph, {}).empty(), "and can be drawn");
}

void check_placed(const Problem& problem, const Placement& placed) {
  placement::Simulator simulator(problem);
  const double makespan = simulator.makespan(placed);
  expect(std::isfinite(makespan) && makespan >= 0, "a step takes a finite time");
  expect(simulator.trace(placed).makespan_ms == makespan, "its trace takes the same");
  expect(simulator.step_ms(placed) >= makespan, "what does not fit is no faster");
  const auto again = placement::read_placement(problem, placement_text(problem, placed));
  expect(again.ok() && *again == placed, "a placement is read as it was written");
}

void place(const Graph& graph, placement::GroupRule rule, std::string_view file) {
  const auto problem = placement::make_problem(
      graph, {rule, placement::cluster_of(placement::device_table().front(), 2, 1)});
  if (!problem) return expect(!problem.error().detail.empty(), "a refusal says why");
  expect(std::isfinite(placement::critical_path_ms(*problem)), "a path takes a finite time");
  for (const auto& baseline : placement::baseline_table()) {
    const auto placed = baseline.place(*problem, 1);
    if (placed)
      check_placed(*problem, *placed);
    else
      expect(!placed.error().detail.empty(), "a refusal says why");
  }
  const auto given = placement::read_placement(*problem, file);
  if (given)
    check_placed(*problem, *given);
  else
    expect(!given.error().detail.empty(), "a refusal says why");
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  const auto text = text_of(data, size);
  const auto middle = text.find("\n---\n");
  const auto graph = placement::read_graph(text.substr(0, middle), "fuzz");
  if (!graph) return expect(!graph.error().detail.empty(), "a refusal says why");
  check_written(*graph);
  if (graph->nodes.size() > nodes_most || graph->edges.size() > edges_most) return;
  const auto file = middle == std::string_view::npos ? "" : text.substr(middle + 5);
  for (const auto& row : placement::group_rules) place(*graph, row.rule, file);
}

}  // namespace hone::fuzz
