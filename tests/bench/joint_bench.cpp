// The cost of judging trials of several runs as one: the view of whole trials is built again for
// every call. Run by hand: build/bin/joint_bench
#include <benchmark/benchmark.h>

#include <string>

#include "base/rng.hpp"
#include "schemas/types/spec.hpp"
#include "server/search/terminators/terminator.hpp"
#include "server/sweep/state/shape.hpp"

namespace hone {
namespace {

constexpr int phases = 10;

SweepSpec spec_of(const std::string& rule, std::int64_t trials) {
  SweepSpec spec;
  spec.search = {"random", trials + 1};
  spec.terminator = {rule, {}};
  spec.budget = {"steps", 1000, phases};
  spec.seeds = 2;
  spec.replicates.max = 5;
  spec.replicates.race = true;
  return spec;
}

// Every trial waits somewhere: some after their first phase, few near their end.
History history_of(const SweepSpec& spec, std::int64_t trials) {
  History history(Goal::maximize, 0, 1, replication_of(spec));
  Rng rng(1, Purpose::simulation, 0);
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    history.add_trial({});
    const int length = 1 + static_cast<int>(rng.below(3) * rng.below(4));
    for (int seed = 0; seed < 2; ++seed) {
      const auto run = history.add_run(static_cast<std::size_t>(trial));
      for (int phase = 0; phase < length; ++phase)
        history.add_report(run, phase, Score::of(rng.normal()));
      history.set_state(run, RunRecord::State::paused);
    }
  }
  return history;
}

void joint_next(benchmark::State& state, const std::string& rule) {
  const auto spec = spec_of(rule, state.range(0));
  const auto terminator = make_terminator(spec.terminator, sweep_shape(spec));
  const History history = history_of(spec, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize((*terminator)->next(history, true));
}

void joint_judge(benchmark::State& state, const std::string& rule) {
  const auto spec = spec_of(rule, state.range(0));
  const auto terminator = make_terminator(spec.terminator, sweep_shape(spec));
  const History history = history_of(spec, state.range(0));
  const int phase = static_cast<int>(history.runs()[1].merits.size());
  for (auto _ : state)
    benchmark::DoNotOptimize((*terminator)->judge(history, 1, phase, Score::of(0)));
}

// Two problems of one seed each, as many runs as above.
SweepSpec ranked(SweepSpec spec) {
  spec.seeds = 1;
  spec.replicates.instances =
      InstancesSpec{"game", {std::string("a"), std::string("b")}, {}, {}, Normalize::ranks};
  return spec;
}

void ranks_judge(benchmark::State& state) {
  const auto spec = ranked(spec_of("hone", state.range(0)));
  const auto terminator = make_terminator(spec.terminator, sweep_shape(spec));
  const History history = history_of(spec, state.range(0));
  const int phase = static_cast<int>(history.runs()[1].merits.size());
  for (auto _ : state)
    benchmark::DoNotOptimize((*terminator)->judge(history, 1, phase, Score::of(0)));
}

// A first report, which changes the ranks of all trials.
void ranks_report(benchmark::State& state) {
  const History history = history_of(ranked(spec_of("hone", state.range(0))), state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    History grown = history;
    const auto run = grown.add_run(grown.add_trial({}));
    state.ResumeTiming();
    grown.add_report(run, 0, Score::of(0));
  }
}

BENCHMARK(ranks_judge)->Arg(50)->Arg(200)->Arg(1000);
BENCHMARK(ranks_report)->Arg(50)->Arg(200)->Arg(1000);
BENCHMARK_CAPTURE(joint_next, none, "none")->Arg(50)->Arg(200)->Arg(1000);
BENCHMARK_CAPTURE(joint_next, hone, "hone")->Arg(50)->Arg(200)->Arg(1000);
BENCHMARK_CAPTURE(joint_next, asha, "asha")->Arg(50)->Arg(200)->Arg(1000);
BENCHMARK_CAPTURE(joint_judge, none, "none")->Arg(50)->Arg(200)->Arg(1000);
BENCHMARK_CAPTURE(joint_judge, hone, "hone")->Arg(50)->Arg(200)->Arg(1000);

}  // namespace
}  // namespace hone

BENCHMARK_MAIN();
