// hone-server: opens the data folder, starts the parts of the server, and serves until a signal.
#include <malloc.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "base/process.hpp"
#include "db/file/database.hpp"
#include "db/file/high_water.hpp"
#include "db/ledger/chain.hpp"
#include "db/queries/queries.hpp"
#include "server/api/router.hpp"
#include "server/app/first_tokens.hpp"
#include "server/app/options.hpp"
#include "server/dashboard/pages.hpp"
#include "server/engine/book_snapshot.hpp"
#include "server/engine/clock.hpp"
#include "server/engine/clock_meter.hpp"
#include "server/engine/engine_thread.hpp"
#include "server/engine/epoch.hpp"
#include "server/engines/fleet_thread.hpp"
#include "server/follow/followers.hpp"
#include "server/follow/log_lines.hpp"
#include "server/http/server.hpp"
#include "server/limits.hpp"

namespace hone {
namespace {

constexpr int exit_failure = 1;
constexpr int exit_commit_failed = 70;  // EX_SOFTWARE: a restart replays the ledger

int fail(const std::string& sentence) {
  std::fprintf(stderr, "hone-server: %s\n", sentence.c_str());
  return exit_failure;
}

// Each connection and each open file takes a descriptor; the usual soft limit is 1024.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The next batch needs the memory that this one frees. Returning it to the kernel in between costs
// a page fault for each page.
void keep_freed_memory() {
  constexpr int bytes = 32 * 1024 * 1024;
  mallopt(M_TRIM_THRESHOLD, bytes);
  mallopt(M_TOP_PAD, 1024 * 1024);
}

// The hook for a failed commit: memory is ahead of the disk, so the process must not continue.
[[noreturn]] void end_at_once(const std::string& why) {
  spdlog::critical(
      "the ledger could not be written: {}. Ending now; nothing that was acknowledged "
      "is lost. Free space or repair the disk, then start the server again",
      why);
  spdlog::default_logger()->flush();  // it stays: other threads log until the very end
  _exit(exit_commit_failed);
}

Result<http::Address> address_of(const ServerOptions& options) {
  auto address = http::parse_address(options.listen);
  if (!address || options.insecure || http::is_loopback(*address) || options.tls.wanted())
    return address;
  return refuse(
      Code::invalid,
      "refusing to listen on " + options.listen +
          ": other machines could reach it, and the traffic could be read on the way. "
          "Use TLS: --tls-cert and --tls-key (docs/security.md has the command that makes "
          "them; requests then need tokens), or listen on 127.0.0.1 and use an SSH "
          "tunnel, or pass --insecure on a network that you trust");
}

// Tokens are required wherever other machines can reach the server.
bool requires_tokens(const ServerOptions& options, const http::Address& address) {
  return options.auth || (!options.insecure && !http::is_loopback(address));
}

Result<std::vector<std::unique_ptr<SQLite::Database>>> open_readers(const std::string& file) {
  std::vector<std::unique_ptr<SQLite::Database>> readers;
  for (std::size_t i = 0; i < limits::reader_threads; ++i) {
    auto reader = open_for_reading(file);
    if (!reader) return reader.error();
    readers.push_back(*std::move(reader));
  }
  return readers;
}

std::uint64_t random_number() { return std::stoull(random_hex(8), nullptr, 16); }

// The state of the last snapshot, so that only the events after it are replayed.
Restored restored(SnapshotFile& snapshot) {
  auto loaded = snapshot.load();
  if (loaded) {
    spdlog::info("continued from the snapshot after event {}", loaded->seq);
    return *std::move(loaded);
  }
  if (loaded.error().code != Code::not_found)
    spdlog::warn("replayed the whole ledger, since its snapshot cannot be used: {}",
                 loaded.error().detail);
  return {};
}

// What the server opens before it starts its engine.
struct Opened {
  DataFolder folder;
  HighWater mark;
  std::unique_ptr<http::Server> server;
  std::unique_ptr<SQLite::Database> writer;
  std::vector<std::unique_ptr<SQLite::Database>> readers;
  std::unique_ptr<Followers> followers;
};

Result<Opened> open_all(const ServerOptions& options, const http::Address& address) {
  auto folder = DataFolder::open(options.data);
  if (!folder) return folder.error();
  auto server = http::Server::listen(address, options.tls, options.bounds);
  if (!server) return server.error();
  auto mark = HighWater::open(folder->path());
  if (!mark) return mark.error();
  if (auto whole = mark->check(folder->database()); !whole) return whole.error();
  Upgrade upgrade;
  auto writer = open_for_writing(folder->database().string(), &upgrade);
  if (!writer) return writer.error();
  const auto checked = quick_check(**writer, limits::checked_bytes_max);
  if (!checked) return checked.error();
  if (!*checked)
    spdlog::info("the database is too large to be checked at the start: run `hone db check`");
  const std::int64_t unchecked =
      std::max<std::int64_t>(last_seq(**writer) - limits::checked_events_max, 0);
  if (const auto linked = check_chain(**writer, unchecked, [](std::int64_t) {}); !linked)
    return linked.error();
  if (auto ours = check_kept_head(**writer, folder->path()); !ours) return ours.error();
  if (upgrade.from != 0)
    spdlog::info("upgraded the data folder from schema {} to {}; the old file is kept as {}",
                 upgrade.from, upgrade.to, upgrade.backup);
  auto readers = open_readers(folder->database().string());
  if (!readers) return readers.error();
  auto followers = Followers::start(options.follow, *folder);
  if (!followers) return followers.error();
  return Opened{*std::move(folder), *std::move(mark),    *std::move(server),
                *std::move(writer), *std::move(readers), *std::move(followers)};
}

// Every part of the running server. Members are destroyed in reverse order: the engine first, the
// sockets and the lock of the data folder last.
class ServerProcess {
 public:
  // Replays the ledger and starts the engine.
  ServerProcess(const ServerOptions& options, Opened opened)
      : folder_(std::move(opened.folder)),
        mark_(std::move(opened.mark)),
        blobs_(folder_.blobs()),
        logs_(folder_.path() / "logs"),
        server_(std::move(opened.server)),
        writer_(std::move(opened.writer)),
        readers_(std::move(opened.readers)),
        followers_(std::move(opened.followers)),
        snapshot_(folder_.snapshot(), *writer_),
        pages_(options.dashboard_dir),
        keys_(read_keys(*writer_)),
        engine_(*writer_, hooks(),
                SlewedClock(SystemClock{}, MonotonicClock{}, last_instant(*writer_)),
                EngineOptions{.lease = seconds(options.lease_s),
                              .meter = &meter_,
                              .epoch = draw_epoch(SystemClock{}(), random_number())},
                restored(snapshot_)) {}

