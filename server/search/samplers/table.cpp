#include <array>
#include <string>

#include "server/search/samplers/rows.hpp"

namespace hone {
namespace {

constexpr std::array table{
    SamplerRow{"hone", "our own: evenly spread first, then a model of what is good",
               make_hone_sampler},
    SamplerRow{"random", "independent draws from the space", make_random},
    SamplerRow{"grid", "every combination of values", make_grid},
    SamplerRow{"sobol", "evenly spread points, without gaps or clusters", make_sobol},
    SamplerRow{"tpe", "learns where good trials lie, for every kind of space", make_tpe},
    SamplerRow{"cmaes", "a normal distribution that adapts: for many numbers", make_cmaes},
    SamplerRow{"external", "your own picker enqueues the parameter sets", make_external},
};

// A space whose constraints refuse this many draws in a row falls back on its witness.
constexpr int feasible_tries = 1000;

}  // namespace

std::span<const SamplerRow> sampler_table() { return table; }

Result<std::unique_ptr<Sampler>> make_sampler(const SearchSpec& search, const SearchSpace& space) {
  if (!search.command.empty() && search.method != "external")
    return refuse(Code::invalid, "a command of your own needs method: external", "/search/command");
  for (const SamplerRow& row : table)
    if (row.method == search.method) return row.make(search, space);
  return refuse(Code::invalid, "no search method '" + search.method + "'", "/search/method");
}

Point random_point(const SearchSpace& space, Rng& rng) {
  for (int tries = 0; tries < feasible_tries; ++tries) {
    Point point = space.uniform_point(rng);
    if (space.feasible(point)) return point;
  }
  return {space.witness().begin(), space.witness().end()};
}

}  // namespace hone
