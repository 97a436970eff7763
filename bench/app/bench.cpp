// bench: how much a server takes (load), and what tests/bench/search_bench.py runs to compare our
// search with other optimizers (driver).
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/fill/bench_lineage.hpp"
#include "bench/load/load.hpp"
#include "bench/search/driver.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {
namespace {

constexpr int connections_max = 20'000;  // about what a machine has ports for

Result<bench::Words> read_words(const std::vector<std::string>& words) {
  bench::Words read;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return refuse(Code::invalid, "'" + word + "' is no key=value");
    read[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return read;
}

struct Wish {
  std::string what, task;
  std::vector<std::string> words;
  load::Plan load;
  LineagePlan lineage;
  std::string duration = "20s", period = "10s", ramp = "20s";
  std::vector<std::string> reports;
};

// The line of the moment, on stderr: rewritten in place on a terminal, a line every ten seconds
// elsewhere.
class Progress {
 public:
  explicit Progress(const Session& session)
      : silent_(session.options().quiet), terminal_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (terminal_ && !silent_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void say(const std::string& line) {
    const auto now = std::chrono::steady_clock::now();
    if (silent_ || now < next_) return;
    next_ = now + (terminal_ ? std::chrono::milliseconds(0) : std::chrono::seconds(10));
    std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", line.c_str());
    std::fflush(stderr);
  }

 private:
  bool silent_, terminal_;
  std::chrono::steady_clock::time_point next_{};
};

// "500ms", "20s", "2m", "1h"; a bare number is seconds.
std::optional<std::chrono::milliseconds> duration_of(const std::string& text) {
  double number = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(text.data(), end, number);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  double scale = 0;
  if (unit == "ms") scale = 1;
  if (unit == "s" || unit.empty()) scale = 1e3;
  if (unit == "m") scale = 6e4;
  if (unit == "h") scale = 36e5;
  if (trouble != std::errc() || scale == 0 || number < 0 || number * scale > 1e9)
    return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(number * scale));
}

Status read_times(Wish& wish) {
  const auto read = [](const char* flag, const std::string& text,
                       std::chrono::milliseconds& time) -> Status {
    const auto found = duration_of(text);
    if (!found)
      return refuse(Code::invalid,
                    std::string(flag) + " " + text + " is no duration; write 500ms, 20s or 2m");
    time = *found;
    return Done{};
  };
  if (auto done = read("--duration", wish.duration, wish.load.duration); !done) return done;
  if (auto done = read("--period", wish.period, wish.load.period); !done) return done;
  return read("--ramp", wish.ramp, wish.load.ramp);
}

Result<Exit> run_load(Session& session, Wish wish) {
  if (auto read = read_times(wish); !read) return read.error();
  if (session.options().server_named) wish.load.server = session.options().server;
  for (const auto& word : wish.reports) {
    const int connections = std::atoi(word.c_str());
    if (connections < 1 || connections > connections_max)
      return refuse(Code::invalid, "--reports takes numbers of connections, as in 1,8,64,512");
    wish.load.report_connections.push_back(connections);
  }
  Progress progress(session);
  const auto result =
      load::measure(wish.load, [&](const std::string& line) { progress.say(line); });
  if (!result) return result.error();
  const auto printed = print_object(session, *result, load::load_text(*result, session.screen()));
  if (!printed) return printed;
  return load::is_sound(*result) ? Exit::ok : Exit::general;
}

Result<Exit> run_lineage(Session& session, Wish wish) {
  wish.lineage.folder = wish.load.folder;
  Progress progress(session);
  const auto result =
      bench_lineage(wish.lineage, [&](const std::string& line) { progress.say(line); });
  if (!result) return result.error();
  return print_object(session, *result, bench_lineage_text(*result, session.screen()));
}

Result<Exit> run_driver(Session& session, const Wish& wish) {
  const auto words = read_words(wish.words);
  if (!words) return words.error();
  const auto done = bench::run_task(wish.task, *words,
                                    [&](const Json& line) { session.print(line.dump() + "\n"); });
  if (!done) return done.error();
  return Exit::ok;
}

}  // namespace

Work declare_bench(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("WHAT", wish->what, "load, lineage or driver");
  flags.optional_argument("TASK", wish->task,
                          "of driver: version, startup, memory, latency, quality, storage-client");
  flags.arguments("KEY=VALUE", wish->words, "of driver: what the task is about");
  flags.heading("Load");
  flags.integer("--clients N", wish->load.clients, {1, 64}, "client processes");
  flags.integer("--connections N", wish->load.connections, {1, 1024}, "of each client");
  flags.integer("--workers N", wish->load.workers, {0, connections_max},
                "simulate this many workers, in place of clients that ask and tell");
  flags.comma_separated("--reports N,N,...", wish->reports,
                        "reports alone, at each of these numbers of connections");
  flags.text("--duration TIME", wish->duration, "how long to measure");
  flags.text("--period TIME", wish->period, "a worker beats and reports this often");
  flags.text("--ramp TIME", wish->ramp, "all workers have begun after this");
  flags.text("--folder DIR", wish->load.folder,
             "where to start the server's data folder; it is removed afterwards");
  flags.heading("Lineage");
  flags.integer("--sweeps N", wish->lineage.fill.sweeps, {1, 1e6}, "to make (1000)");
  flags.integer("--trials N", wish->lineage.fill.trials, {1, 1e7}, "over all sweeps (100000)");
  flags.integer("--points N", wish->lineage.fill.points, {0, 1e9},
                "metric points, over all trials (10000000)");
  flags.integer("--repetitions N", wish->lineage.repetitions, {1, 1000},
                "of each question (21); the median counts");
  return [wish](Session& session) -> Result<Exit> {
    if (wish->what == "lineage") return run_lineage(session, *wish);
    if (wish->what == "load") return run_load(session, *wish);
    if (wish->what == "driver") return run_driver(session, *wish);
    return refuse(Code::invalid,
                  "there is no bench '" + wish->what + "', only load, lineage and driver");
  };
}

}  // namespace hone::cli
