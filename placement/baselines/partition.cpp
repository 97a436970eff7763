// scotch and metis: partitions of the undirected graph by these libraries, with work as vertex
// weights and transfer time as edge weights. Both libraries keep global state (Scotch its random
// numbers), so only one thread at a time may call them. Seeds are fixed, so that equal graphs get
// equal parts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>

#include "placement/baselines/baselines.hpp"
#include "placement/baselines/group_costs.hpp"

#ifdef HONE_METIS
#include <metis.h>
#endif
#ifdef HONE_SCOTCH
#include <scotch/scotch.h>
#endif

namespace hone::placement {
namespace {

// Compressed sparse rows, the input of both libraries; sums stay far below 2^31.
template <class Int>
struct Rows {
  std::vector<Int> begin{0};
  std::vector<Int> neighbour;
  std::vector<Int> edge_weight;
  std::vector<Int> work;
};

constexpr double weight_sum = 1e7;  // approximate sum of all weights of a kind

template <class Int>
Rows<Int> rows_of(const Problem& problem) {
  const auto work = work_of_groups(problem);
  const auto ties = ties_of_groups(problem);
  const double work_sum = std::max(1e-9, std::accumulate(work.begin(), work.end(), 0.0));
  double tie_sum = 1e-9;
  for (const auto& row : ties)
    for (const Tie& tie : row) tie_sum += tie.ms;
  Rows<Int> rows;
  for (std::size_t g = 0; g < ties.size(); ++g) {
    rows.work.push_back(static_cast<Int>(1 + std::lround(weight_sum * work[g] / work_sum)));
    for (const Tie& tie : ties[g]) {
      rows.neighbour.push_back(static_cast<Int>(tie.group));
      rows.edge_weight.push_back(static_cast<Int>(1 + std::lround(weight_sum * tie.ms / tie_sum)));
    }
    rows.begin.push_back(static_cast<Int>(rows.neighbour.size()));
  }
  return rows;
}

template <class Int>
[[maybe_unused]] Placement placement_of(const Problem& problem, const std::vector<Int>& part) {
  const auto devices = main_devices(problem);
  Placement placement;
  for (const Int p : part) placement.push_back(devices[static_cast<std::size_t>(p)]);
  respect_bars(problem, placement);
  return placement;
}

[[maybe_unused]] Error not_built(const char* name, const char* package) {
  return refuse(Code::invalid, std::string("this hone was built without ") + name + ": install " +
                                   package + " and configure it again");
}

}  // namespace

Result<Placement> place_scotch(const Problem& problem, std::uint64_t seed) {
#ifdef HONE_SCOTCH
  static_assert(sizeof(SCOTCH_Num) >= sizeof(std::int32_t));
  auto rows = rows_of<SCOTCH_Num>(problem);
  const auto parts = std::min<std::size_t>(main_devices(problem).size(), rows.work.size());
  std::vector<SCOTCH_Num> part(rows.work.size(), 0);
  if (parts < 2) return placement_of(problem, part);
  SCOTCH_Graph graph;
  SCOTCH_Strat strategy;
  SCOTCH_graphInit(&graph);
  SCOTCH_stratInit(&strategy);
  SCOTCH_randomSeed(static_cast<SCOTCH_Num>(seed % 1000 + 1));
  SCOTCH_randomReset();
  const bool done =
      SCOTCH_graphBuild(&graph, 0, static_cast<SCOTCH_Num>(rows.work.size()), rows.begin.data(),
                        rows.begin.data() + 1, rows.work.data(), nullptr,
                        static_cast<SCOTCH_Num>(rows.neighbour.size()), rows.neighbour.data(),
                        rows.edge_weight.data()) == 0 &&
      SCOTCH_graphPart(&graph, static_cast<SCOTCH_Num>(parts), &strategy, part.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_graphExit(&graph);
  if (!done) return refuse(Code::internal, "Scotch did not partition the graph");
  return placement_of(problem, part);
#else
  static_cast<void>(problem);
  static_cast<void>(seed);
  return not_built("Scotch", "libscotch-dev");
#endif
}

Result<Placement> place_metis(const Problem& problem, std::uint64_t seed) {
#ifdef HONE_METIS
  static_assert(sizeof(idx_t) >= sizeof(std::int32_t));
  auto rows = rows_of<idx_t>(problem);
  auto vertices = static_cast<idx_t>(rows.work.size());
  auto parts = static_cast<idx_t>(std::min(main_devices(problem).size(), rows.work.size()));
  std::vector<idx_t> part(rows.work.size(), 0);
  if (parts < 2) return placement_of(problem, part);
  idx_t constraints = 1;
  idx_t cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed % 1000 + 1);
  const int outcome = METIS_PartGraphKway(
      &vertices, &constraints, rows.begin.data(), rows.neighbour.data(), rows.work.data(), nullptr,
      rows.edge_weight.data(), &parts, nullptr, nullptr, options, &cut, part.data());
  if (outcome != METIS_OK) return refuse(Code::internal, "METIS did not partition the graph");
  return placement_of(problem, part);
#else
  static_cast<void>(problem);
  static_cast<void>(seed);
  return not_built("METIS", "libmetis-dev");
#endif
}

}  // namespace hone::placement
