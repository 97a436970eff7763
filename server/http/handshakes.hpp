// How many TLS handshakes are in progress: each takes 90 KB before the client has shown a token.
// Beyond the bound connections wait, of each address in turn, and a handshake that takes long gives
// way to them. Used on the io thread alone. Internal to server/http.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>

#include "server/http/fair_queue.hpp"

namespace hone::http {

class Connection;

class Handshakes {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Handshakes(boost::asio::io_context& io);
  Handshakes(const Handshakes&) = delete;
  Handshakes& operator=(const Handshakes&) = delete;

  // One in progress, until its end.
  class Place {
   public:
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    // What is cancelled when it must give way.
    void set(Connection& connection) { connection_ = &connection; }

   private:
    friend class Handshakes;
    Place(Handshakes& all, std::string address)
        : all_(all), address_(std::move(address)), since_(Clock::now()) {}
    Handshakes& all_;
    const std::string address_;
    const Clock::time_point since_;
    Connection* connection_ = nullptr;
  };

  // Waits until the connection of an address may begin. Null if it must not: too many wait, its
  // time is over, or the server drains.
  boost::asio::awaitable<std::unique_ptr<Place>> enter(std::string address);

  // Ends the waits, and lets none begin.
  void close();

  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  [[nodiscard]] std::size_t in_progress() const { return places_.size(); }

 private:
  struct Waiter {
    boost::asio::steady_timer timer;
    std::unique_ptr<Place> place{};
    bool has_left = false;
  };

  void admit();
  void end_slow_ones();
  void leave(Place& place);

  boost::asio::io_context& io_;
  boost::asio::steady_timer slow_;  // until the oldest in progress gives way
  FairQueue<std::shared_ptr<Waiter>> queue_;
  std::list<Place*> places_;  // the oldest first
  std::size_t waiting_ = 0;
  bool closed_ = false;
};

}  // namespace hone::http
