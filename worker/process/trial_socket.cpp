#include "worker/process/trial_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "worker/agent/limits.hpp"

namespace hone::worker {
namespace {

// Read from one connection at a time, so that none starves the others.
constexpr std::size_t read_bytes_max = 64 * 1024;

Error cannot_listen(const std::string& path) {
  return refuse(Code::internal, "cannot listen at " + path + ": " + std::strerror(errno));
}

}  // namespace

Result<TrialSocket> TrialSocket::listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return refuse(Code::internal, "the path of the socket is too long: " + path +
                                      "; choose a shorter --data folder");
  std::copy(path.begin(), path.end(), address.sun_path);
  FileHandle file(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!file) return cannot_listen(path);
  ::unlink(path.c_str());
  ::fchmod(file.fd(), S_IRUSR | S_IWUSR);
  // The socket API requires this cast.
  if (::bind(file.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(file.fd(), limits::connections_max) != 0)
    return cannot_listen(path);
  return TrialSocket(std::move(file));
}

void TrialSocket::watch(std::vector<pollfd>& fds, bool held) const {
  const bool room = connections_.size() < static_cast<std::size_t>(limits::connections_max);
  if (room && !held) fds.push_back({listener_.fd(), POLLIN, 0});
  for (const auto& connection : connections_) {
    const auto reads = static_cast<short>(held ? 0 : POLLIN);
    const auto writes = static_cast<short>(connection.unsent.empty() ? 0 : POLLOUT);
    if (const auto events = static_cast<short>(reads | writes))
      fds.push_back({connection.file.fd(), events, 0});
  }
}

std::vector<TrialLine> TrialSocket::serve() {
  std::vector<TrialLine> lines;
  accept();
  for (auto& connection : connections_) read(connection, lines);
  flush();
  return lines;
}

void TrialSocket::flush() {
  for (auto& connection : connections_) send(connection);
  drop_closed();
}

void TrialSocket::answer(const TrialAnswer& answer) {
  if (waiting_.empty()) return;
  const int number = waiting_.front();
  waiting_.pop_front();
  for (auto& connection : connections_)
    if (connection.number == number) reply(connection, answer);
  drop_closed();
}

void TrialSocket::accept() {
  while (connections_.size() < static_cast<std::size_t>(limits::connections_max)) {
    FileHandle file(::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!file) return;
    connections_.push_back({std::move(file), {}, {}, ++accepted_});
  }
}

void TrialSocket::read(Connection& connection, std::vector<TrialLine>& lines) {
  std::array<char, read_bytes_max> piece;
  const auto on_line = [&](std::string_view text, bool too_long) {
    take_line(connection, text, too_long, lines);
  };
  const auto got = ::recv(connection.file.fd(), piece.data(), piece.size(), 0);
  if (got > 0)
    return connection.reader.take({piece.data(), static_cast<std::size_t>(got)}, on_line);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  connection.reader.finish(on_line);
  connection.file.close();
}

void TrialSocket::take_line(Connection& connection, std::string_view text, bool too_long,
                            std::vector<TrialLine>& lines) {
  if (text.empty()) return;
  if (too_long) return reply(connection, refuse(Code::too_large, "a line is at most 1 MiB long"));
  auto line = parse_program_line(text);
  if (!line) return reply(connection, line.error());
  if (!std::holds_alternative<MetricPoint>(*line)) waiting_.push_back(connection.number);
  lines.push_back(std::move(*line));
}

void TrialSocket::reply(Connection& connection, const TrialAnswer& answer) {
  connection.unsent += trial_answer_text(answer) + "\n";
  send(connection);
  // The process never reads its answers.
  if (connection.unsent.size() > limits::line_bytes_max) connection.file.close();
}

void TrialSocket::send(Connection& connection) {
  while (connection.file && !connection.unsent.empty()) {
    const auto sent = ::send(connection.file.fd(), connection.unsent.data(),
                             connection.unsent.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) connection.file.close();
    if (sent < 0) return;
    connection.unsent.erase(0, static_cast<std::size_t>(sent));
  }
}

void TrialSocket::drop_closed() {
  std::erase_if(connections_, [](const Connection& connection) { return !connection.file; });
}

}  // namespace hone::worker
