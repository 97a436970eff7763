// hone-bench, which `hone bench` runs: measures a server (load, lineage) and the search methods for
// tests/bench/search_bench.py (driver), writes made-up learning curves (curves), and fills a data
// folder (fill).
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/fill/bench_lineage.hpp"
#include "bench/load/load.hpp"
#include "bench/search/driver.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/run_command.hpp"
#include "sdk/cli/session/session.hpp"
#include "server/simulate/curve_families.hpp"

namespace hone::cli {
namespace {

constexpr int connections_max = 20'000;  // about the number of ports of a machine

Result<bench::Arguments> read_arguments(const std::vector<std::string>& words) {
  bench::Arguments read;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return refuse(Code::invalid, "'" + word + "' is not key=value");
    read[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return read;
}

struct BenchOptions {
  std::string what, task;
  std::vector<std::string> words;
  load::LoadOptions load;
  LineageOptions lineage;
  std::string duration = "20s", period = "10s", ramp = "20s";
  std::vector<std::string> reports;
  std::int64_t seed = 1, tables = 1;
};

// Shows the latest line on stderr: in place on a terminal, else a line every ten seconds.
class ProgressLine {
 public:
  explicit ProgressLine(Session& session)
      : terminal_(session.terminal()),
        silent_(session.options().quiet),
        in_place_(isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() {
    if (!silent_) terminal_.end_progress();
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& line) {
    const auto now = std::chrono::steady_clock::now();
    if (silent_ || now < next_) return;
    next_ = now + (in_place_ ? std::chrono::milliseconds(0) : std::chrono::seconds(10));
    terminal_.show_progress(line);
  }

 private:
  Terminal& terminal_;
  bool silent_, in_place_;
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

Status read_times(BenchOptions& options) {
  const auto read = [](const char* flag, const std::string& text,
                       std::chrono::milliseconds& time) -> Status {
    const auto found = duration_of(text);
    if (!found)
      return refuse(Code::invalid,
                    std::string(flag) + " " + text + " is not a duration; write 500ms, 20s or 2m");
    time = *found;
    return Done{};
  };
  if (auto done = read("--duration", options.duration, options.load.duration); !done) return done;
  if (auto done = read("--period", options.period, options.load.period); !done) return done;
  return read("--ramp", options.ramp, options.load.ramp);
}

Result<Exit> run_load(Session& session, BenchOptions options) {
  if (auto read = read_times(options); !read) return read.error();
  if (session.options().server_named) options.load.server = session.options().server;
  for (const auto& word : options.reports) {
    const int connections = std::atoi(word.c_str());
    if (connections < 1 || connections > connections_max)
      return refuse(Code::invalid, "--reports takes numbers of connections, as in 1,8,64,512");
    options.load.report_connections.push_back(connections);
  }
  ProgressLine progress(session);
  const auto result =
      load::measure(options.load, [&](const std::string& line) { progress.show(line); });
  if (!result) return result.error();
  auto printed = print_object(session, *result, load::load_text(*result, session.screen()));
  if (!printed) return printed;
  return load::is_sound(*result) ? Exit::ok : Exit::general;
}

Result<Exit> run_lineage(Session& session, BenchOptions options) {
  options.lineage.folder = options.load.folder;
  ProgressLine progress(session);
  const auto result =
      bench_lineage(options.lineage, [&](const std::string& line) { progress.show(line); });
  if (!result) return result.error();
  return print_object(session, *result, bench_lineage_text(*result, session.screen()));
}

// Leaves a data folder of the wanted size, for other benches to start a server on.
Result<Exit> run_fill(Session& session, const BenchOptions& options) {
  const std::filesystem::path folder = options.load.folder;
  if (options.load.folder == load::LoadOptions{}.folder)
    return refuse(Code::invalid, "name the data folder to fill: hone bench fill --folder DIR");
  ProgressLine progress(session);
  const auto done =
      upkeep::fill(folder, options.lineage.fill, [&](std::int64_t made, std::int64_t total) {
        progress.show("making " + std::to_string(made) + "/" + std::to_string(total) + " trials");
      });
  if (!done) return done.error();
  session.print(folder.string() + "\n");
  return Exit::ok;
}

Result<Exit> run_driver(Session& session, const BenchOptions& options) {
  const auto arguments = read_arguments(options.words);
  if (!arguments) return arguments.error();
  const auto done = bench::run_task(
      options.task, *arguments, [&](const Json& line) { session.print_json(line.dump() + "\n"); });
  if (!done) return done.error();
  return Exit::ok;
}

Status write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return Done{};
  return refuse(Code::invalid, "cannot write " + path.string());
}

// Writes FAMILY_SEED.csv and its card.
Result<std::filesystem::path> write_table(const BenchOptions& options, std::string_view family,
                                          std::int64_t seed) {
  const auto files = simulate::make_family_table(family, static_cast<std::uint64_t>(seed));
  if (!files) return files.error();
  const auto name = std::string(family) + "_" + std::to_string(seed);
  const auto stem = std::filesystem::path(options.load.folder) / name;
  if (auto done = write_text(stem.string() + ".csv", files->csv); !done) return done.error();
  if (auto done = write_text(stem.string() + ".json", files->json); !done) return done.error();
  return std::filesystem::path(stem.string() + ".csv");
}

Result<Exit> run_curves(Session& session, const BenchOptions& options) {
  std::vector<std::string> families{options.task};
  if (options.task.empty()) families.clear();
  for (const simulate::CurveFamily& family : simulate::curve_families())
    if (options.task.empty()) families.emplace_back(family.name);
  for (const std::string& family : families)
    for (std::int64_t i = 0; i < options.tables; ++i) {
      const auto path = write_table(options, family, options.seed + i);
      if (!path) return path.error();
      session.print(path->string() + "\n");
    }
  return Exit::ok;
}

Result<Exit> run_bench(Session& session, const BenchOptions& options) {
  if (options.what == "lineage") return run_lineage(session, options);
  if (options.what == "fill") return run_fill(session, options);
  if (options.what == "load") return run_load(session, options);
  if (options.what == "driver") return run_driver(session, options);
  if (options.what == "curves") return run_curves(session, options);
  return refuse(Code::invalid, "unknown benchmark '" + options.what +
                                   "'; there are load, lineage, driver, curves and fill");
}

void add_load_flags(Flags& flags, BenchOptions& options) {
  flags.heading("Load");
  flags.integer("--clients N", options.load.clients, {1, 64}, "number of client processes");
  flags.integer("--connections N", options.load.connections, {1, 1024},
                "number of connections of each client");
  flags.integer("--workers N", options.load.workers, {0, connections_max},
                "simulate N workers instead of clients that ask and tell");
  flags.comma_separated("--reports N,N,...", options.reports,
                        "measure reports only, with each of these numbers of connections");
  flags.text("--duration TIME", options.duration, "how long to measure");
  flags.text("--period TIME", options.period, "time between two reports of a worker");
  flags.text("--ramp TIME", options.ramp, "time in which all workers start");
  flags.text(
      "--folder DIR", options.load.folder,
      "where to create the server's temporary data folder; of curves: where to write tables; of "
      "fill: the data folder");
}

void add_lineage_flags(Flags& flags, BenchOptions& options) {
  flags.heading("Lineage and fill");
  flags.integer("--sweeps N", options.lineage.fill.sweeps, {1, 1e6}, "number of sweeps (1000)");
  flags.integer("--trials N", options.lineage.fill.trials, {1, 1e7},
                "number of trials over all sweeps (100000)");
  flags.integer("--running N", options.lineage.fill.running, {0, 1e4},
                "number of further sweeps that are half done (0)");
  flags.integer("--points N", options.lineage.fill.points, {0, 1e9},
                "number of metric points over all trials (10000000)");
  flags.integer("--phases N", options.lineage.fill.phases, {1, 10'000}, "reports of a trial (2)");
  flags.integer("--repetitions N", options.lineage.repetitions, {1, 1000},
                "repetitions of each question, of which the median is printed (21)");
}

void add_curves_flags(Flags& flags, BenchOptions& options) {
  flags.heading("Curves");
  flags.integer("--seed N", options.seed, {0, 1e15}, "seed of the first table of a family");
  flags.integer("--tables N", options.tables, {1, 1000}, "number of tables of each family");
}

CommandAction declare_bench(Flags& flags) {
  return with_options(run_bench, [&](BenchOptions& options) {
    flags.argument("WHAT", options.what, "load, lineage, driver, curves or fill");
    flags.optional_argument(
        "TASK", options.task,
        "of driver: version, startup, memory, latency, quality, storage-client; of curves: the "
        "family (all)");
    flags.arguments("SETTING", options.words, "of driver: arguments of the task, KEY=VALUE each");
    add_load_flags(flags, options);
    add_lineage_flags(flags, options);
    add_curves_flags(flags, options);
  });
}

constexpr Command bench_command{
    "bench",
    Group::system,
    "WHAT ...",
    "measure a server, or the search methods",
    "hone bench lineage --format json\nhone bench load --clients 8 --duration 20s\n"
    "hone bench load --workers 10000 --duration 2m\n"
    "hone bench load --reports 1,8,64,512 --duration 5s\n"
    "hone bench driver quality problem=branin algo=tpe seeds=0-39 n=200 workers=8\n"
    "hone bench driver latency mode=multi d=10 ns=1000,10000 reps=15,9\n"
    "hone bench fill --sweeps 1 --trials 10000 --phases 100 --points 0 --folder data\n"
    "hone bench curves crossing --seed 1 --tables 3 --folder curves",
    declare_bench};

int main_of(const std::vector<std::string>& words) {
  if (words != std::vector<std::string>{"--version"})
    return run_command("hone-bench", bench_command, words);
  Terminal().print("hone-bench " HONE_VERSION "\n");
  return 0;
}

}  // namespace
}  // namespace hone::cli

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words{argv + 1, argv + argc};
    hone::hide_tokens(argc, argv);
    return hone::cli::main_of(words);
  } catch (const std::exception& failure) {
    hone::cli::Terminal().message(std::string("hone-bench: ") + failure.what());
    return 1;
  }
}
