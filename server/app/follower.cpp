// A follower: answers reads from its copy of a primary's ledger until it is promoted.
#include <spdlog/spdlog.h>

#include <cstdio>

#include "db/queries/queries.hpp"
#include "server/api/role.hpp"
#include "server/app/opened.hpp"
#include "server/dashboard/pages.hpp"
#include "server/engine/clock.hpp"
#include "server/follow/replica.hpp"

namespace hone {
namespace {

// Members are destroyed in reverse order: the replica first, the lock of the data folder last.
class FollowerProcess {
 public:
  FollowerProcess(const ServerOptions& options, Opened opened, net::HttpServer primary)
      : folder_(std::move(opened.folder)),
        mark_(std::move(opened.mark)),
        blobs_(folder_.blobs()),
        logs_(folder_.path() / "logs"),
        server_(std::move(opened.server)),
        writer_(std::move(opened.writer)),
        readers_(std::move(opened.readers)),
        followers_(std::move(opened.followers)),
        pages_(options.dashboard_dir),
        keys_(read_keys(*writer_)),
        role_(options.peers.follow, SystemClock{}()),
        replica_({folder_.path(), *writer_, blobs_, role_}, std::move(primary),
                 options.peers.advertise.empty() ? server_->url() : options.peers.advertise,
                 std::move(opened.state), hooks()) {}

  void run(const ServerOptions& options, bool with_tokens);
  Result<FollowerEnd> end();

 private:
  Replica::Hooks hooks() {
    return {.committed =
                [this](std::int64_t seq) {
                  mark_.advance(seq);
                  server_->announce(seq);
                  followers_->wake();
                },
            .tokens_changed =
                [this] {
                  server_->post([this, keys = api::Keyring(read_keys(*writer_))] { keys_ = keys; });
                },
            .failed = [](const std::string& why) { end_at_once(why); },
            .clock = SystemClock{}};
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
  dashboard::Pages pages_;
  api::Keyring keys_;
  api::Role role_;
  Replica replica_;
};

void FollowerProcess::run(const ServerOptions& options, bool with_tokens) {
  server_->catch_signals();
  server_->announce(last_seq(*writer_));
  std::printf("hone-server listening on %s\n", server_->url().c_str());
  std::fflush(stdout);
  spdlog::info("hone {} follows {} into {} and answers reads on {}", HONE_VERSION,
               options.peers.follow, folder_.database().string(), server_->url());
  replica_.start();
  server_->run({.engine = nullptr,
                .readers = readers_,
                .disk = disk_,
                .parsers = parsers_,
                .blobs = blobs_,
                .counters = counters_,
                .drain_delay = {},
                .blob_grace = microseconds(static_cast<std::int64_t>(options.blob_grace_s * 1e6)),
                .dashboard = &pages_,
                .logs = &logs_,
                .keys = with_tokens ? &keys_ : nullptr,
                .role = &role_});
  replica_.stop();
}

Result<FollowerEnd> FollowerProcess::end() {
  FollowerEnd end{0, server_->is_promoted(), server_->address()};
  if (!end.promoted) return end;
  const auto state = standby::promoted(replica_.state(), true);
  if (!state) return state.error();
  if (auto written = write_state(folder_.path(), *state); !written) return written.error();
  spdlog::info("promoted after event {}: term {}", last_seq(*writer_), state->term.number);
  return end;
}

}  // namespace

FollowerEnd serve_as_follower(const ServerOptions& options, bool with_tokens, Opened opened) {
  auto primary = peer_server(options.peers.follow, options.peers);
  if (!primary) return {fail(primary.error().detail), false, {}};
  FollowerProcess process(options, std::move(opened), *std::move(primary));
  process.run(options, with_tokens);
  const auto end = process.end();
  if (!end) return {fail(end.error().detail), false, {}};
  if (!end->promoted) spdlog::info("shut down");
  return *end;
}

}  // namespace hone
