// A sweep in memory: a space, a history and a sampler, with ask and tell for one trial at a time.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.hpp"
#include "server/search/samplers/sampler.hpp"

namespace hone::bench {

struct Asked {
  std::size_t run = 0;
  Params params;
};

class Study {
 public:
  // `algorithm`: a method of server/search/samplers/table.cpp, tpe-uni or tpe-multi (tpe with
  // kernels over one dimension or all), tpe-plain (tpe without its surrogate).
  static Result<Study> make(const Space& parameters, std::string_view algorithm,
                            std::uint64_t seed);

  // Uses another algorithm for the proposals from now on.
  Status change(std::string_view algorithm);

  // Proposes a trial, and remembers it as running.
  Asked ask();
  // The only report of a trial, at the end of its only phase.
  void tell(std::size_t run, double loss) { finish(run, 0, loss); }
  void report(std::size_t run, int phase, double loss);
  void finish(std::size_t run, int phase, double loss);

  // Adds a finished trial drawn from the space.
  void add(Rng& rng, double (*loss)(const Params& params));

  [[nodiscard]] std::size_t trials() const { return history_.trials().size(); }

 private:
  Study(SearchSpace space, std::uint64_t seed);
  std::size_t start(std::span<const double> point);

  SearchSpace space_;
  History history_;
  std::unique_ptr<Sampler> sampler_;
  std::uint64_t seed_;
};

}  // namespace hone::bench
