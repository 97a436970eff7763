#include "server/http/server.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <csignal>
#include <utility>

#include "server/api/runs/unused_blobs.hpp"
#include "server/engine/clock.hpp"
#include "server/http/connection.hpp"
#include "server/http/shared.hpp"
#include "server/limits.hpp"
#include "server/standby/standbys.hpp"

namespace hone::http {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

// After a failed accept: the process has no descriptors left.
constexpr auto accept_pause = std::chrono::milliseconds(100);

Error cannot_listen(const Address& address, const error_code& trouble) {
  const auto where = text(address);
  if (trouble == asio::error::address_in_use)
    return refuse(Code::conflict,
                  "port " + std::to_string(address.port) + " on " + address.host +
                      " is in use, perhaps by another hone-server; stop that program "
                      "or choose another port, for example --listen 127.0.0.1:0 "
                      "for any free one");
  if (trouble == asio::error::access_denied)
    return refuse(Code::invalid,
                  "this user may not listen on " + where +
                      "; choose a port above 1023, for example --listen 127.0.0.1:7777");
  return refuse(Code::invalid, "cannot listen on " + where + ": " + trouble.message());
}

// Differs for every server process, so that no two requests get the same id.
std::string id_prefix() {
  std::array<char, 32> digits{};
  const auto now = static_cast<std::uint64_t>(SystemClock{}().us);
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), now, 36).ptr;
  return std::string(digits.data(), end) + "-";
}

// Answers without a session.
void reject_connection(tcp::socket socket) {
  const auto text = refusal_text(refuse(Code::busy, "too many connections; try again"));
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.send(asio::buffer(text), 0, ignored);
}

void log_end(const std::exception_ptr& trouble) {
  if (!trouble) return;
  try {
    std::rethrow_exception(trouble);
  } catch (const boost::system::system_error& gone) {
    spdlog::debug("a connection ended early: {}", gone.what());
  } catch (const std::exception& bug) {
    spdlog::error("a bug ended a connection: {}", bug.what());
  }
}

}  // namespace

struct Server::Inside {
  explicit Inside(const Bounds& bounds) : shared(bounds) {}

  Shared shared;
  tcp::acceptor acceptor{shared.io};
  asio::signal_set signals{shared.io};
  asio::signal_set renewals{shared.io};
  asio::signal_set promotions{shared.io};  // of a follower
  asio::steady_timer drain_timer{shared.io};
  asio::steady_timer blob_timer{shared.io};
  asio::steady_timer standby_timer{shared.io};
  bool promoted = false;
  bool finished = false;
  int blob_folder = 0;  // the next one to check for unused blobs
  Address address;
  TlsFiles tls_files;

  asio::awaitable<void> accept_all();
  void start_session(tcp::socket socket);
  void delete_unused_blobs();
  void await_signal();
  void await_new_certificate();
  void await_promotion();
  void watch_standbys();
  void start_leaving();
  void drain();
  void finish();
};

Result<std::unique_ptr<Server>> Server::listen(const Address& address, const TlsFiles& tls,
                                               const Bounds& bounds) {
  auto inside = std::make_unique<Inside>(bounds);
  if (tls.wanted()) {
    auto opened = Tls::open(tls);
    if (!opened) return opened.error();
    inside->shared.tls = *std::move(opened);
    inside->tls_files = tls;
  }
  auto& acceptor = inside->acceptor;
  error_code trouble;
  const auto host = asio::ip::make_address(address.host, trouble);
  if (trouble) return cannot_listen(address, trouble);
  const tcp::endpoint endpoint(host, address.port);
  acceptor.open(endpoint.protocol(), trouble);
  if (!trouble) acceptor.set_option(tcp::acceptor::reuse_address(true), trouble);
  if (!trouble) acceptor.bind(endpoint, trouble);
  if (!trouble) acceptor.listen(asio::socket_base::max_listen_connections, trouble);
  if (trouble) return cannot_listen(address, trouble);
  inside->shared.id_prefix = id_prefix();
  inside->address = Address{address.host, acceptor.local_endpoint().port()};
  inside->shared.local_only = is_loopback(address);
  return std::unique_ptr<Server>(new Server(std::move(inside)));
}

