// A follower: answers reads from its copy of a primary's ledger until it is promoted.
#include <spdlog/spdlog.h>

#include "db/queries/queries.hpp"
#include "db/queries/tokens.hpp"
#include "server/api/role.hpp"
#include "server/app/served.hpp"
#include "server/engine/clock.hpp"
#include "server/follow/replica.hpp"

namespace hone {
namespace {

// Members are destroyed in reverse order: the replica first.
class FollowerProcess {
 public:
  FollowerProcess(const ServerOptions& options, Opened opened, net::HttpServer primary)
      : served_(options, opened),
        role_(options.peers.follow, SystemClock{}()),
        replica_({served_.folder.path(), *served_.writer, served_.blobs, role_}, std::move(primary),
                 options.peers.advertise.empty() ? served_.server->url() : options.peers.advertise,
                 std::move(opened.state), hooks()) {}

  void run(const ServerOptions& options, bool with_tokens);
  Result<FollowerEnd> end();

 private:
  Replica::Hooks hooks() {
    return {.committed = [this](std::int64_t seq) { served_.show_events(seq); },
            .tokens_changed =
                [this] {
                  served_.server->post([this, keys = api::Keyring(read_keys(*served_.writer))] {
                    served_.keys = keys;
                  });
                },
            .failed = end_at_once,
            .clock = SystemClock{}};
  }

  Served served_;
  api::Role role_;
  Replica replica_;
};

void FollowerProcess::run(const ServerOptions& options, bool with_tokens) {
  auto& server = *served_.server;
  server.catch_signals();
  server.announce(last_seq(*served_.writer));
  served_.print_address();
  spdlog::info("hone {} follows {} into {} and answers reads on {}", HONE_VERSION,
               options.peers.follow, served_.folder.database().string(), server.url());
  replica_.start();
  server.run(served_.parts(options, role_, with_tokens));
  replica_.stop();
}

Result<FollowerEnd> FollowerProcess::end() {
  FollowerEnd end{0, served_.server->is_promoted(), served_.server->address()};
  if (!end.promoted) return end;
  const auto state = standby::promoted(replica_.state(), true);
  if (!state) return state.error();
  if (auto written = write_state(served_.folder.path(), *state); !written) return written.error();
  spdlog::info("promoted after event {}: term {}", last_seq(*served_.writer), state->term.number);
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
