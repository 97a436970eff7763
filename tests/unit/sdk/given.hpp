// A server that the test writes out byte by byte.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sdk/cpp/transport.hpp"

namespace hone {

// One accepted connection, as the test's server sees it.
class Peer {
 public:
  explicit Peer(int fd) : fd_(fd) {}
  ~Peer() { ::close(fd_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // One request, head and body; empty when the client has closed.
  std::string request() {
    std::string text;
    while (text.find("\r\n\r\n") == std::string::npos)
      if (!more(text)) return {};
    const auto head = text.find("\r\n\r\n") + 4;
    const auto field = text.find("Content-Length: ");
    const std::size_t body = field < head ? std::stoul(text.substr(field + 16)) : 0;
    while (text.size() < head + body)
      if (!more(text)) return {};
    return text;
  }
  // False when the client has closed.
  bool send(const std::string& text) {
    return ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  void answer(const std::string& body, const std::string& status = "200 OK") {
    send("HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  // Until the client closes.
  void wait_for_end() {
    std::string ignored;
    while (more(ignored)) ignored.clear();
  }

 private:
  bool more(std::string& text) {
    std::array<char, 65536> piece;
    const auto got = ::recv(fd_, piece.data(), piece.size(), 0);
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
  int fd_;
};

// Listens on a free port and serves each connection, one after the other, with the next of
// `scripts`.
class Listener {
 public:
  using Script = std::function<void(Peer&)>;

  explicit Listener(std::vector<Script> scripts) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(fd_, generic, sizeof address), 0);
    EXPECT_EQ(::listen(fd_, 8), 0);
    EXPECT_EQ(::getsockname(fd_, generic, &size), 0);
    endpoint.port = std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this, scripts = std::move(scripts)] {
      for (const auto& script : scripts) {
        const int connection = ::accept(fd_, nullptr, nullptr);
        if (connection < 0) return;
        Peer peer(connection);
        script(peer);
      }
    });
  }
  ~Listener() {
    ::shutdown(fd_, SHUT_RDWR);
    thread_.join();
    ::close(fd_);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  Endpoint endpoint;

 private:
  int fd_;
  std::thread thread_;
};

}  // namespace hone
