#include "server/app/opened.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/hex.hpp"
#include "base/shown.hpp"
#include "db/ledger/chain.hpp"
#include "db/queries/queries.hpp"
#include "server/follow/peers.hpp"
#include "server/limits.hpp"
#include "server/standby/limits.hpp"

namespace hone {
namespace {

constexpr int exit_commit_failed = 70;  // the disk failed; a restart replays the ledger
constexpr std::size_t standby_secret_bytes = 32;

Result<std::vector<std::unique_ptr<SQLite::Database>>> open_readers(const std::string& file) {
  std::vector<std::unique_ptr<SQLite::Database>> readers;
  for (std::size_t i = 0; i < limits::reader_threads; ++i) {
    auto reader = open_for_reading(file);
    if (!reader) return reader.error();
    readers.push_back(*std::move(reader));
  }
  return readers;
}

// Refuses a database that is damaged or not the one that was acknowledged.
Result<std::unique_ptr<SQLite::Database>> open_checked(const DataFolder& folder,
                                                       const HighWater& mark) {
  if (auto whole = mark.check(folder.database()); !whole) return whole.error();
  Upgrade upgrade;
  auto writer = open_for_writing(folder.database().string(), &upgrade);
  if (!writer) return writer.error();
  const auto checked = quick_check(**writer, limits::checked_bytes_max);
  if (!checked) return checked.error();
  if (!*checked)
    spdlog::info("the database is too large to be checked at the start: run `hone db check`");
  const std::int64_t unchecked =
      std::max<std::int64_t>(last_seq(**writer) - limits::checked_events_max, 0);
  if (const auto linked = check_chain(**writer, unchecked, [](std::int64_t) {}); !linked)
    return linked.error();
  if (auto ours = check_kept_head(**writer, folder.path()); !ours) return ours.error();
  if (upgrade.from != 0)
    spdlog::info("upgraded the data folder from schema {} to {}; the old file is kept as {}",
                 upgrade.from, upgrade.to, upgrade.backup);
  return writer;
}

// A primary asks the standbys that it knows: one of them may have been promoted meanwhile.
Status ask_standbys(const DataFolder& folder, standby::State& state, const PeerOptions& peers) {
  for (const standby::Known& one : state.standbys) {
    const auto term = term_at(one.url, peers);
    if (!term || !standby::is_replaced_by(state, *term)) continue;
    state.replaced_by = term->number;
    state.replaced_url = one.url;
    if (auto written = write_state(folder.path(), state); !written) return written;
  }
  return Done{};
}

Result<standby::Part> decide_part(const DataFolder& folder, standby::State& state,
                                  const PeerOptions& peers) {
  if (peers.follow.empty())
    if (auto asked = ask_standbys(folder, state, peers); !asked) return asked.error();
  auto there = peers.follow.empty() ? std::nullopt : term_at(peers.follow, peers);
  // The server there may be in the middle of a promotion.
  const bool may_be_newer = state.follows.empty() && !state.promoted_from.empty();
  for (int tries = 1; may_be_newer && !there && tries < standby::limits::successor_tries; ++tries) {
    if (peers.follow.empty() || state.replaced_by > 0) break;
    std::this_thread::sleep_for(std::chrono::seconds(1));
    there = term_at(peers.follow, peers);
  }
  auto part = standby::part_at_start(state, peers.follow, there);
  if (!part) return part;
  if (*part == standby::Part::primary) {
    if (!peers.follow.empty())
      spdlog::warn(
          "this data folder was promoted (term {}): it serves as the primary, and "
          "--follow {} is ignored",
          state.term.number, peers.follow);
    return part;
  }
  state = standby::following(std::move(state), peers.follow, random_hex(standby_secret_bytes));
  if (auto written = write_state(folder.path(), state); !written) return written.error();
  return part;
}

}  // namespace

int fail(const std::string& sentence) {
  std::fprintf(stderr, "hone-server: %s\n", shown_text(sentence).c_str());
  return exit_failure;
}

// It is the hook for a failed commit.
void end_at_once(const std::string& why, Culprit culprit) {
  if (culprit == Culprit::disk)
    spdlog::critical(
        "the ledger could not be written: {}. Ending now; nothing that was acknowledged is lost. "
        "Free space or repair the disk, then start the server again",
        why);
  else
    spdlog::critical(
        "a mistake of hone itself: {}. Ending now; nothing that was acknowledged is lost, and the "
        "disk is not the cause. Start the server again, and report this line",
        why);
  spdlog::default_logger()->flush();  // it stays: other threads log until the very end
  if (culprit == Culprit::hone) std::abort();
  _exit(exit_commit_failed);
}

Result<Opened> open_all(const ServerOptions& options, const http::Address& address) {
  const auto listen = [&] { return http::Server::listen(address, options.tls, options.bounds); };
  // In a new folder nothing can be waited for, and an address that is refused leaves no folder.
  std::error_code ignored;
  const bool is_new =
      !std::filesystem::exists(std::filesystem::path(options.data) / "lock", ignored);
  auto server = is_new ? listen() : Result<std::unique_ptr<http::Server>>(nullptr);
  if (!server) return server.error();
  auto folder = DataFolder::open(options.data);
  if (!folder) return folder.error();
  auto state = standby::read_state(folder->path());
  if (!state) return state.error();
  const auto part = decide_part(*folder, *state, options.peers);
  if (!part) return part.error();
  if (!is_new) server = listen();
  if (!server) return server.error();
  auto mark = HighWater::open(folder->path());
  if (!mark) return mark.error();
  auto writer = open_checked(*folder, *mark);
  if (!writer) return writer.error();
  auto readers = open_readers(folder->database().string());
  if (!readers) return readers.error();
  FollowerOptions follow = options.follow;
  if (*part == standby::Part::follower) follow.webhooks.clear();  // the primary sends them
  auto followers = Followers::start(follow, *folder);
  if (!followers) return followers.error();
  return Opened{*std::move(folder),  *std::move(state),    *part,
                *std::move(mark),    *std::move(server),   *std::move(writer),
                *std::move(readers), *std::move(followers)};
}

}  // namespace hone
