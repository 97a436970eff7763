// boot_bench [TRIALS]: measures the start of a server on a ledger of so many trials, each with a
// lease, five reports and an end, by a full replay and from a snapshot.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/expect.hpp"
#include "db/queries/queries.hpp"
#include "server/engine/book_archive.hpp"
#include "server/engine/book_snapshot.hpp"
#include "server/engine/engine.hpp"
#include "tests/unit/db/given.hpp"

namespace hone {
namespace {

constexpr Instant begin{1'700'000'000'000'000};
constexpr int phases = 5;
constexpr int trials_per_sweep = 1000;

class Filler {
 public:
  explicit Filler(SQLite::Database& db) : engine_(db, begin) {
    db.exec("PRAGMA synchronous = OFF");  // this part is not measured
    perform(Join{{"join", "host", 1, 1024, 0, "bench"}});
  }

  void sweep(int number) {
    SweepSpec spec = small_spec(trials_per_sweep, phases);
    spec.budget.per_run = phases;
    perform(Submit{{"sweep-" + std::to_string(number), spec, {}}});
    for (int i = 0; i < trials_per_sweep; ++i) {
      perform(Acquire{{"acquire-" + std::to_string(++leases_), {1}, 1, 0, {}}});
      for (int phase = 0; phase < phases; ++phase) {
        const auto value = static_cast<double>((leases_ * 7919 + phase * 13) % 1000);
        batch_.push_back({Report{{leases_}, {phase, phase + 1, Score::of(value)}},
                          [](const Result<Reply>& r) { expect(r.ok(), "a report is taken"); }});
      }
      if (i % 50 == 49) engine_.step(std::exchange(batch_, {}), begin);
    }
  }
  Engine& engine() { return engine_; }

 private:
  void perform(Command command) {
    batch_.push_back(
        {std::move(command), [](const Result<Reply>& r) { expect(r.ok(), "the bench sets up"); }});
  }
  Engine engine_;
  std::vector<Envelope> batch_;
  std::int64_t leases_ = 0;
};

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int run(int trials) {
  TemporaryFolder folder;
  auto db = std::move(open_for_writing(folder.file("hone.db")).value());
  std::string text;
  double writing = 0;
  {
    Filler filler(*db);
    for (int i = 0; i * trials_per_sweep < trials; ++i) filler.sweep(i);
    filler.engine().step({}, begin);
    const auto seq = filler.engine().last_seq();
    writing = seconds_of([&] {
      text = snapshot_text(filler.engine().book(), seq, event_text(*db, seq), book_stamp());
    });
  }
  const auto events = last_seq(*db);
  const double full = seconds_of([&] { Engine(*db, begin); });
  const double quick = seconds_of([&] {
    auto restored = restore(text, *db, book_stamp());
    expect(restored.ok(), "the snapshot is taken");
    Engine(*db, begin, {}, std::move(*restored));
  });
  Engine engine(*db, begin);
  const double loading = seconds_of([&] { engine.whole_book(); });
  const double leaving = seconds_of([&] { engine.step({}, begin); });
  std::printf("%d trials, %lld events, %.0f MB of database, %.1f MB of snapshot\n", trials,
              static_cast<long long>(events),
              static_cast<double>(std::filesystem::file_size(folder.file("hone.db"))) / 1e6,
              static_cast<double>(text.size()) / 1e6);
  std::printf("boot by full replay %.2f s, from the snapshot %.2f s; making one %.2f s\n", full,
              quick, writing);
  std::printf("loading all ended sweeps of %d trials %.3f s, letting them leave again %.3f s\n",
              trials_per_sweep, loading, leaving);
  return 0;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) { return hone::run(argc > 1 ? std::atoi(argv[1]) : 100'000); }
