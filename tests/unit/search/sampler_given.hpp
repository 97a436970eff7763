// Spaces and histories for tests of samplers.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>

#include "schemas/types/spec.hpp"
#include "server/search/samplers/sampler.hpp"

namespace hone {

inline SearchSpace space_of(const Space& parameters,
                            const std::vector<std::string>& constraints = {}) {
  return std::move(SearchSpace::make(parameters, constraints)).value();
}

inline SearchSpace cube(std::size_t dimensions) {
  Space space;
  for (std::size_t i = 0; i < dimensions; ++i)
    space.push_back({"x" + std::to_string(i), FloatDomain{}, ""});
  return space_of(space);
}

inline std::unique_ptr<Sampler> tpe(const SearchSpace& space, Params settings = {}) {
  SearchSpec search;
  search.method = "tpe";
  search.settings = std::move(settings);
  return std::move(make_sampler(search, space)).value();
}

// A trial that finished after one phase.
inline void finish(History& history, std::span<const double> point, double value,
                   std::span<const double> further = {}) {
  const auto run = history.add_run(history.add_trial(point));
  history.add_report(run, 0, Score::of(value), further);
  history.end_run(run, true, true);
}

inline void fail(History& history, std::span<const double> point) {
  history.end_run(history.add_run(history.add_trial(point)), false, true);
}

inline FloatDomain unit_float() { return {0, 1, Scale::linear, {}, {}}; }

// Proposes and finishes trials, one after the other.
inline History run_sweep(const SearchSpace& space, const Sampler& sampler, std::uint64_t seed,
                         int trials, const std::function<double(const Point&)>& loss) {
  History history(Goal::minimize, space.dimensions().size());
  for (int number = 0; number < trials; ++number) {
    const Point point = sampler.propose(space, history, {seed, number}).value();
    finish(history, point, loss(point));
  }
  return history;
}

inline double best_loss(const History& history) {
  return -history.outcome(history.ranked()[0]).merit;
}

}  // namespace hone
