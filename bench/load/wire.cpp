#include "bench/load/wire.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace hone::load {
namespace {

Error broken(const std::string& what) {
  return refuse(Code::unavailable, what + ": " + std::strerror(errno));
}

// One whole answer at the front of `text`.
struct Framed {
  int status = 0;
  std::size_t body_begin = 0;
  std::size_t end = 0;  // 0: not all of it is here
};

Result<Framed> frame(std::string_view text) {
  const auto head_end = text.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return Framed{};
  const auto head = text.substr(0, head_end);
  constexpr std::string_view length_name = "\r\nContent-Length: ";
  const auto length_at = head.find(length_name);
  if (!head.starts_with("HTTP/1.1 ") || head.size() < 12 || length_at == std::string_view::npos)
    return refuse(Code::internal, "the server's answer is not what HTTP/1.1 asks: " +
                                      std::string(head.substr(0, 80)));
  Framed framed;
  std::size_t length = 0;
  const auto* digits = head.data() + length_at + length_name.size();
  std::from_chars(head.data() + 9, head.data() + 12, framed.status);
  std::from_chars(digits, head.data() + head.size(), length);
  framed.body_begin = head_end + 4;
  const auto end = framed.body_begin + length;
  if (end <= text.size()) framed.end = end;
  return framed;
}

}  // namespace

Result<Wire> Wire::to(const Endpoint& endpoint) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int trouble = getaddrinfo(endpoint.host.c_str(), endpoint.port.c_str(), &wanted, &found);
  if (trouble != 0)
    return refuse(Code::unavailable, "cannot find " + endpoint.host + ": " + gai_strerror(trouble));
  Address address;
  address.family = found->ai_family;
  address.length = found->ai_addrlen;
  std::memcpy(address.bytes.data(), found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return broken("cannot wait for answers");
  std::string head = " HTTP/1.1\r\nHost: " + endpoint.authority();
  if (!endpoint.token.empty()) head += "\r\nAuthorization: Bearer " + endpoint.token;
  head += "\r\nContent-Type: application/json\r\nContent-Length: ";
  return Wire(address, std::move(head), epoll);
}

Wire::Wire(Wire&& other) noexcept
    : address_(other.address_),
      head_(std::move(other.head_)),
      epoll_(std::exchange(other.epoll_, -1)),
      lines_(std::exchange(other.lines_, {})) {}

Wire::~Wire() {
  for (const auto& line : lines_) close(line.socket);
  if (epoll_ >= 0) close(epoll_);
}

Result<std::size_t> Wire::open() {
  Line line;
  line.socket = socket(address_.family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (line.socket < 0) return broken("cannot open a connection");
  lines_.push_back(line);
  const auto* address = reinterpret_cast<const sockaddr*>(address_.bytes.data());
  if (connect(line.socket, address, address_.length) != 0) return broken("cannot connect");
  const int yes = 1;
  setsockopt(line.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const std::size_t connection = lines_.size() - 1;
  if (auto watched = watch(connection, EPOLLIN, EPOLL_CTL_ADD); !watched) return watched.error();
  return connection;
}

Status Wire::watch(std::size_t connection, std::uint32_t events, int how) const {
  epoll_event event{};
  event.events = events;
  event.data.u64 = connection;
  if (epoll_ctl(epoll_, how, lines_[connection].socket, &event) != 0)
    return broken("cannot wait for a connection");
  return Done{};
}

Status Wire::post(std::size_t connection, std::string_view target, std::string_view body) {
  Line& line = lines_.at(connection);
  line.unsent.append("POST ").append(target).append(head_);
  line.unsent.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
  line.waiting = true;
  line.sent_at = Clock::now();
  if (auto sent = send(line); !sent) return sent;
  return line.unsent.empty() ? Status(Done{})
                             : watch(connection, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD);
}

Status Wire::send(Line& line) {
  const auto sent =
      ::send(line.socket, line.unsent.data(), line.unsent.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) return broken("cannot send a request");
  if (sent > 0) line.unsent.erase(0, static_cast<std::size_t>(sent));
  return Done{};
}

Status Wire::receive(std::size_t connection, const Answered& answered) {
  std::array<char, 8192> piece;  // not filled with zeros: it is read into at once
  Line& line = lines_[connection];
  const auto got = recv(line.socket, piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? Status(Done{}) : broken("cannot read");
  if (got == 0) return refuse(Code::unavailable, "the server closed a connection");
  line.received.append(piece.data(), static_cast<std::size_t>(got));
  const auto framed = frame(line.received);
  if (!framed) return framed.error();
  if (framed->end == 0) return Done{};
  if (!line.waiting) return refuse(Code::internal, "received an answer without a request");
  line.waiting = false;
  const std::string text = std::exchange(line.received, {});
  Answer answer{framed->status, std::string_view(text).substr(framed->body_begin), 0};
  const auto took = Clock::now() - line.sent_at;
  answer.took_us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  answered(connection, answer);
  return Done{};
}

Status Wire::turn(std::chrono::microseconds wait, const Answered& answered) {
  const int count = epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()),
                               static_cast<int>((wait.count() + 999) / 1000));
  for (int i = 0; i < count; ++i) {
    const auto& event = events_[static_cast<std::size_t>(i)];
    const auto connection = static_cast<std::size_t>(event.data.u64);
    if ((event.events & EPOLLOUT) != 0) {
      if (auto sent = send(lines_[connection]); !sent) return sent;
      if (lines_[connection].unsent.empty())
        if (auto watched = watch(connection, EPOLLIN, EPOLL_CTL_MOD); !watched) return watched;
    }
    if ((event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0)
      if (auto received = receive(connection, answered); !received) return received;
  }
  return Done{};
}

std::string_view member(std::string_view json, std::string_view name) {
  std::string key = "\"";
  key.append(name).append("\":");
  auto at = json.find(key);
  if (at == std::string_view::npos) return {};
  auto value = json.substr(at + key.size());
  if (value.starts_with('"')) return value.substr(1, value.find('"', 1) - 1);
  return value.substr(0, value.find_first_of(",}"));
}

}  // namespace hone::load
