// hone-server: builds the rooms, joins them, and takes them down in order.
#include <malloc.h>
#include <signal.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "db/file/database.hpp"
#include "db/queries/queries.hpp"
#include "server/api/router.hpp"
#include "server/app/first_tokens.hpp"
#include "server/app/options.hpp"
#include "server/engine/book_snapshot.hpp"
#include "server/engine/clock.hpp"
#include "server/engine/clock_meter.hpp"
#include "server/engine/engine_thread.hpp"
#include "server/follow/followers.hpp"
#include "server/follow/log_lines.hpp"
#include "server/http/server.hpp"
#include "server/limits.hpp"

namespace hone {
namespace {

constexpr int exit_failure = 1;
constexpr int exit_commit_failed = 70;  // EX_SOFTWARE: start again, and the ledger is replayed

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

// A batch frees what the next one needs again: giving it back to the kernel in between costs a
// page fault for each page.
void keep_freed_memory() {
  constexpr int bytes = 32 * 1024 * 1024;
  mallopt(M_TRIM_THRESHOLD, bytes);
  mallopt(M_TOP_PAD, 1024 * 1024);
}

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
          ": other machines could reach it, and what they say could be read on the way. "
          "Speak TLS: --tls-cert and --tls-key (docs/security.md has the command that makes "
          "them; tokens are then asked for), or listen on 127.0.0.1 and use an SSH "
          "tunnel, or say --insecure on a network that you trust");
}

// Whoever can reach this machine could speak to it otherwise.
bool asks_for_tokens(const ServerOptions& options, const http::Address& address) {
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

// What the boot need not replay.
Restored restored(SnapshotFile& snapshot) {
  auto loaded = snapshot.load();
  if (loaded) {
    spdlog::info("went on from the snapshot after event {}", loaded->seq);
    return *std::move(loaded);
  }
  if (loaded.error().code != Code::not_found)
    spdlog::warn("replayed the whole ledger; its snapshot is of no use: {}", loaded.error().detail);
  return {};
}

// Members are taken down in reverse order: the engine first, the sockets and the lock last.
class House {
 public:
  static Result<std::unique_ptr<House>> open(const ServerOptions& options);
  void run();

 private:
  Status prepare_tokens(const ServerOptions& options);

  House(const ServerOptions& options, DataFolder folder, std::unique_ptr<http::Server> server,
        std::unique_ptr<SQLite::Database> writer,
        std::vector<std::unique_ptr<SQLite::Database>> readers,
        std::unique_ptr<Followers> followers)
      : folder_(std::move(folder)),
        blobs_(folder_.blobs()),
        blob_grace_{static_cast<std::int64_t>(options.blob_grace_s * 1e6)},
        drain_delay_{static_cast<std::int64_t>(options.drain_delay_s * 1e6)},
        server_(std::move(server)),
        writer_(std::move(writer)),
        readers_(std::move(readers)),
        followers_(std::move(followers)),
        snapshot_(folder_.snapshot(), *writer_),
        keys_(read_keys(*writer_)),
        engine_(*writer_,
                EngineThread::Hooks{[this](std::int64_t seq) { announce(seq); },
                                    [](const std::string& why) { end_at_once(why); },
                                    [this](const Book& book, std::int64_t seq, bool last) {
                                      snapshot_.consider(book, seq, last);
                                    },
                                    [server = server_.get()] { server->deliver(); }},
                SlewedClock(SystemClock{}, MonotonicClock{}, last_instant(*writer_)),
                EngineOptions{seconds(options.lease_s), &meter_}, restored(snapshot_)) {}

  void announce(std::int64_t seq) {
    server_->announce(seq);
    followers_->wake();
  }

  DataFolder folder_;
  api::BlobStore blobs_;
  Duration blob_grace_;
  Duration drain_delay_;
  std::unique_ptr<http::Server> server_;
  std::unique_ptr<SQLite::Database> writer_;
  http::ReaderPool readers_;
  http::DiskPool disk_;
  std::unique_ptr<Followers> followers_;
  Counters counters_;
  ClockMeter meter_{counters_};
  SnapshotFile snapshot_;
  api::Keyring keys_;
  bool asks_for_tokens_ = false;
  EngineThread engine_;
};

Result<std::unique_ptr<House>> House::open(const ServerOptions& options) {
  const auto address = address_of(options);
  if (!address) return address.error();
  auto folder = DataFolder::open(options.data);
  if (!folder) return folder.error();
  auto server = http::Server::listen(*address, options.tls, options.bounds);
  if (!server) return server.error();
  Upgrade upgrade;
  auto writer = open_for_writing(folder->database().string(), &upgrade);
  if (!writer) return writer.error();
  if (upgrade.from != 0)
    spdlog::info("upgraded the data folder from schema {} to {}; as it was before: {}",
                 upgrade.from, upgrade.to, upgrade.backup);
  auto readers = open_readers(folder->database().string());
  if (!readers) return readers.error();
  auto followers = Followers::start(options.follow, *folder);
  if (!followers) return followers.error();
  std::unique_ptr<House> house(new House(options, *std::move(folder), *std::move(server),
                                         *std::move(writer), *std::move(readers),
                                         *std::move(followers)));
  house->asks_for_tokens_ = asks_for_tokens(options, *address);
  if (auto prepared = house->prepare_tokens(options); !prepared) return prepared.error();
  return house;
}

Status House::prepare_tokens(const ServerOptions& options) {
  if (!asks_for_tokens_) return Done{};
  const TokenFile admin{folder_.path() / "admin.token", "admin", Scope::admin};
  if (options.new_admin_token || !keys_.has_live(Scope::admin, SystemClock{}())) {
    if (auto made = make_token_file(engine_, keys_, admin); !made) return made;
    spdlog::info("an administrator's token was written to {}", admin.path);
  }
  if (options.worker_token_file.empty()) return Done{};
  return keep_token_file(engine_, keys_, {options.worker_token_file, "workers", Scope::worker});
}

void House::run() {
  server_->catch_signals();
  std::printf("hone-server listening on %s\n", server_->url().c_str());
  std::fflush(stdout);
  spdlog::info("hone {} serves {} on {}", HONE_VERSION, folder_.database().string(),
               server_->url());
  server_->run(http::Rooms{engine_, readers_, disk_, blobs_, counters_, drain_delay_, blob_grace_,
                           asks_for_tokens_ ? &keys_ : nullptr});
  spdlog::info("shut down");
}

int serve(const ServerOptions& options, pid_t parent) {
  if (options.die_with_parent && !end_with_parent(parent, SIGTERM)) return exit_failure;
  start_logging(options.log_level, options.log_json ? LogFormat::json : LogFormat::text);
  raise_descriptor_limit();
  keep_freed_memory();
  signal(SIGPIPE, SIG_IGN);
  auto house = House::open(options);
  if (!house) return fail(house.error().detail);
  (*house)->run();
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
