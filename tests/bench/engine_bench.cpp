// Commits a second of the one writer, on a file: what a batch of 1, 8 and 64 commands costs with
// synchronous=FULL. Each command is a report of a live run: two events (report, verdict) and their
// projection.
#include <benchmark/benchmark.h>

#include "schemas/types/expect.hpp"
#include "tests/unit/engine_given.hpp"

namespace hone {
namespace {

// Many runs that each report many phases, so that every command of the measurement is a fresh
// report.
SweepSpec long_spec(std::int64_t trials, int phases) {
  auto spec = small_spec(trials, phases);
  spec.budget.per_run = phases;
  return spec;
}

class Reporters {
 public:
  Reporters()
      : db_(std::move(open_for_writing(folder_.file("hone.db")).value())), engine_(*db_, now_) {
    one(Join{{"join", "host", 1, 1, 0, "bench"}});
    one(Submit{{"submit", long_spec(runs, phases), {}}});
    for (int i = 0; i < runs; ++i) one(Acquire{{"acquire-" + std::to_string(i), {1}, 1, 0, {}}});
  }

  // Reports of the next runs in turn; false when their phases are used up.
  bool step(std::int64_t size) {
    std::vector<Envelope> batch;
    for (std::int64_t i = 0; i < size; ++i, ++next_) {
      const int phase = static_cast<int>(next_ / runs);
      if (phase == phases - 1) return false;
      const ReportRequest report{phase, phase + 1, Score::of(0.5)};
      batch.push_back({Report{{next_ % runs + 1}, report}, [](const Result<Reply>&) {}});
    }
    engine_.step(std::move(batch), now_);
    return true;
  }

 private:
  static constexpr int runs = 256;
  static constexpr int phases = 1000;

  void one(Command command) {
    engine_.step(
        {{std::move(command), [](const Result<Reply>& r) { expect(r.ok(), "the bench sets up"); }}},
        now_);
  }

  TemporaryFolder folder_;
  std::unique_ptr<SQLite::Database> db_;
  Instant now_{1'700'000'000'000'000};
  Engine engine_;
  std::int64_t next_ = 0;
};

void reports(benchmark::State& state) {
  auto reporters = std::make_unique<Reporters>();
  for (auto _ : state) {
    if (reporters->step(state.range(0))) continue;
    state.PauseTiming();
    reporters = std::make_unique<Reporters>();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(reports)->ArgName("batch")->Arg(1)->Arg(8)->Arg(64)->Arg(256)->UseRealTime();

}  // namespace
}  // namespace hone

BENCHMARK_MAIN();
