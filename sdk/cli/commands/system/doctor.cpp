// doctor: checks everything that hone needs. Each check prints one line, with what to do about it.
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/expect.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/passing.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/system/doctor_fix.hpp"
#include "sdk/cli/commands/system/doctor_install.hpp"
#include "sdk/cli/local/data_folder.hpp"
#include "sdk/cli/local/disk_probe.hpp"
#include "sdk/cli/local/passing_remarks.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/shortage.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t disk_bytes_low = 1ULL << 30U;  // checkpoints of a sweep soon fill less

Ink ink_of(Health health) {
  switch (health) {
    case Health::ok:
      return Ink::good;
    case Health::warn:
      return Ink::warn;
    case Health::fail:
      return Ink::bad;
  }
  unreachable();
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Finding check_program(const std::string& name, Health if_absent, const std::string& without_it) {
  const auto path = find_program(name);
  if (!path) return {if_absent, name, without_it};
  const auto version = output_of({*path, "--version"});
  if (!version) return {if_absent, name, *path + " does not run (try: " + *path + " --version)"};
  return {Health::ok, name, first_line(*version) + "  " + *path};
}

// The compute backends of the built-in trainers, as hone-train lists them.
Finding check_backends() {
  const auto program = find_program("hone-train");
  const auto listed_backends = program ? output_of({*program, "--backends"}) : std::nullopt;
  if (!listed_backends) return {Health::warn, "backends", "unknown: hone-train --backends failed"};
  std::string listed;
  for (const char letter : listed_backends->substr(0, listed_backends->find_last_not_of('\n') + 1))
    listed += letter == '\t' ? " " : letter == '\n' ? "; " : std::string(1, letter);
  return {Health::ok, "backends", listed};
}

Finding check_cores() {
  const unsigned cores = std::thread::hardware_concurrency();
  return {Health::ok, "cores",
          std::to_string(cores) + (cores == 1 ? " core" : " cores") +
              ": hone up runs as many runs in parallel"};
}

// The nearest folder that exists: the first hone up creates the data folder.
fs::path existing(fs::path folder) {
  std::error_code ignored;
  while (!folder.empty() && !fs::exists(folder, ignored) && folder != folder.parent_path())
    folder = folder.parent_path();
  return folder;
}

Finding check_data_folder(const fs::path& data) {
  std::error_code trouble;
  const fs::path there = existing(data);
  if (!fs::is_directory(there, trouble))
    return {Health::fail, "data folder",
            there.string() + " is not a folder; choose one with --data or HONE_DATA"};
  if (access(there.c_str(), W_OK | X_OK) != 0)
    return {Health::fail, "data folder",
            there.string() + " is not writable; choose another with --data or HONE_DATA"};
  return {Health::ok, "data folder",
          data.string() + (there == data ? ""
                                         : " does not exist: hone up creates it; a server with "
                                           "another --data has its own")};
}

Finding check_disk(const fs::path& data) {
  std::error_code trouble;
  const auto space = fs::space(existing(data), trouble);
  if (trouble) return {Health::warn, "disk", "cannot read the free space: " + trouble.message()};
  const std::string free = bytes_text(static_cast<std::int64_t>(space.available)) + " free";
  if (space.available >= disk_bytes_low) return {Health::ok, "disk", free};
  return {Health::warn, "disk",
          free + ": too little for checkpoints; free some, or choose another --data"};
}

// Every acknowledged request waits for one sync of the disk.
Finding check_sync(const fs::path& data) {
  constexpr std::chrono::milliseconds probing(300);
  constexpr double slow_ms = 20;
  const std::string folder = existing(data).string();
  auto probe = load::DiskProbe::in(folder);
  if (!probe) return {Health::warn, "disk sync", probe.error().detail};
  if (auto synced = probe->sync_for(probing); !synced)
    return {Health::fail, "disk sync", synced.error().detail};
  const auto& times = probe->times();
  const std::string file_system = load::file_system_of(folder);
  const std::string line = number_text(times.quantile_ms(0.5)) + " ms, 99 % within " +
                           number_text(times.quantile_ms(0.99)) + " ms, on " + file_system;
  if (file_system == "tmpfs")
    return {Health::warn, "disk sync",
            line + ": this folder is lost when the machine restarts; choose another --data"};
  if (file_system == "nfs")
    return {Health::warn, "disk sync",
            line + ": SQLite cannot trust the locks of a network disk; choose a local --data"};
  if (times.quantile_ms(0.5) > slow_ms)
    return {Health::warn, "disk sync",
            line + ": every report waits that long; choose a faster disk with --data"};
  return {Health::ok, "disk sync", line};
}

// The server raises the soft limit to the hard one by itself.
Finding check_descriptors() {
  constexpr rlim_t enough = 16'500;  // the server's connections, and its files
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return {Health::warn, "open files", "cannot read the limit"};
  if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= enough)
    return {
        Health::ok, "open files",
        limit.rlim_max == RLIM_INFINITY ? "no limit" : "at most " + std::to_string(limit.rlim_max)};
  return {Health::warn, "open files",
          "at most " + std::to_string(limit.rlim_max) +
              ", and each worker needs one: for more workers, raise LimitNOFILE of the service, or "
              "nofile in /etc/security/limits.conf"};
}

