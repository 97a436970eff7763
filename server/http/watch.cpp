// Event streams: each watcher reads on from where it stands when the ledger grows, and reads the
// next batch only after the last was written. A slow watcher holds one batch, never a queue.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/write.hpp>

#include "server/api/events.hpp"
#include "server/http/await.hpp"
#include "server/http/connection.hpp"
#include "server/limits.hpp"

namespace hone::http {
namespace asio = boost::asio;
namespace bhttp = boost::beast::http;

namespace {

// A place among the watchers, and in the list of those to wake while it sleeps.
class Seat {
 public:
  explicit Seat(Shared& shared) : shared_(shared), timer_(shared.io) { ++shared_.watchers; }
  ~Seat() {
    shared_.sleeping_watchers.erase(&timer_);
    --shared_.watchers;
  }
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  asio::steady_timer& timer() { return timer_; }

 private:
  Shared& shared_;
  asio::steady_timer timer_;
};

enum class Woken { news, quiet, gone };

// Until there is news, it has been quiet for long, or the client says anything (it has nothing to
// say: it has gone).
asio::awaitable<Woken> sleep(Connection& connection, Seat& seat) {
  auto& shared = connection.shared;
  auto& socket = connection.stream.socket();
  seat.timer().expires_after(chrono(limits::watch_quiet_time));
  shared.sleeping_watchers.insert(&seat.timer());
  auto rest = seat.timer().async_wait(asio::as_tuple(asio::use_awaitable));
  auto word =
      socket.async_wait(asio::ip::tcp::socket::wait_read, asio::as_tuple(asio::use_awaitable));
  auto either =
      asio::experimental::awaitable_operators::operator||(std::move(rest), std::move(word));
  const auto first = co_await std::move(either);
  shared.sleeping_watchers.erase(&seat.timer());
  if (first.index() == 1) co_return Woken::gone;
  const auto trouble = std::get<0>(std::get<0>(first));
  co_return trouble ? Woken::news : Woken::quiet;
}

asio::awaitable<Result<api::EventBatch>> read_batch(Shared& shared, api::Watch watch) {
  auto work = [watch](SQLite::Database& db) { return api::next_events(db, watch); };
  auto pending = on_reader<api::EventBatch>(shared, work);
  co_return co_await std::move(pending);
}

asio::awaitable<void> write_text(Connection& connection, std::string_view text) {
  connection.stream.expires_after(chrono(connection.shared.bounds.request_time));
  co_await asio::async_write(connection.stream, asio::buffer(text.data(), text.size()),
                             asio::use_awaitable);
}

asio::awaitable<void> write_head(Connection& connection, const Incoming& incoming) {
  auto head = make_head(incoming, 200, "text/event-stream");
  head.keep_alive(false);  // the stream ends with the connection
  connection.stream.expires_after(chrono(connection.shared.bounds.request_time));
  co_await bhttp::async_write(connection.stream, head, asio::use_awaitable);
}

// Writes batch after batch until the client has gone or the server goes.
asio::awaitable<void> stream_events(Connection& connection, Seat& seat, api::EventBatch batch) {
  auto& shared = connection.shared;
  while (!shared.draining) {
    if (!batch.text.empty()) co_await write_text(connection, batch.text);
    if (!batch.more && shared.newest_seq.load() <= batch.watch.after) {
      const auto woken = co_await sleep(connection, seat);
      if (woken == Woken::gone) co_return;
      if (woken == Woken::quiet) co_await write_text(connection, ": nothing new\n\n");
    }
    auto next = co_await read_batch(shared, batch.watch);
    if (!next) co_return;  // the client connects again and goes on from its last event
    batch = *std::move(next);
  }
}

}  // namespace

asio::awaitable<After> follow(Connection& connection, const Incoming& incoming) {
  auto& shared = connection.shared;
  if (shared.watchers >= limits::watchers_max) {
    auto refusal = refuse(Code::busy, "there are " + std::to_string(limits::watchers_max) +
                                          " watchers already; close one or try again");
    co_return co_await write_answer(connection, incoming, api::problem(refusal));
  }
  Seat seat(shared);
  const auto watch = api::parse_watch(incoming.request);
  if (!watch) co_return co_await write_answer(connection, incoming, api::problem(watch.error()));
  auto first = co_await read_batch(shared, *watch);
  if (!first) co_return co_await write_answer(connection, incoming, api::problem(first.error()));
  co_await write_head(connection, incoming);
  co_await stream_events(connection, seat, *std::move(first));
  co_return After::close;
}

}  // namespace hone::http