Server::Server(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Server::~Server() = default;

Address Server::address() const { return inside_->address; }

std::string Server::url() const {
  return (inside_->shared.tls ? "https://" : "http://") + text(inside_->address);
}

void Server::announce(std::int64_t seq) noexcept {
  auto& shared = inside_->shared;
  shared.newest_seq.store(seq);
  if (shared.wake_posted.exchange(true)) return;
  asio::post(shared.io, [&shared] {
    shared.wake_posted.store(false);
    wake_watchers(shared);
  });
}

void Server::deliver(std::int64_t points) {
  auto& shared = inside_->shared;
  if (shared.newest_point.exchange(points) < points)
    asio::post(shared.io, [&shared] { wake_standbys(shared); });
  shared.outbox.send({shared.newest_seq.load(), points});
}

void Server::post(std::function<void()> work) { asio::post(inside_->shared.io, std::move(work)); }

bool Server::is_promoted() const { return inside_->promoted; }

void Server::catch_signals() {
  inside_->signals.add(SIGINT);
  inside_->signals.add(SIGTERM);
  inside_->promotions.add(SIGUSR1);
}

void Server::run(const ServerParts& parts) {
  inside_->shared.parts = &parts;
  inside_->await_signal();
  if (inside_->shared.tls) {
    inside_->renewals.add(SIGHUP);
    inside_->await_new_certificate();
  }
  if (parts.engine == nullptr) inside_->await_promotion();
  if (parts.standbys != nullptr) inside_->watch_standbys();
  inside_->delete_unused_blobs();
  asio::co_spawn(inside_->shared.io, inside_->accept_all(), log_end);
  inside_->shared.io.run();
}

asio::awaitable<void> Server::Inside::accept_all() {
  while (acceptor.is_open()) {
    auto [trouble, socket] = co_await acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
    if (trouble == asio::error::operation_aborted) co_return;
    if (trouble) {
      spdlog::warn("cannot accept a connection: {}", trouble.message());
      asio::steady_timer pause(shared.io, accept_pause);
      co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    } else if (shared.connections.size() + shared.handshakes.waiting() >=
               shared.bounds.connections) {
      reject_connection(std::move(socket));
    } else {
      start_session(std::move(socket));
    }
  }
}

void Server::Inside::start_session(tcp::socket socket) {
  error_code ignored;
  auto client = client_address(socket.remote_endpoint(ignored).address());
  if (!shared.clients.add_connection(client)) return reject_connection(std::move(socket));
  socket.set_option(tcp::no_delay(true), ignored);
  asio::co_spawn(shared.io, serve(shared, std::move(socket), std::move(client)), log_end);
}

// Checks one folder at a time, and all of them once in each grace time. If the queue of reads is
// full, the folder waits for the next round.
void Server::Inside::delete_unused_blobs() {
  const Duration grace = shared.parts->blob_grace;
  const Duration pause = std::max(Duration{grace.us / api::BlobStore::folders}, milliseconds(1));
  blob_timer.expires_after(chrono(pause));
  blob_timer.async_wait([this, grace](const error_code& trouble) {
    // drain() cannot cancel a wait that is over: the next one would keep io.run() from returning.
    if (trouble || shared.draining) return;
    const auto check_folder = [&blobs = shared.parts->blobs, folder = blob_folder,
                               before = SystemClock{}() - grace](SQLite::Database& db) {
      try {
        const auto freed = api::delete_unused(db, blobs, folder, before);
        if (freed.blobs > 0)
          spdlog::info("deleted {} checkpoints that their sweeps had dropped: {} bytes",
                       freed.blobs, freed.bytes);
      } catch (const std::exception& why) {
        spdlog::warn("cannot look for unused checkpoints: {}", why.what());
      }
    };
    (void)shared.parts->readers.push(Lane::sweep, {}, check_folder);
    blob_folder = (blob_folder + 1) % api::BlobStore::folders;
    delete_unused_blobs();
  });
}

void Server::Inside::await_signal() {
  signals.async_wait([this](const error_code& trouble, int number) {
    if (trouble) return;
    if (shared.draining) return shared.io.stop();  // a second signal: stop at once
    spdlog::info("signal {}: shutting down", number);
    start_leaving();
  });
}

// Reports "not ready", so that a load balancer sends its requests elsewhere; then drains. A second
// signal ends the wait.
void Server::Inside::start_leaving() {
  auto& leaving = shared.parts->counters.leaving;
  if (leaving.exchange(true) || shared.parts->drain_delay == Duration{}) return drain();
  await_signal();
  drain_timer.expires_after(chrono(shared.parts->drain_delay));
  drain_timer.async_wait([this](const error_code& trouble) {
    if (!trouble && !shared.draining) drain();
  });
}

// Reads a renewed certificate on SIGHUP, without a restart. Open sessions keep the old one.
void Server::Inside::await_new_certificate() {
  renewals.async_wait([this](const error_code& trouble, int) {
    if (trouble) return;
    auto opened = Tls::open(tls_files);
    if (opened) {
      shared.tls = *std::move(opened);
      spdlog::info("the certificate was read again");
    } else {
      spdlog::error("{}; the certificate stays as it was", opened.error().detail);
    }
    await_new_certificate();
  });
}

// A primary ignores SIGUSR1.
void Server::Inside::await_promotion() {
  promotions.async_wait([this](const error_code& trouble, int) {
    if (trouble || shared.draining) return;
    spdlog::info("asked to become the primary");
    promoted = true;
    drain();
  });
}

// Once in a while: which standbys are there, and which replies have waited for one too long.
void Server::Inside::watch_standbys() {
  if (shared.parts->standbys->sync()) shared.outbox.wait_for_standby();
  standby_timer.expires_after(std::chrono::milliseconds(100));
  standby_timer.async_wait([this](const error_code& trouble) {
    if (trouble || finished) return;
    forget_silent_standbys(shared);
    const auto now = std::chrono::steady_clock::now();
    // The engine has ended while the server drains: its last replies must not wait longer.
    shared.outbox.give_up(shared.draining ? now : now - chrono(shared.parts->confirm_wait));
    watch_standbys();
  });
}

void Server::Inside::drain() {
  shared.draining = true;
  blob_timer.cancel();
  error_code ignored;
  acceptor.close(ignored);
  if (shared.parts->engine != nullptr) shared.parts->engine->stop();
  for (auto* connection : shared.connections)
    if (connection->idle) connection->cancel();
  shared.handshakes.close();
  wake_watchers(shared);
  shared.last_connection_closed = [this] { finish(); };
  if (shared.connections.empty()) return finish();
  await_signal();
  drain_timer.expires_after(chrono(limits::drain_time));
  drain_timer.async_wait([this](const error_code& trouble) {
    if (trouble) return;
    spdlog::warn("{} connections were still open after the time for draining",
                 shared.connections.size());
    shared.io.stop();
  });
}

// Cancels the last waits, so that io.run() returns.
void Server::Inside::finish() {
  finished = true;
  drain_timer.cancel();
  signals.cancel();
  renewals.cancel();
  promotions.cancel();
  standby_timer.cancel();
}

}  // namespace hone::http
