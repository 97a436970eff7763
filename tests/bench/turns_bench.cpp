// What a decision about the next slot costs: sweeps with 10,000 queued runs, and 1,000 workers.
#include <benchmark/benchmark.h>

#include "tests/unit/sweep/given.hpp"

namespace hone {
namespace {

constexpr int workers = 1000;

// `sweeps` sweeps, together with 10,000 runs in their queues; one in three has a deadline.
class Loaded : public Given {
 public:
  explicit Loaded(int sweeps) {
    for (int i = 0; i < sweeps; ++i) {
      SweepSpec spec = small_spec(1'000'000, 10);
      spec.share = 1 + i % 3;
      spec.slots.min = i % 5;
      if (i % 3 == 0) spec.by = Deadline{.after = seconds(3600)};
      ids.push_back(submit(spec, "submit-" + std::to_string(i)));
    }
    for (int i = 0; i < workers; ++i) {
      when(Join{{"w" + std::to_string(i), "host", 1, 16, 0, "bench"}});
    }
    fill();
  }

  // Leases that were returned make the queues.
  void fill() {
    std::vector<LeaseId> leases;
    for (int i = 0; i < 10'000; ++i) {
      when(Join{{"filler" + std::to_string(i), "host", 1, 1, 0, "bench"}});
      const WorkerId worker{book.last_worker};
      const Command command = Acquire{{"fill-" + std::to_string(i), worker, 1, 0, {}}};
      when(command);
      if (const auto grant = std::get<std::optional<LeaseGrant>>(answer(book, command)))
        leases.push_back(grant->lease);
    }
    EndRequest back;
    back.reason = EndReason::requeue_requested;
    for (const LeaseId lease : leases) when(End{lease, back});
    rest();
  }
  std::vector<SweepId> ids;
};

// One long poll of a worker: decide() without folding its events.
void one_decision(benchmark::State& state) {
  const Loaded loaded(static_cast<int>(state.range(0)));
  std::int64_t queued = 0;
  for (const SweepId id : loaded.ids)
    queued += static_cast<std::int64_t>(loaded.sweep(id).queue.size());
  std::int64_t worker = 0;
  for (auto _ : state) {
    const Command poll = Acquire{{"poll", WorkerId{1 + worker++ % workers}, 16, 0, {}}};
    benchmark::DoNotOptimize(decide(loaded.book, poll, loaded.now));
  }
  state.counters["queued"] = static_cast<double>(queued);
}
BENCHMARK(one_decision)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

// A free slot on each of 1,000 workers at once: decided and folded.
void a_round_of_all_workers(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    Loaded loaded(static_cast<int>(state.range(0)));
    state.ResumeTiming();
    for (int i = 0; i < workers; ++i)
      loaded.when(Acquire{{"round-" + std::to_string(i), WorkerId{1 + i}, 1, 0, {}}});
  }
}
BENCHMARK(a_round_of_all_workers)->Arg(10)->Iterations(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hone

BENCHMARK_MAIN();
