#include "bench/search/study.hpp"

#include "base/expect.hpp"
#include "schemas/types/search_spec.hpp"

namespace hone::bench {
namespace {

SearchSpec spec_of(std::string_view algorithm) {
  SearchSpec spec;
  spec.trials = 1'000'000;
  spec.method = algorithm;
  if (!algorithm.starts_with("tpe-")) return spec;
  spec.method = "tpe";
  if (algorithm == "tpe-uni" || algorithm == "tpe-multi")
    spec.settings = {{"multivariate", algorithm == "tpe-multi"}};
  else if (algorithm == "tpe-plain")
    spec.settings = {{"surrogate", false}};
  else
    spec.method = algorithm;
  return spec;
}

}  // namespace

Study::Study(SearchSpace space, std::uint64_t seed)
    : space_(std::move(space)), history_(Goal::minimize, space_.dimensions().size()), seed_(seed) {}

Result<Study> Study::make(const Space& parameters, std::string_view algorithm, std::uint64_t seed) {
  auto space = SearchSpace::make(parameters, {});
  if (!space) return space.error();
  Study study(*std::move(space), seed);
  if (auto made = study.change(algorithm); !made) return made.error();
  return study;
}

Status Study::change(std::string_view algorithm) {
  auto sampler = make_sampler(spec_of(algorithm), space_);
  if (!sampler) return sampler.error();
  sampler_ = *std::move(sampler);
  return Done{};
}

std::size_t Study::start(std::span<const double> point) {
  return history_.add_run(history_.add_trial(point));
}

Asked Study::ask() {
  const Draw draw{seed_, static_cast<std::int64_t>(history_.trials().size())};
  const auto point = sampler_->propose(space_, history_, draw);
  expect(point.has_value(), "these methods always have something to propose");
  return {start(*point), space_.params_at(*point)};
}

void Study::report(std::size_t run, int phase, double loss) {
  history_.add_report(run, phase, Score::of(loss));
}

void Study::finish(std::size_t run, int phase, double loss) {
  report(run, phase, loss);
  history_.end_run(run, true, true);
}

void Study::add(Rng& rng, double (*loss)(const Params& params)) {
  const Point point = space_.uniform_point(rng);
  tell(start(point), loss(space_.params_at(point)));
}

}  // namespace hone::bench
