// A server on socket pairs: real sessions, engine, readers and blobs, without a port.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "server/http/connection.hpp"
#include "tests/unit/db/given.hpp"

namespace hone::http {

constexpr int patience_ms = 20'000;  // for what must happen: a test fails after it

struct Answer {
  int status = 0;
  std::map<std::string, std::string> fields;  // names as sent
  std::string body;

  [[nodiscard]] std::string field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? std::string() : found->second;
  }
  [[nodiscard]] Json json() const { return Json::parse(body); }
};

// The client's end of a connection. Every wait is bounded by patience_ms.
class Client {
 public:
  explicit Client(int fd) : fd_(fd) {
    const timeval longest{patience_ms / 1000, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
  }
  Client(Client&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), rest_(std::move(other.rest_)) {}
  Client& operator=(Client&&) = delete;
  ~Client() { close(); }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  void finish_sending() const { ::shutdown(fd_, SHUT_WR); }
  [[nodiscard]] int fd() const { return fd_; }

  // False when the server has closed its side meanwhile.
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Up to and with `end`; what came before the server closed where it never comes.
  std::string receive_until(const std::string& end) {
    while (rest_.find(end) == std::string::npos && receive_more()) {
    }
    const auto at = rest_.find(end);
    return take(at == std::string::npos ? rest_.size() : at + end.size());
  }

  // The next answer: a header and as many bytes as its Content-Length says, or its chunks.
  Answer receive(bool head_only = false) {
    Answer answer;
    const auto head = receive_until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.")) << "no answer: '" << head << "'";
    if (!head.starts_with("HTTP/1.")) return answer;
    answer.status = std::stoi(head.substr(9, 3));
    for (auto at = head.find("\r\n") + 2; at < head.size() - 2; at = head.find("\r\n", at) + 2) {
      const auto colon = head.find(": ", at);
      answer.fields[head.substr(at, colon - at)] =
          head.substr(colon + 2, head.find("\r\n", at) - colon - 2);
    }
    if (!head_only && answer.field("Transfer-Encoding") == "chunked") {
      answer.body = receive_chunks();
      return answer;
    }
    const auto length = answer.field("Content-Length");
    const std::size_t bytes = head_only || length.empty() ? 0 : std::stoul(length);
    while (rest_.size() < bytes && receive_more()) {
    }
    EXPECT_GE(rest_.size(), bytes) << "the answer was cut off";
    answer.body = take(std::min(bytes, rest_.size()));
    return answer;
  }

  // Everything until the server closes its side.
  std::string receive_all() {
    while (receive_more()) {
    }
    return take(rest_.size());
  }
  // The server has closed its side and sent nothing more.
  bool is_closed() { return rest_.empty() && !receive_more(); }

  // Waits, without reading, until the server has closed the connection.
  [[nodiscard]] bool wait_for_close() const {
    pollfd side{fd_, POLLRDHUP, 0};
    return ::poll(&side, 1, patience_ms) == 1;
  }

 private:
  std::string receive_chunks() {
    std::string body;
    for (;;) {
      const auto line = receive_until("\r\n");
      EXPECT_FALSE(line.empty()) << "the answer was cut off";
      const auto bytes = line.empty() ? 0 : std::stoul(line, nullptr, 16);
      while (rest_.size() < bytes + 2 && receive_more()) {
      }
      body += take(std::min(bytes, rest_.size()));
      take(2);
      if (bytes == 0) return body;
    }
  }
  bool receive_more() {
    std::array<char, 65536> piece;
    const auto got = ::recv(fd_, piece.data(), piece.size(), 0);
    EXPECT_FALSE(got < 0 && errno == EAGAIN) << "the server neither answered nor closed";
    if (got > 0) rest_.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  }
  std::string take(std::size_t bytes) {
    auto text = rest_.substr(0, bytes);
    rest_.erase(0, bytes);
    return text;
  }

  int fd_;
  std::string rest_;  // received and not yet taken
};

// "GET /healthz HTTP/1.1", the Host that HTTP wants, more fields and a body with its length.
inline std::string request(const std::string& line, const std::string& body = {},
                           const std::string& fields = {}) {
  std::string text = line + " HTTP/1.1\r\nHost: localhost\r\n" + fields;
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + body;
}

inline std::string submit_body(const std::string& request_id) {
  return R"({"request_id": ")" + request_id +
         R"(", "spec": {"name": "small", "seed": 17, "command": ["train", "${lr}"],
    "objective": {"metric": "return", "goal": "maximize"},
    "parameters": {"lr": {"type": "float", "min": 1e-5, "max": 1e-2, "scale": "log"}},
    "search": {"method": "random", "trials": 4}, "terminator": {"rule": "none"},
    "budget": {"unit": "frames", "per_run": 1000, "phases": 4}}})";
}

