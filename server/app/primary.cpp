// The primary: owns the ledger, decides, and serves standbys.
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "base/hex.hpp"
#include "db/queries/queries.hpp"
#include "server/api/role.hpp"
#include "server/api/workers/fleet_troubles.hpp"
#include "server/api/workers/worker_contacts.hpp"
#include "server/app/first_tokens.hpp"
#include "server/app/served.hpp"
#include "server/engine/book_snapshot.hpp"
#include "server/engine/clock.hpp"
#include "server/engine/clock_meter.hpp"
#include "server/engine/engine_thread.hpp"
#include "server/engine/epoch.hpp"
#include "server/engine/metric_feed.hpp"
#include "server/engines/fleet_thread.hpp"
#include "server/follow/peers.hpp"
#include "server/limits.hpp"
#include "server/standby/standbys.hpp"

namespace hone {
namespace {

std::uint64_t random_number() { return std::stoull(random_hex(8), nullptr, 16); }

// Reads the last snapshot, so that only the events after it are replayed.
SnapshotFile* read(SnapshotFile& snapshot) {
  const auto seq = snapshot.read();
  if (seq)
    spdlog::info("continued from the snapshot after event {}", *seq);
  else if (seq.error().code != Code::not_found)
    spdlog::warn("replayed the whole ledger, since its snapshot cannot be used: {}",
                 seq.error().detail);
  return &snapshot;
}

// A promoted server has lost its peer, which comes back.
bool expects_standby(const ServerOptions& options, const standby::State& state) {
  return options.sync_replica || !state.standbys.empty() || !state.promoted_from.empty();
}

constexpr int exit_replaced = 75;  // EX_TEMPFAIL: a start then refuses, and names the new primary

[[noreturn]] void end_replaced(const std::string& sentence) {
  spdlog::critical("{}", sentence);
  spdlog::default_logger()->flush();
  _exit(exit_replaced);
}

// Every part of the running server. Members are destroyed in reverse order: the engine first.
class ServerProcess {
 public:
  // Replays the ledger and starts the engine.
  ServerProcess(const ServerOptions& options, Opened opened)
      : served_(options, opened),
        snapshot_(served_.folder.snapshot(), *served_.writer),
        feed_(random_hex(8), limits::feed_points_max, expects_standby(options, opened.state)),
        role_(text(opened.state.term)),
        standbys_(served_.folder.path(), std::move(opened.state), options.sync_replica,
                  end_replaced),
        engine_(*served_.writer, hooks(),
                SlewedClock(SystemClock{}, MonotonicClock{}, last_instant(*served_.writer)),
                EngineOptions{.lease = seconds(options.lease_s),
                              .meter = &meter_,
                              .feed = &feed_,
                              .epoch = draw_epoch(SystemClock{}(), random_number()),
                              .fault = [](const std::string& why) { spdlog::error("{}", why); }},
                read(snapshot_)) {}

  ~ServerProcess() {
    fleets_.stop();  // it asks the engine, which is destroyed first
    watch_.stop();
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Makes the first administrator's token and keeps the workers' token file.
  Status prepare_tokens(const ServerOptions& options);

  // Begins to serve fleets.
  Status start_fleets(const ServerOptions& options, bool with_tokens);

  // Asks the standbys once in a while whether one of them was promoted.
  void watch_standbys(const PeerOptions& peers);

  // Serves until SIGTERM or SIGINT.
  void run(const ServerOptions& options, bool with_tokens);

 private:
  EngineThread::Hooks hooks() {
    return {.committed =
                [this](std::int64_t seq) {
                  served_.show_events(seq);
                  fleets_.wake();
                },
            .failed = end_at_once,
            .replied = [this] { served_.server->deliver(feed_.end()); }};
  }

  Served served_;
  ClockMeter meter_{served_.counters};
  SnapshotFile snapshot_;
  MetricFeed feed_;
  api::Role role_;
  standby::Standbys standbys_;
  SuccessorWatch watch_;
  api::FleetTroubles troubles_;
  engines::FleetThread fleets_;
  EngineThread engine_;
};

Status ServerProcess::prepare_tokens(const ServerOptions& options) {
  const TokenFile admin{served_.folder.path() / "admin.token", "admin", Scope::admin};
  if (options.new_admin_token || !served_.keys.has_live(Scope::admin, served_.clock())) {
    if (auto made = make_token_file(engine_, served_.keys, admin); !made) return made;
    spdlog::info("an administrator's token was written to {}", admin.path);
  }
  if (options.worker_token_file.empty()) return Done{};
  return keep_token_file(engine_, served_.keys,
                         {options.worker_token_file, "workers", Scope::worker}, served_.clock());
}

Status ServerProcess::start_fleets(const ServerOptions& options, bool with_tokens) {
  engines::Site site{served_.folder.path() / "fleets", "hone-worker", served_.server->url(), {}};
  std::error_code trouble;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", trouble).parent_path();
  if (!trouble) site.program = here / "hone-worker";
  for (const char* name : {"logs", "data", "scripts"}) {
    std::filesystem::create_directories(site.folder / name, trouble);
    if (trouble) return refuse(Code::invalid, "cannot make the folder " + site.folder.string());
  }
  if (with_tokens && !options.worker_token_file.empty())
    site.token_file = std::filesystem::absolute(options.worker_token_file);
  fleets_.start([this](Command command) { return ask(engine_, std::move(command)); },
                [this](FleetId fleet, const std::string& why) {
                  troubles_.report(fleet, why, SystemClock{}());
                },
                std::move(site));
  return Done{};
}

// A standby that follows this server was not promoted.
void ServerProcess::watch_standbys(const PeerOptions& peers) {
  watch_.start([this, peers] {
    if (role_.standbys() > 0) return;
    for (const standby::Known& one : standbys_.list())
      if (const auto term = term_at(one.url, peers)) standbys_.consider(*term, one.url);
  });
}

void ServerProcess::run(const ServerOptions& options, bool with_tokens) {
  auto& server = *served_.server;
  server.catch_signals();
  watch_standbys(options.peers);
  served_.print_address();
  spdlog::info("hone {} serves {} on {}", HONE_VERSION, served_.folder.database().string(),
               server.url());
  auto parts = served_.parts(options, role_, with_tokens);
  parts.engine = &engine_;
  parts.drain_delay = from_seconds(options.drain_delay_s);
  parts.standbys = &standbys_;
  parts.feed = &feed_;
  parts.troubles = &troubles_;
  api::WorkerContacts contacts(served_.clock(), seconds(options.lease_s));
  parts.contacts = &contacts;
  parts.confirm_wait = from_seconds(options.sync_wait_s);
  server.run(parts);
  spdlog::info("shut down");
}

}  // namespace

int serve_as_primary(const ServerOptions& options, bool with_tokens, Opened opened) {
  ServerProcess process(options, std::move(opened));
  if (with_tokens)
    if (auto prepared = process.prepare_tokens(options); !prepared)
      return fail(prepared.error().detail);
  if (auto started = process.start_fleets(options, with_tokens); !started)
    return fail(started.error().detail);
  process.run(options, with_tokens);
  return 0;
}

}  // namespace hone
