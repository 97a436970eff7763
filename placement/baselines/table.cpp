#include <algorithm>
#include <array>

#include "placement/baselines/baselines.hpp"

namespace hone::placement {

// Each of these is defined in the file of its rule: a new baseline adds that file, a name here and
// a row below.
Placer place_single, place_expert, place_random, place_mincut, place_scotch, place_metis,
    place_m_topo, place_m_etf, place_m_sct;

namespace {

constexpr std::array baselines{
    Baseline{"single", "all of it on the fastest device", place_single},
    Baseline{"expert", "layers in blocks; others cut into contiguous parts of equal time",
             place_expert},
    Baseline{"random", "every group anywhere", place_random},
    Baseline{"mincut", "fewest bytes between parts of equal work", place_mincut},
    Baseline{"scotch", "Scotch's partition of the graph (Pellegrini and Roman, 1996)",
             place_scotch},
    Baseline{"metis", "METIS's partition of the graph (Karypis and Kumar, 1998)", place_metis},
    Baseline{"m-topo", "devices filled in topological order (Baechi, 2020)", place_m_topo},
    Baseline{"m-etf", "earliest task first, memory counted (Baechi, 2020)", place_m_etf},
    Baseline{"m-sct", "m-etf with favourite children (Baechi, 2020)", place_m_sct},
};

}  // namespace

std::span<const Baseline> baseline_table() { return baselines; }

const Baseline* find_baseline(std::string_view name) {
  const auto row = std::find_if(baselines.begin(), baselines.end(),
                                [&](const Baseline& baseline) { return baseline.name == name; });
  return row == baselines.end() ? nullptr : &*row;
}

}  // namespace hone::placement