class TestServer {
 public:
  // Runs `look` on the io thread, which has then finished all that was posted before.
  template <class Look>
  std::invoke_result_t<Look> on_io_thread(Look look) {
    std::packaged_task<std::invoke_result_t<Look>()> task(std::move(look));
    auto result = task.get_future();
    boost::asio::post(shared_.io, [&task] { task(); });
    return result.get();
  }
  explicit TestServer(const Bounds& bounds = {}, const TlsFiles& tls = {}) : shared_(bounds) {
    if (tls.wanted()) shared_.tls = Tls::open(tls).value();
    shared_.parts = &parts_;
    shared_.id_prefix = "test-";
    thread_ = std::thread([this] { shared_.io.run(); });
  }
  ~TestServer() {
    engine_.stop();
    on_io_thread([this] {
      for (auto* connection : shared_.connections) connection->cancel();
    });
    guard_.reset();
    shared_.io.stop();
    thread_.join();
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  Client connect(const std::string& from = "127.0.0.1") {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    on_io_thread([&] {
      boost::asio::ip::tcp::socket socket(shared_.io);
      socket.assign(boost::asio::ip::tcp::v4(), ends[0]);
      const ClientAddress client{from, true};
      EXPECT_TRUE(shared_.clients.add_connection(client));
      boost::asio::co_spawn(shared_.io, serve(shared_, std::move(socket), client),
                            boost::asio::detached);
    });
    return Client(ends[1]);
  }
  // One request on a new connection.
  Answer ask(const std::string& text) {
    auto client = connect();
    EXPECT_TRUE(client.send(text));
    return client.receive();
  }
  Json post(const std::string& path, const std::string& body) {
    const auto answer = ask(request("POST " + path, body));
    EXPECT_LT(answer.status, 300) << answer.body;
    return answer.json();
  }

  std::size_t connections() {
    return on_io_thread([this] { return shared_.connections.size(); });
  }

  Shared& shared() { return shared_; }
  api::Keyring& require_tokens() {
    parts_.keys = &keys_;
    return keys_;
  }
  void follow(Clock clock) { parts_.clock = std::move(clock); }
  EngineThread& engine() { return engine_; }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

 private:
  static std::vector<std::unique_ptr<SQLite::Database>> open_readers(const std::string& file) {
    std::vector<std::unique_ptr<SQLite::Database>> readers;
    readers.push_back(open_for_reading(file).value());
    return readers;
  }

  TemporaryFolder folder_;
  std::unique_ptr<SQLite::Database> db_ = open_for_writing(folder_.file("hone.db")).value();
  api::BlobStore blobs_{folder_.path() / "blobs"};
  Counters counters_;
  api::Keyring keys_;
  Shared shared_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
      shared_.io.get_executor()};
  ReaderPool readers_{open_readers(folder_.file("hone.db"))};
  DiskPool disk_{limits::disk_threads};
  DiskPool parsers_{limits::parser_threads, Price::cpu};
  EngineThread engine_{*db_,
                       {.committed =
                            [this](std::int64_t seq) {
                              shared_.newest_seq.store(seq);
                              boost::asio::post(shared_.io, [this] { wake_watchers(shared_); });
                            },
                        .failed = [](const std::string& why, Culprit) { FAIL() << why; },
                        .replied =
                            [this] {
                              shared_.outbox.send({shared_.newest_seq.load(), 0});
                            }}};
  ServerParts parts_{.engine = &engine_,
                     .readers = readers_,
                     .disk = disk_,
                     .parsers = parsers_,
                     .blobs = blobs_,
                     .counters = counters_};
  std::thread thread_;
};

}  // namespace hone::http
