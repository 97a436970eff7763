#include <array>
#include <string>

#include "schemas/types/methods.hpp"
#include "schemas/types/search_spec.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/samplers/setting_rows.hpp"

namespace hone {

// Each of these is defined in the file of its method: a new method adds that file, a name here and
// a row below, with its settings.
SamplerMaker make_hone_sampler, make_random, make_grid, make_sobol, make_tpe, make_cmaes, make_bohb,
    make_dehb, make_external, make_pbt_sampler;
SamplerCheck check_cmaes_cost;

namespace {

constexpr std::array samplers{
    SamplerRow{"hone", "our own: evenly spread first, then a model of what is good",
               make_hone_sampler, sampler_settings::hone_method},
    SamplerRow{"random", "independent draws from the space", make_random},
    SamplerRow{"grid", "every combination of values", make_grid, sampler_settings::grid},
    SamplerRow{"sobol", "evenly spread points, without gaps or clusters", make_sobol},
    SamplerRow{"tpe", "learns where good trials lie, for every kind of space", make_tpe,
               sampler_settings::tpe},
    SamplerRow{"cmaes", "a normal distribution that adapts: for many numbers", make_cmaes,
               sampler_settings::cmaes, check_cmaes_cost},
    SamplerRow{"bohb", "the densities of BOHB, from the longest runs: with the rule hyperband",
               make_bohb, sampler_settings::bohb},
    SamplerRow{"dehb", "differential evolution in the brackets of hyperband", make_dehb,
               sampler_settings::dehb_method},
    SamplerRow{enqueued_method, "your own picker enqueues the parameter sets", make_external},
    SamplerRow{"pbt", "a population whose members continue from the best of them", make_pbt_sampler,
               sampler_settings::pbt},
    SamplerRow{"pb2", "such a population, whose schedules a Gaussian process chooses",
               make_pbt_sampler, sampler_settings::pb2},
};

// If the constraints reject this many draws in a row, the witness of the space is used.
constexpr int feasible_draws_max = 1000;

}  // namespace

std::span<const SamplerRow> sampler_table() { return samplers; }

Result<std::unique_ptr<Sampler>> make_sampler(const SearchSpec& search, const SearchSpace& space) {
  const MethodTraits traits = traits_of(search.method);
  if (!search.command.empty() && !traits.takes_command)
    return refuse(Code::invalid, "a command of your own needs method: external", "/search/command");
  if (!search.perturb.empty() && !traits.takes_factors)
    return refuse(Code::invalid, "perturb needs method: pbt", "/search/perturb");
  for (const SamplerRow& row : samplers)
    if (row.method == search.method) return row.make(search, space);
  return refuse(Code::invalid, "no search method '" + search.method + "'", "/search/method");
}

Point random_point(const SearchSpace& space, Rng& rng) {
  for (int i = 0; i < feasible_draws_max; ++i) {
    Point point = space.uniform_point(rng);
    if (space.feasible(point)) return point;
  }
  return {space.witness().begin(), space.witness().end()};
}

}  // namespace hone
