#include "bench/fill/fill.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/expect.hpp"
#include "db/file/database.hpp"
#include "schemas/types/submit.hpp"
#include "server/engine/book_snapshot.hpp"
#include "server/engine/engine.hpp"

namespace hone::upkeep {
namespace {

constexpr Instant first_day{1'780'000'000'000'000};

SweepSpec spec_of(std::int64_t number, std::int64_t trials, int phases) {
  SweepSpec spec;
  spec.name = "bench-" + std::to_string(number);
  spec.project = number % 2 == 0 ? "even" : "odd";
  spec.seed = static_cast<std::uint64_t>(number) + 1;
  spec.objective = {"return", Goal::maximize};
  spec.trainer = BuiltinTrainer{"ga3c", {{"env", std::string("CartPole-v1")}}};
  spec.parameters = {
      {"learning_rate", FloatDomain{1e-5, 1e-2, Scale::log, {}}, ""},
      {"t_max", IntDomain{2, 100, Scale::log}, ""},
      {"gamma", ChoiceDomain{{0.9, 0.95, 0.99, 0.995, 0.999}}, ""},
      {"optimizer", ChoiceDomain{{std::string("adam"), std::string("rmsprop")}}, ""}};
  spec.search = {"random", trials};
  spec.terminator = {"none", {}};
  spec.budget = {"frames", 1'000'000, phases};
  return spec;
}

std::string digits_of(std::int64_t number, std::size_t length) {
  std::string text;
  auto bits = static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15ULL + 1;
  for (std::size_t i = 0; i < length; ++i, bits = bits * 6364136223846793005ULL + 1)
    text += "0123456789abcdef"[bits >> 60U];
  return text;
}

// A curve that rises to its last value, as those of training do: a page that sees some phases only
// is wrong about it. One trial of 64 diverges in its last phase.
Score value_of(std::int64_t number, int phase, int phases) {
  constexpr std::int64_t between_diverging = 64;
  if (phases > 1 && phase + 1 == phases && number % between_diverging == between_diverging - 1)
    return Score::diverged();
  constexpr double steepness = 3;
  const auto share = [&](int done) { return 1 - std::exp(-steepness * done / phases); };
  const double last = 500 * std::abs(std::sin(static_cast<double>(number * 7 + phases - 1)));
  return Score::of(last * share(phase + 1) / share(phases));
}

class Filler {
 public:
  Filler(SQLite::Database& db, const FillOptions& options)
      : options_(options), now_(first_day), engine_(db, now_) {}

  void run(const FillProgress& progress) {
    worker_ = perform<JoinReply>(Join{{"fill", "bench-host", 1, 1024, 0, HONE_VERSION}}).worker;
    std::int64_t done = 0;
    for (std::int64_t sweep = 0; sweep < options_.sweeps; ++sweep) {
      const std::int64_t until = options_.trials * (sweep + 1) / options_.sweeps;
      if (until == done) continue;
      submit(sweep, until - done);
      for (; done < until; ++done) {
        train(done);
        if (done % 64 == 0) flush();
        if (done % 256 == 0) progress(done, options_.trials);
      }
    }
    leave_running(done);
    flush();
    progress(done, options_.trials);
  }

  [[nodiscard]] const Engine& engine() const { return engine_; }

 private:
  template <class T>
  T perform(const Command& command) {
    std::optional<T> reply;
    std::vector<Envelope> batch;
    batch.push_back({command, [&](Result<Reply> got) {
                       expect(got.ok(), "the engine accepts every command of the filler");
                       reply = std::get<T>(*std::move(got));
                     }});
    engine_.step(std::move(batch), now_);
    return *std::move(reply);
  }

  void later(Command command) {
    waiting_.push_back({std::move(command), [](const Result<Reply>&) {}});
  }
  void flush() { engine_.step(std::exchange(waiting_, {}), now_); }

  void submit(std::int64_t number, std::int64_t trials) {
    WorkflowInfo workflow;
    workflow.command = {"hone", "submit", "bench.yaml"};
    workflow.host = "desk-" + std::to_string(number % 7);
    workflow.git_commit = digits_of(number / 10, 40);
    workflow.hone_version = HONE_VERSION;
    const std::string request = "fill-" + std::to_string(number);
    perform<Submitted>(
        Submit{{request, spec_of(number, trials, options_.phases), workflow, {}, {}}});
  }

  // Workers serve the sweeps in turn.
  void leave_running(std::int64_t done) {
    const std::int64_t each = std::max<std::int64_t>(2, options_.trials / options_.sweeps);
    for (std::int64_t i = 0; i < options_.running; ++i) submit(options_.sweeps + i, each);
    for (std::int64_t i = 0; i < options_.running * (each / 2); ++i) train(done + i);
  }

  // The commands of a worker for one trial: a lease, telemetry, reports, a checkpoint.
  void train(std::int64_t number) {
    now_ = now_ + milliseconds(50);
    const std::string request = "lease-" + std::to_string(number);
    flush();
    const auto grant =
        perform<std::optional<LeaseGrant>>(Acquire{{request, worker_, 1024, 0, Duration{}}});
    expect(grant.has_value(), "the worker of the filler always gets a trial");
    log_points(grant->lease, number);
    const std::int64_t slice = 1'000'000 / options_.phases;
    for (int phase = 0; phase < options_.phases; ++phase) {
      const bool last = phase + 1 == options_.phases;
      if (last)
        later(SaveModel{grant->lease, {digits_of(number, 64), 4096, slice * (phase + 1), phase}});
      later(Report{grant->lease,
                   {phase, slice * (phase + 1), value_of(number, phase, options_.phases)}});
    }
  }

  void log_points(LeaseId lease, std::int64_t number) {
    const std::int64_t share = options_.points * (number + 1) / options_.trials -
                               options_.points * number / options_.trials;
    MetricsRequest request;
    for (std::int64_t i = 0; i < share; ++i)
      request.points.push_back({i % 2 == 0 ? "loss" : "frames_per_s", (i / 2 + 1) * 1000,
                                std::cos(static_cast<double>(number + i))});
    if (!request.points.empty()) later(LogMetrics{lease, std::move(request)});
  }

  FillOptions options_;
  Instant now_;
  Engine engine_;
  WorkerId worker_;
  std::vector<Envelope> waiting_;
};

}  // namespace

Status fill(const std::filesystem::path& folder, const FillOptions& options,
            const FillProgress& progress) {
  auto opened = DataFolder::open(folder);
  if (!opened) return opened.error();
  if (std::filesystem::exists(opened->database()))
    return refuse(
        Code::conflict,
        "'" + folder.string() + "' holds a database already: name a folder that is not there");
  auto db = open_for_writing(opened->database().string());
  if (!db) return db.error();
  (*db)->exec("PRAGMA synchronous = OFF");  // the folder can be created again
  Filler filler(**db, options);
  filler.run(progress);
  const Engine& engine = filler.engine();
  SnapshotFile(opened->snapshot(), **db)
      .consider(engine.book(), engine.last_seq(), engine.event_bytes(), true);
  return Done{};
}

}  // namespace hone::upkeep
