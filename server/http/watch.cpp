// Event streams. When the ledger grows, each watcher reads the events after its last one, and it
// reads the next batch only after it has written this one: a slow watcher holds one batch, no
// queue.
#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <string>
#include <utility>

#include "server/api/history/events.hpp"
#include "server/http/await.hpp"
#include "server/http/connection.hpp"
#include "server/limits.hpp"

namespace hone::http {
namespace asio = boost::asio;

namespace {

// The key of a request's token while it opens anything; nullopt when its stream must end. Without
// tokens, a key that never expires.
std::optional<Key> live_key(const Connection& connection, const Incoming& incoming) {
  const auto* keys = connection.shared.parts->keys;
  const TokenId token = incoming.request.speaker.token;
  if (keys == nullptr || !token) return Key{};
  const Key* key = keys->find_live(token, connection.shared.now());
  return key == nullptr ? std::nullopt : std::optional(*key);
}

// Counts a watcher, and holds the timer that wakes it.
class Watcher {
 public:
  Watcher(Shared& shared, std::string speaker)
      : shared_(shared), speaker_(std::move(speaker)), timer_(shared.io) {
    shared_.watchers.add(speaker_);
  }
  ~Watcher() {
    shared_.sleeping_watchers.erase(&timer_);
    shared_.watchers.remove(speaker_);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  asio::steady_timer& timer() { return timer_; }

 private:
  Shared& shared_;
  const std::string speaker_;
  asio::steady_timer timer_;
};

enum class Woken { news, quiet, gone };

// Waits for news, for a long silence, or for the client's end: a client that watches sends nothing.
asio::awaitable<Woken> sleep(Connection& connection, Watcher& watcher, const Key& key) {
  auto& shared = connection.shared;
  const Duration open = key.expires_at.value_or(never) - shared.now();
  watcher.timer().expires_after(chrono(std::min(limits::watch_quiet_time, open)));
  shared.sleeping_watchers.insert(&watcher.timer());
  auto rest = watcher.timer().async_wait(asio::as_tuple(asio::use_awaitable));
  auto input = connection.input();
  auto either =
      asio::experimental::awaitable_operators::operator||(std::move(rest), std::move(input));
  const auto first = co_await std::move(either);
  shared.sleeping_watchers.erase(&watcher.timer());
  if (first.index() == 1) co_return Woken::gone;
  const auto trouble = std::get<0>(std::get<0>(first));
  co_return trouble ? Woken::news : Woken::quiet;
}

// Lets the events of a digest's time gather.
asio::awaitable<void> gather(Watcher& watcher, Duration time) {
  watcher.timer().expires_after(chrono(time));
  co_await watcher.timer().async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<Result<api::EventBatch>> read_batch(Connection& connection,
                                                    const Incoming& incoming, api::Watch watch) {
  auto& shared = connection.shared;
  const Reads::Pass pass(shared.reads, Lane::live, speaker_of(connection, incoming), connection);
  auto work = [watch](SQLite::Database& db) { return api::next_events(db, watch); };
  auto pending = on_reader<api::EventBatch>(shared, pass.ticket(), work);
  co_return co_await std::move(pending);
}

asio::awaitable<void> write_text(Connection& connection, std::string_view text) {
  connection.expires_after(connection.shared.bounds.request_time);
  co_await connection.write(text);
}

// Writes batch after batch until the client leaves, its token is revoked or expires, or the server
// shuts down.
asio::awaitable<void> stream_events(Connection& connection, const Incoming& incoming,
                                    Watcher& watcher, api::EventBatch batch) {
  auto& shared = connection.shared;
  const auto must_end = [&] { return shared.draining || !live_key(connection, incoming); };
  while (!must_end()) {
    if (!batch.text.empty()) co_await write_text(connection, batch.text);
    if (must_end()) co_return;  // a call to wake up during the write has found no sleeper
    if (!batch.more && shared.newest_seq.load() <= batch.watch.after) {
      const auto woken = co_await sleep(connection, watcher, *live_key(connection, incoming));
      if (woken == Woken::gone || must_end()) co_return;
      if (woken == Woken::quiet) co_await write_text(connection, ": nothing new\n\n");
    }
    if (batch.watch.digest.us > 0) co_await gather(watcher, batch.watch.digest);
    auto next = co_await read_batch(connection, incoming, batch.watch);
    if (!next) co_return;  // the client connects again and continues after its last event
    batch = *std::move(next);
  }
}

}  // namespace

asio::awaitable<After> follow(Connection& connection, const Incoming& incoming) {
  auto& shared = connection.shared;
  const auto speaker = speaker_of(connection, incoming);
  if (auto may = shared.watchers.may_add(speaker); !may)
    co_return co_await write_answer(connection, incoming, api::problem(may.error()));
  Watcher watcher(shared, speaker);
  const auto watch = api::parse_watch(incoming.request);
  if (!watch) co_return co_await write_answer(connection, incoming, api::problem(watch.error()));
  auto first = co_await read_batch(connection, incoming, *watch);
  if (!first) co_return co_await write_answer(connection, incoming, api::problem(first.error()));
  api::Response answer;
  answer.content_type = "text/event-stream";
  const auto head = head_text(incoming, answer, false, {});  // it ends with the connection
  co_await write_text(connection, head);
  co_await stream_events(connection, incoming, watcher, *std::move(first));
  co_return After::close;
}

}  // namespace hone::http