// Leases and time limits are instants: a clock that is years off breaks them.
Finding check_clock() {
  constexpr std::int64_t hone_began_us = 1'760'000'000'000'000;  // October 2025
  const Instant time = now();
  const std::string text = clock_text(time) + " UTC";
  if (time.us < hone_began_us)
    return {Health::fail, "clock", text + " is in the past: set it, or start chrony or ntpd"};
  timex state{};
  const int synchronized = adjtimex(&state);
  if (synchronized == TIME_ERROR)
    return {Health::ok, "clock",
            text + ", not synchronized (hone bridges clock steps; start chrony for correct dates)"};
  return {Health::ok, "clock", text + ", synchronized"};
}

Finding check_gpus() {
  const auto listed = output_of(
      {"nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"});
  if (!listed || listed->empty())
    return {Health::ok, "GPUs", "none found (nvidia-smi fails): runs use the cores"};
  const auto count = std::count(listed->begin(), listed->end(), '\n');
  return {Health::ok, "GPUs", std::to_string(count) + ": " + first_line(*listed)};
}

bool can_listen_on(const Endpoint& endpoint) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  const int yes = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.port)));
  const bool free =
      bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(descriptor);
  return free;
}

bool is_local(const Endpoint& endpoint) {
  return endpoint.host == "127.0.0.1" || endpoint.host == "localhost";
}

Finding without_server(const CommonOptions& options, const Error& error) {
  const auto endpoint = parse_endpoint(options.server);
  if (!endpoint) return {Health::fail, "server", endpoint.error().detail};
  if (error.code != Code::unavailable) return {Health::fail, "server", error.detail};
  if (!is_local(*endpoint)) return {Health::fail, "server", error.detail};
  if (can_listen_on(*endpoint))
    return {Health::warn, "server",
            "none at " + options.server + "; port " + endpoint->port +
                " is free: start one with hone up"};
  return {Health::fail, "server",
          "port " + endpoint->port +
              " is used by another program; choose another with hone up --listen 127.0.0.1:PORT"};
}

Finding check_server(Session& session) {
  const auto version = session.get("/v1/version");
  if (!version) return without_server(session.options(), version.error());
  const std::string theirs = text_at(*version, "/version");
  const std::string line = session.options().server + "  hone " + theirs;
  if (theirs == HONE_VERSION) return {Health::ok, "server", line};
  return {Health::warn, "server",
          line + ", but this hone is " HONE_VERSION ": hone doctor --versions lists all"};
}

// The standbys of the server, or what this standby lacks.
std::vector<Finding> check_standby(Session& session) {
  const auto health = session.get("/healthz");
  if (!health) return {};
  if (text_at(*health, "/role") == "follower") {
    const std::string trouble = text_at(*health, "/trouble");
    const std::string line = "of " + text_at(*health, "/follows") + ", " +
                             std::to_string(int_at(*health, "/lag_events")) + " events behind";
    return {{trouble.empty() ? Health::ok : Health::fail, "standby",
             trouble.empty() ? line : line + ": " + trouble}};
  }
  const auto standbys = int_at(*health, "/standbys");
  if (standbys == 0) return {};
  const auto behind = int_at(*health, "/seq") - int_at(*health, "/confirmed");
  return {{Health::ok, "standbys",
           std::to_string(standbys) + " connected, " +
               std::to_string(std::max<std::int64_t>(behind, 0)) + " events not confirmed"}};
}

Finding without_workers(Session& session) {
  const auto fleets = session.list("/v1/fleets");
  const auto promise = fleets ? promise_of(*fleets) : FleetPromise{};
  const std::string start = "start one with hone worker --server " + session.options().server;
  if (promise.text.empty()) return {Health::warn, "workers", "none connected: " + start};
  return {promise.starts ? Health::ok : Health::warn, "workers", "none connected; " + promise.text};
}

std::vector<Finding> check_workers(Session& session) {
  auto workers = session.list("/v1/workers");
  if (!workers) return {};
  std::erase_if(*workers, [at = now()](const Json& one) { return !is_connected(one, at); });
  std::int64_t slots = 0;
  for (const auto& worker : *workers) slots += int_at(worker, "/cpus");
  if (workers->empty()) return {without_workers(session)};
  const auto others = std::count_if(workers->begin(), workers->end(), [](const Json& worker) {
    const std::string version = text_at(worker, "/hone_version");
    return !version.empty() && version != HONE_VERSION;
  });
  const std::string line =
      std::to_string(workers->size()) + " connected, with " + std::to_string(slots) + " slots";
  if (others == 0) return {{Health::ok, "workers", line}};
  return {{Health::warn, "workers",
           line + "; " + std::to_string(others) +
               " of another version than this hone (" HONE_VERSION "): hone doctor --versions"}};
}

