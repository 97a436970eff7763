// placement_bench [GRAPH [DEVICES]]: measures the simulator of placements. Prints the CPU seconds
// of one core for 2,400 random placements.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "placement/baselines/baselines.hpp"
#include "placement/setup.hpp"
#include "placement/simulator.hpp"

namespace {

constexpr int placements = 2400;

int measure(const char* graph, int devices, const char* group) {
  namespace place = hone::placement;
  const auto problem = place::set_up({.graph = graph, .devices = devices, .group = group});
  if (!problem) {
    std::fprintf(stderr, "%s\n", problem.error().detail.c_str());
    return 1;
  }
  std::vector<place::Placement> drawn;
  drawn.reserve(static_cast<std::size_t>(placements));
  for (int i = 0; i < placements; ++i)
    drawn.push_back(
        *place::find_baseline("random")->place(*problem, static_cast<std::uint64_t>(i)));
  place::Simulator simulator(*problem);
  double sum_ms = 0;
  const std::clock_t started = std::clock();
  for (const auto& placed : drawn) sum_ms += simulator.step_ms(placed);
  const double seconds = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
  std::printf("%s, %d devices, %s: %d groups, %d placements in %.4f s (mean step %.1f ms)\n", graph,
              devices, group, problem->groups, placements, seconds, sum_ms / placements);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* graph = argc > 1 ? argv[1] : "inception-v3";
  const int devices = argc > 2 ? std::atoi(argv[2]) : 4;
  const int failed = measure(graph, devices, "op");
  return failed + measure(graph, devices, "chain");
}
