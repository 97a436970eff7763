#include "bench/load/load.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "bench/load/clients.hpp"
#include "bench/load/herd.hpp"
#include "bench/load/target.hpp"
#include "sdk/cli/local/disk_probe.hpp"

namespace hone::load {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds warm_up(1000);     // not counted: caches, first pages of the ledger
constexpr milliseconds probe_time(1000);  // of the idle disk
constexpr milliseconds probe_every(50);   // under load: one sync among thousands
constexpr milliseconds patience(30'000);  // for clients to connect, and to end
constexpr milliseconds progress_every(500);

double seconds_of(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

// The first four parameters of the space in the storage benchmarks of other optimizers.
Json parameters() {
  return {{"lr", {{"type", "float"}, {"min", 1e-5}, {"max", 1.0}, {"scale", "log"}}},
          {"layers", {{"type", "int"}, {"min", 1}, {"max", 64}}},
          {"kind", {{"type", "choice"}, {"values", {"a", "b", "c", "d"}}}},
          {"x", {{"type", "float"}, {"min", -1.0}, {"max", 1.0}}}};
}

Json sweep_of(const Json& trainer, int phases) {
  return {{"name", "load"},
          {"seed", 17},
          {"objective", {{"metric", "value"}, {"goal", "minimize"}}},
          {trainer.is_array() ? "command" : "trainer", trainer},
          {"parameters", parameters()},
          {"search", {{"method", "random"}, {"trials", 1'000'000}}},
          {"terminator", {{"rule", "none"}}},
          {"budget", {{"unit", "steps"}, {"per_run", phases}, {"phases", phases}}}};
}

Result<std::string> submit(const Target& target, const Json& spec) {
  const Json body = {
      {"request_id", "load-" + std::to_string(Clock::now().time_since_epoch().count())},
      {"spec", spec},
      {"workflow",
       {{"command", {"hone", "bench", "load"}},
        {"cwd", ""},
        {"host", ""},
        {"user", ""},
        {"git_commit", ""},
        {"git_branch", ""},
        {"patch_sha256", ""},
        {"hone_version", HONE_VERSION}}}};
  const auto reply = target.post("/v1/sweeps", body);
  if (!reply) return reply.error();
  return reply->value("sweep", "");
}

double at(const Samples& samples, const std::string& series) {
  const auto found = samples.find(series);
  return found == samples.end() ? 0 : found->second;
}

Json times_json(const Histogram& times) {
  return {{"count", times.count()},
          {"p50_ms", times.quantile_ms(0.5)},
          {"p99_ms", times.quantile_ms(0.99)},
          {"max_ms", times.max_ms()}};
}

Json operations_json(const SharedTallies& tallies) {
  Json json = Json::object();
  for (std::size_t i = 0; i < operation_names.size(); ++i)
    if (const auto times = tallies.times(static_cast<Operation>(i)); times.count() > 0)
      json[operation_names[i]] = times_json(times);
  return json;
}

// The counters of the clients and of the server at one time.
struct Mark {
  Clock::time_point at;
  std::uint64_t operations = 0;
  std::uint64_t trials = 0;
  Samples server;
};

// One measurement against one target.
class Measurement {
 public:
  Measurement(const LoadOptions& options, const ShowProgress& show_progress, const Target& target)
      : options_(options), show_progress_(show_progress), target_(target) {}

  Result<Json> run(std::size_t clients, const Herd::Client& client, milliseconds before);

 private:
  Status probe_idle();
  Status wait_until_ready(Herd& herd, std::size_t clients);
  Status watch(Herd& herd, milliseconds time, const char* what);
  Result<Mark> mark(const Herd& herd) const;
  Json report(const Herd& herd, const Mark& from, const Mark& to) const;
  Json server_json(const Mark& from, const Mark& to) const;
  Json disk_json() const;

  const LoadOptions& options_;
  const ShowProgress& show_progress_;
  const Target& target_;
  std::optional<DiskProbe> idle_, loaded_;
};

Status Measurement::probe_idle() {
  if (target_.folder().empty()) return Done{};
  auto idle = DiskProbe::in(target_.folder());
  if (!idle) return idle.error();
  idle_.emplace(*std::move(idle));
  return idle_->sync_for(probe_time);
}

Status Measurement::wait_until_ready(Herd& herd, std::size_t clients) {
  const auto end = Clock::now() + patience;
  while (herd.tallies().sum(&Tally::ready) < clients) {
    if (herd.any_ended() || Clock::now() > end)
      return refuse(Code::unavailable,
                    "the clients could not connect: " + std::string(herd.tallies().first_error()));
    std::this_thread::sleep_for(milliseconds(2));
  }
  return Done{};
}

// Lets the clients work, with a sync of the disk now and then.
Status Measurement::watch(Herd& herd, milliseconds time, const char* what) {
  const auto begin = Clock::now();
  auto next_word = begin + progress_every;
  auto operations = herd.tallies().sum(&Tally::operations);
  while (Clock::now() < begin + time && !herd.any_ended()) {
    std::this_thread::sleep_for(probe_every);
    if (loaded_)
      if (auto synced = loaded_->sync(); !synced) return synced;
    const auto now = Clock::now();
    if (now < next_word) continue;
    const auto count = herd.tallies().sum(&Tally::operations);
    const double rate =
        static_cast<double>(count - operations) / seconds_of(now - next_word + progress_every);
    const double left = seconds_of(begin + time - now);
    show_progress_(std::string(what) + "  " + std::to_string(static_cast<long>(rate)) +
                   " operations/s  " + std::to_string(herd.tallies().sum(&Tally::errors)) +
                   " errors  ETA " + std::to_string(static_cast<long>(left + 0.5)) + "s");
    operations = count;
    next_word = now + progress_every;
  }
  return Done{};
}

Result<Mark> Measurement::mark(const Herd& herd) const {
  auto samples = target_.samples();
  if (!samples) return samples.error();
  return Mark{Clock::now(), herd.tallies().sum(&Tally::operations),
              herd.tallies().sum(&Tally::trials), *std::move(samples)};
}

Result<Json> Measurement::run(std::size_t clients, const Herd::Client& client,
                              milliseconds before) {
  if (auto probed = probe_idle(); !probed) return probed.error();
  auto herd = Herd::start(clients, client);
  if (!herd) return herd.error();
  if (options_.workers == 0)
    if (auto ready = wait_until_ready(*herd, clients); !ready) return ready.error();
  herd->signal().go = true;
  if (auto warm = watch(*herd, before, options_.workers > 0 ? "ramp-up" : "warm-up"); !warm)
    return warm.error();
  if (!target_.folder().empty()) {
    auto loaded = DiskProbe::in(target_.folder());
    if (!loaded) return loaded.error();
    loaded_.emplace(*std::move(loaded));
  }
  const auto from = mark(*herd);
  if (!from) return from.error();
  if (auto watched = watch(*herd, options_.duration, "load"); !watched) return watched.error();
  const auto to = mark(*herd);
  if (!to) return to.error();
  herd->signal().stop = true;
  if (!herd->ended_within(patience))
    return refuse(Code::timed_out, "the clients did not end: the server no longer responds");
  return report(*herd, *from, *to);
}

Json Measurement::disk_json() const {
  Json json = {{"file_system", file_system_of(target_.folder())}};
  const auto& idle = idle_->times();
  json["fsyncs_per_s"] = static_cast<double>(idle.count()) / seconds_of(probe_time);
  json["idle"] = times_json(idle);
  if (loaded_) json["under_load"] = times_json(loaded_->times());
  return json;
}

Json Measurement::server_json(const Mark& from, const Mark& to) const {
  const double time = seconds_of(to.at - from.at);
  const auto grown = [&](const char* series) {
    return at(to.server, series) - at(from.server, series);
  };
  Json json = {{"cpu_cores", grown("process_cpu_seconds_total") / time},
               {"rss_bytes", at(to.server, "process_resident_memory_bytes")},
               {"events_per_s", grown("hone_events_total") / time}};
  if (const double commits = grown("hone_db_commit_seconds_count"); commits > 0) {
    json["commits_per_s"] = commits / time;
    json["commands_per_commit"] = grown("hone_commands_total") / commits;
    json["commit_mean_ms"] = 1e3 * grown("hone_db_commit_seconds_sum") / commits;
  }
  Json parts = Json::object();
  for (const auto& [series, value] : to.server) {
    constexpr std::string_view family = "hone_busy_seconds_total{part=\"";
    if (!series.starts_with(family)) continue;
    const auto part = series.substr(family.size(), series.size() - family.size() - 2);
    parts[part] = grown(series.c_str()) / time;
  }
  if (!parts.empty()) json["busy_cores"] = parts;
  return json;
}

Json Measurement::report(const Herd& herd, const Mark& from, const Mark& to) const {
  const double time = seconds_of(to.at - from.at);
  Json json = {{"clients", herd.tallies().size()}, {"seconds", time}};
  if (options_.workers > 0) {
    json["workers"] = options_.workers;
    json["leases"] = herd.tallies().sum(&Tally::ready);
  } else {
    json["connections"] = herd.tallies().sum(&Tally::ready);
    json["trials_per_s"] = static_cast<double>(to.trials - from.trials) / time;
  }
  json["operations_per_s"] = static_cast<double>(to.operations - from.operations) / time;
  json["errors"] = herd.tallies().sum(&Tally::errors);
  if (const auto error = herd.tallies().first_error(); !error.empty())
    json["first_error"] = std::string(error);
  json["operations"] = operations_json(herd.tallies());
  if (idle_) json["disk"] = disk_json();
  json["server"] = server_json(from, to);
  json["clients_cpu_cores"] = herd.cpu_s() / time;
  return json;
}

Result<Target> target_of(const LoadOptions& options) {
  if (!options.server.empty()) return Target::running(options.server);
  std::vector<std::string> arguments;
  if (options.workers > 0) {
    // A lease lasts five beats, as the server requires of its workers.
    const auto lease_s = std::max<long>(15, options.period.count() * 5 / 1000);
    arguments = {"--lease", std::to_string(lease_s)};
  }
  return Target::start(options.folder, arguments);
}

Result<Json> measure_asking(const LoadOptions& options, const ShowProgress& show_progress,
                            int reports, int clients, int connections) {
  const auto target = target_of(options);
  if (!target) return target.error();
  const auto sweep = submit(*target, sweep_of({{"name", "ask"}}, reports + 1));
  if (!sweep) return sweep.error();
  // As even as possible: 10 connections of 4 clients are 3, 3, 2, 2.
  const auto client = [&](std::size_t number, const Signal& signal, Tally& tally) {
    const int own = connections / clients + (static_cast<int>(number) < connections % clients);
    run_askers({target->endpoint(), *sweep, "client-" + std::to_string(number), own, reports},
               signal, tally);
  };
  return Measurement(options, show_progress, *target)
      .run(static_cast<std::size_t>(clients), client, warm_up);
}

Result<Json> measure_workers(const LoadOptions& options, const ShowProgress& show_progress) {
  const auto target = target_of(options);
  if (!target) return target.error();
  constexpr int phases_max = 10'000;  // of a run: more than any measurement takes
  const auto sweep = submit(*target, sweep_of(Json::array({"true"}), phases_max));
  if (!sweep) return sweep.error();
  const auto client = [&](std::size_t number, const Signal& signal, Tally& tally) {
    const int own = options.workers / options.clients +
                    (static_cast<int>(number) < options.workers % options.clients ? 1 : 0);
    run_workers(
        {target->endpoint(), "load-" + std::to_string(number), own, options.ramp, options.period},
        signal, tally);
  };
  return Measurement(options, show_progress, *target)
      .run(static_cast<std::size_t>(options.clients), client, options.ramp + options.period);
}

Result<Json> measure_reports(const LoadOptions& options, const ShowProgress& show_progress) {
  constexpr int reports_of_a_trial = 9'999;
  Json rows = Json::array();
  for (const int connections : options.report_connections) {
    show_progress(std::to_string(connections) + " connections");
    auto row = measure_asking(options, show_progress, reports_of_a_trial,
                              std::min(options.clients, connections), connections);
    if (!row) return row;
    row->erase("trials_per_s");
    rows.push_back(*std::move(row));
  }
  return Json{{"reports", std::move(rows)}};
}

}  // namespace

Result<Json> measure(const LoadOptions& options, const ShowProgress& show_progress) {
  if (!options.report_connections.empty()) return measure_reports(options, show_progress);
  if (options.workers > 0) return measure_workers(options, show_progress);
  constexpr int reports_of_a_trial = 5;
  return measure_asking(options, show_progress, reports_of_a_trial, options.clients,
                        options.clients * options.connections);
}

bool is_sound(const Json& result) {
  if (!result.contains("reports")) return result.at("errors") == 0;
  const Json& rows = result.at("reports");
  return std::all_of(rows.begin(), rows.end(), is_sound);
}

}  // namespace hone::load
