// Many keep-alive connections of one process to one server, each with at most one open request: as
// little work as HTTP allows, so that the load costs less than what it measures. base/net's client
// blocks, and has one connection.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::load {

using Clock = std::chrono::steady_clock;

struct Answer {
  int status = 0;
  std::string_view body;     // until the handler returns
  std::int64_t took_us = 0;  // from the request's first byte to the answer's last
};

class Wire {
 public:
  using Answered = std::function<void(std::size_t connection, const Answer& answer)>;

  // Resolves the server's name once.
  static Result<Wire> to(const Endpoint& endpoint);
  ~Wire();
  Wire(Wire&&) noexcept;
  Wire& operator=(Wire&&) = delete;
  Wire(const Wire&) = delete;

  // One more connection; its number counts from 0.
  Result<std::size_t> open();

  // Precondition: the connection's last request was answered.
  Status post(std::size_t connection, std::string_view target, std::string_view body);

  // Waits at most `wait` for answers and hands each to `answered`, which may post again. Refuses
  // when a connection breaks or the server speaks no HTTP.
  Status turn(std::chrono::microseconds wait, const Answered& answered);

 private:
  struct Line {
    int socket = -1;
    bool waiting = false;
    Clock::time_point sent_at;
    std::string unsent;
    std::string received;
  };
  struct Address {
    std::array<char, 128> bytes{};
    unsigned length = 0;
    int family = 0;
  };
  Wire(Address address, std::string head, int epoll)
      : address_(address), head_(std::move(head)), epoll_(epoll) {}

  Status send(Line& line);
  Status receive(std::size_t connection, const Answered& answered);
  Status watch(std::size_t connection, std::uint32_t events, int how) const;

  Address address_;
  std::string head_;  // what every request says between its target and its length
  int epoll_;
  std::vector<Line> lines_;
  std::vector<epoll_event> events_ = std::vector<epoll_event>(512);
};

// The value of a member of a flat JSON text, without quotes: "le_3" of {"lease":"le_3"}. Empty when
// there is none.
std::string_view member(std::string_view json, std::string_view name);

}  // namespace hone::load