// Attempts of the last week that executed other code than was submitted, or may have.
std::vector<Finding> check_code(Session& session) {
  const auto found = session.get("/v1/find?limit=100&where=" +
                                 escape_path("attempt where changed and granted > -7d"));
  if (!found) return {};
  const Json& items = member(*found, "/items");
  if (items.empty()) return {};
  const std::string more = text_at(*found, "/next").empty() ? "" : "more than ";
  return {{Health::warn, "code",
           more + std::to_string(items.size()) +
               " attempts of the last week executed other code than was submitted, or it changed"
               " meanwhile; the newest " +
               text_at(items.front(), "/id") + " (" + text_at(items.front(), "/code_differs_in") +
               "): hone find 'attempt where changed'"}};
}

// Unended sweeps that search parameters which their program may never get.
std::vector<Finding> check_passing(Session& session) {
  const auto sweeps = session.get("/v1/sweeps?limit=20");
  std::vector<Finding> findings;
  for (const Json& item : member(sweeps ? *sweeps : Json(), "/items")) {
    const std::string id = text_at(item, "/id");
    if (!text_at(item, "/ended_at").empty()) continue;
    const auto sweep = session.get("/v1/sweeps/" + id);
    const auto spec = sweep ? decode_request<SweepSpec>(member(*sweep, "/spec"))
                            : Result<SweepSpec>(sweep.error());
    const auto unread = spec ? unread_parameters(*spec) : std::vector<std::string>{};
    if (!unread.empty())
      findings.push_back(
          {Health::warn, "parameters",
           id + ": " + not_passed(unread) + "; the program must read HONE_PARAMS_FILE"});
  }
  return findings;
}

std::vector<Finding> examine(Session& session, const fs::path& data) {
  std::vector<Finding> findings = {
      {Health::ok, "hone", HONE_VERSION},
      check_program(
          "hone-server", Health::fail,
          "missing: neither in the folder of hone nor on PATH; build it or install hone again"),
      check_program(
          "hone-worker", Health::fail,
          "missing: neither in the folder of hone nor on PATH; build it or install hone again"),
      check_program(
          "hone-train", Health::warn,
          "missing: neither in the folder of hone nor on PATH; only your own commands can run"),
      check_backends(),
      check_cores(),
      check_gpus(),
      check_clock(),
      check_descriptors(),
      check_data_folder(data),
      check_disk(data),
      check_sync(data),
      check_server(session)};
  const bool served = findings.back().health == Health::ok;
  std::ranges::move(check_own_folder(data), std::back_inserter(findings));
  if (!served) return findings;
  std::ranges::move(check_standby(session), std::back_inserter(findings));
  for (auto& finding : check_workers(session)) findings.push_back(std::move(finding));
  std::ranges::move(check_quarantine(session), std::back_inserter(findings));
  std::ranges::move(check_passing(session), std::back_inserter(findings));
  for (auto& finding : check_code(session)) findings.push_back(std::move(finding));
  return findings;
}

struct DoctorOptions {
  std::string data = default_data_folder();
  std::string install;
  bool fix = false;
  bool yes = false;
};

void print_lines(Session& session, const std::vector<Finding>& findings) {
  for (const auto& finding : findings) {
    std::string health(status_text(finding.health));
    health.resize(6, ' ');
    std::string what = finding.what;
    what.resize(13, ' ');
    const Screen& screen = session.screen();
    const std::string indent(health.size() + what.size(), ' ');
    const std::string detail =
        screen.is_terminal ? wrapped(finding.detail, screen.columns, indent).substr(indent.size())
                           : finding.detail;
    session.print(paint(screen, ink_of(finding.health), health) + what + detail + "\n");
  }
}

Result<Exit> check_installation(Session& session, const DoctorOptions& options) {
  auto findings = examine(session, fs::absolute(options.data));
  if (options.fix || options.yes)
    if (auto fixed = apply_fixes(session, findings, !options.yes); !fixed) return fixed.error();
  const bool sound = std::none_of(findings.begin(), findings.end(),
                                  [](const Finding& f) { return f.health == Health::fail; });
  const Exit exit = sound ? Exit::ok : Exit::general;
  if (session.options().format == Format::table) {
    print_lines(session, findings);
    return exit;
  }
  std::vector<Json> items;
  for (const auto& finding : findings)
    items.push_back({{"health", status_text(finding.health)},
                     {"what", finding.what},
                     {"detail", finding.detail}});
  const Fields fields = {{"health", "/health"}, {"what", "/what"}, {"detail", "/detail"}};
  if (const auto printed = print_list(session, fields, items, ""); !printed) return printed.error();
  return exit;
}

Result<Exit> doctor(Session& session, const DoctorOptions& options) {
  return options.install.empty() ? check_installation(session, options)
                                 : install_packages(session, options.install);
}

}  // namespace

CommandAction declare_doctor(Flags& flags) {
  return with_options(doctor, [&](DoctorOptions& options) {
    flags.text("--data DIR", options.data, "the data folder to check (HONE_DATA, or ~/.hone)");
    flags.flag("--fix", options.fix,
               "fix what hone can, after a question for each: access to the data folder, its "
               "schema, quarantined workers");
    flags.flag("--yes", options.yes, "fix without questions");
    flags.text("--install WHAT", options.install,
               "install gymnasium or atari for hone-train --env gym:... and atari:...");
  });
}

}  // namespace hone::cli
