// The throughput of the writer, on a file, with synchronous=FULL.
// reports: the cost of a batch of 1, 8, 64 and 256 commands. Each is a report of a live run: two
// events (report, verdict) and their projection.
// trials: as many clients as a batch is large, each of which asks, reports five times and tells.
#include <benchmark/benchmark.h>

#include <fstream>

#include "base/expect.hpp"
#include "tests/unit/engine/given.hpp"

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
    one(Join{{"join", "host", 1, 1024, 0, "bench"}});
    one(Submit{{"submit", long_spec(runs, phases), {}}});
    for (int i = 0; i < runs; ++i) one(Acquire{{"acquire-" + std::to_string(i), {1}, 1, 0, {}}});
  }

  // Reports for the next runs in turn; returns false when their phases are used up.
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

// Bytes that this process has written, as the kernel counts them.
double written_bytes() {
  std::ifstream io("/proc/self/io");
  std::string word;
  double value = 0;
  while (io >> word >> value)
    if (word == "wchar:") return value;
  return 0;
}

SweepSpec asked_spec() {
  auto spec = small_spec(1'000'000, 6);
  spec.trainer = AskTrainer{};
  spec.budget.per_run = 6;
  spec.parameters = {{"lr", FloatDomain{1e-5, 1, Scale::log, {}}, ""},
                     {"layers", IntDomain{1, 64}, ""},
                     {"kind", ChoiceDomain{{"a", "b", "c", "d"}}, ""},
                     {"x", FloatDomain{-1, 1, Scale::linear, {}}, ""}};
  return spec;
}

class Askers {
 public:
  explicit Askers(int count)
      : count_(count),
        db_(std::move(open_for_writing(folder_.file("hone.db")).value())),
        engine_(*db_, now_) {
    batch({Submit{{"submit", asked_spec(), {}}}});
  }

  // One trial of each client.
  void round() {
    std::vector<Command> asks, tells;
    asks.reserve(static_cast<std::size_t>(count_));
    tells.reserve(static_cast<std::size_t>(count_));
    for (int i = 0; i < count_; ++i) asks.emplace_back(Ask{{1}, {std::to_string(i)}});
    const auto asked = batch(std::move(asks));
    for (int phase = 0; phase < 5; ++phase) {
      std::vector<Command> reports;
      reports.reserve(asked.size());
      for (const Reply& reply : asked)
        reports.emplace_back(Report{std::get<AskReply>(reply).lease,
                                    {phase, phase + 1, Score::of(0.5 / (phase + 1))}});
      batch(std::move(reports));
    }
    for (const Reply& reply : asked)
      tells.emplace_back(
          Tell{std::get<AskReply>(reply).trial, {Told::value, {}, 6, Score::of(0.1), {}, ""}});
    batch(std::move(tells));
  }

 private:
  std::vector<Reply> batch(std::vector<Command> commands) {
    std::vector<Reply> replies;
    std::vector<Envelope> envelopes;
    envelopes.reserve(commands.size());
    for (Command& command : commands)
      envelopes.push_back({std::move(command), [&replies](Result<Reply> reply) {
                             expect(reply.ok(), "the bench asks for what may be");
                             replies.push_back(*std::move(reply));
                           }});
    engine_.step(std::move(envelopes), now_);
    return replies;
  }

  int count_;
  TemporaryFolder folder_;
  std::unique_ptr<SQLite::Database> db_;
  Instant now_{1'700'000'000'000'000};
  Engine engine_;
};

void trials(benchmark::State& state) {
  Askers askers(static_cast<int>(state.range(0)));
  const double before = written_bytes();
  for (auto _ : state) askers.round();
  const auto done = static_cast<double>(state.iterations() * state.range(0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["kB_per_trial"] = (written_bytes() - before) / 1000 / done;
}

BENCHMARK(reports)->ArgName("batch")->Arg(1)->Arg(8)->Arg(64)->Arg(256)->UseRealTime();
BENCHMARK(trials)->ArgName("askers")->Arg(64)->Iterations(300)->UseRealTime();

}  // namespace
}  // namespace hone

BENCHMARK_MAIN();