  ~ServerProcess() { fleets_.stop(); }  // it asks the engine, which is destroyed first
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Makes the first administrator's token and keeps the workers' token file.
  Status prepare_tokens(const ServerOptions& options);

  // Begins to serve fleets.
  Status start_fleets(const ServerOptions& options, bool with_tokens);

  // Serves until SIGTERM or SIGINT.
  void run(const ServerOptions& options, bool with_tokens);

 private:
  EngineThread::Hooks hooks() {
    return {.committed =
                [this](std::int64_t seq) {
                  mark_.advance(seq);
                  server_->announce(seq);
                  followers_->wake();
                  fleets_.wake();
                },
            .failed = [](const std::string& why) { end_at_once(why); },
            .settled = [this](const Book& book, std::int64_t seq, std::int64_t bytes,
                              bool last) { snapshot_.consider(book, seq, bytes, last); },
            .replied = [this] { server_->deliver(); }};
  }

  DataFolder folder_;
  HighWater mark_;
  api::BlobStore blobs_;
  api::LogStore logs_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<SQLite::Database> writer_;
  http::ReaderPool readers_;
  http::DiskPool disk_{limits::disk_threads};
  http::DiskPool parsers_{limits::parser_threads};
  std::unique_ptr<Followers> followers_;
  Counters counters_;
  ClockMeter meter_{counters_};
  SnapshotFile snapshot_;
  dashboard::Pages pages_;
  api::Keyring keys_;
  engines::FleetThread fleets_;
  EngineThread engine_;
};

Status ServerProcess::prepare_tokens(const ServerOptions& options) {
  const TokenFile admin{folder_.path() / "admin.token", "admin", Scope::admin};
  if (options.new_admin_token || !keys_.has_live(Scope::admin, SystemClock{}())) {
    if (auto made = make_token_file(engine_, keys_, admin); !made) return made;
    spdlog::info("an administrator's token was written to {}", admin.path);
  }
  if (options.worker_token_file.empty()) return Done{};
  return keep_token_file(engine_, keys_, {options.worker_token_file, "workers", Scope::worker});
}

Status ServerProcess::start_fleets(const ServerOptions& options, bool with_tokens) {
  engines::Site site{folder_.path() / "fleets", "hone-worker", server_->url(), {}};
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
                std::move(site));
  return Done{};
}

Duration from_seconds(double s) { return {static_cast<std::int64_t>(s * 1e6)}; }

void ServerProcess::run(const ServerOptions& options, bool with_tokens) {
  server_->catch_signals();
  std::printf("hone-server listening on %s\n", server_->url().c_str());
  std::fflush(stdout);
  spdlog::info("hone {} serves {} on {}", HONE_VERSION, folder_.database().string(),
               server_->url());
  server_->run({.engine = engine_,
                .readers = readers_,
                .disk = disk_,
                .parsers = parsers_,
                .blobs = blobs_,
                .counters = counters_,
                .drain_delay = from_seconds(options.drain_delay_s),
                .blob_grace = from_seconds(options.blob_grace_s),
                .dashboard = &pages_,
                .logs = &logs_,
                .keys = with_tokens ? &keys_ : nullptr});
  spdlog::info("shut down");
}

int serve(const ServerOptions& options, pid_t parent) {
  if (options.die_with_parent && !end_with_parent(parent, SIGTERM)) return exit_failure;
  start_logging(options.log_level, options.log_json ? LogFormat::json : LogFormat::text);
  umask(S_IRWXG | S_IRWXO);  // the ledger holds commands, hosts, patches and logs
  raise_descriptor_limit();
  keep_freed_memory();
  signal(SIGPIPE, SIG_IGN);
  const auto address = address_of(options);
  if (!address) return fail(address.error().detail);
  auto opened = open_all(options, *address);
  if (!opened) return fail(opened.error().detail);
  ServerProcess process(options, *std::move(opened));
  const bool with_tokens = requires_tokens(options, *address);
  if (with_tokens)
    if (auto prepared = process.prepare_tokens(options); !prepared)
      return fail(prepared.error().detail);
  if (auto started = process.start_fleets(options, with_tokens); !started)
    return fail(started.error().detail);
  process.run(options, with_tokens);
  return 0;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  const auto parent = getppid();
  const auto options = hone::parse_options(argc, argv);
  if (const auto* status = std::get_if<int>(&options)) return *status;
  const auto& chosen = std::get<hone::ServerOptions>(options);
  if (chosen.routes) {
    std::puts(hone::to_pretty_text(hone::api::describe_routes()).c_str());
    return 0;
  }
  try {
    return hone::serve(chosen, parent);
  } catch (const std::exception& trouble) {
    return hone::fail(std::string("cannot start: ") + trouble.what());
  }
}
