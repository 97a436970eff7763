#include "server/http/handshakes.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "server/http/connection.hpp"
#include "server/limits.hpp"

namespace hone::http {
namespace asio = boost::asio;

namespace {

// The bound of connections is that of those that wait.
constexpr QueueBounds handshake_bounds{.each_max = limits::connections_max,
                                       .all_max = limits::connections_max,
                                       .running_max = limits::handshakes_max,
                                       .debt_max = limits::handshake_time};

}  // namespace

Handshakes::Handshakes(asio::io_context& io) : io_(io), slow_(io), queue_(handshake_bounds) {}

Handshakes::Place::~Place() { all_.leave(*this); }

asio::awaitable<std::unique_ptr<Handshakes::Place>> Handshakes::enter(std::string address) {
  if (closed_) co_return nullptr;
  const auto waiter = std::make_shared<Waiter>(asio::steady_timer(io_));
  if (!queue_.push(address, waiter)) co_return nullptr;
  waiter->timer.expires_after(chrono(limits::handshake_time));
  admit();
  if (!waiter->place) {
    ++waiting_;
    end_slow_ones();
    co_await waiter->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    --waiting_;
  }
  waiter->has_left = true;
  co_return std::move(waiter->place);
}

void Handshakes::admit() {
  while (!closed_ && places_.size() < limits::handshakes_max) {
    auto turn = queue_.take();
    if (!turn) return;
    Waiter& waiter = *turn->job;
    if (waiter.has_left) {
      queue_.finish(turn->speaker, {});
      continue;
    }
    waiter.place.reset(new Place(*this, turn->speaker));
    places_.push_back(waiter.place.get());
    waiter.timer.cancel();
  }
}

void Handshakes::leave(Place& place) {
  places_.remove(&place);
  const auto held =
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - place.since_);
  queue_.finish(place.address_, {held.count()});
  admit();
  end_slow_ones();
}

// While others wait, a handshake has its least time and no more.
void Handshakes::end_slow_ones() {
  if (waiting_ == 0 || places_.empty()) return;
  const auto now = Clock::now();
  for (Place* const place : places_) {
    const auto until = place->since_ + chrono(limits::handshake_time_least);
    if (until > now) {
      slow_.expires_at(until);
      return slow_.async_wait([this](const boost::system::error_code& trouble) {
        if (!trouble) end_slow_ones();
      });
    }
    if (place->connection_ != nullptr) place->connection_->cancel();  // it leaves a little later
  }
}

void Handshakes::close() {
  closed_ = true;
  slow_.cancel();
  while (auto turn = queue_.take()) {
    turn->job->timer.cancel();
    queue_.finish(turn->speaker, {});
  }
}

}  // namespace hone::http
