// What a client sends on a connection: the first byte says where it pauses. Real sessions on a
// socket pair; the engine has stopped, so that no input changes the answers of the next one.
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <future>
#include <string>
#include <thread>

#include "db/file/database.hpp"
#include "server/http/connection.hpp"
#include "server/http/header_rules.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace hone::fuzz {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

constexpr int patience_ms = 9'000;  // libFuzzer reports what takes 10 s

fs::path made_folder() {
  auto path = fs::temp_directory_path() / ("hone-fuzz-http-" + std::to_string(::getpid()));
  fs::create_directories(path);
  return path;
}

std::vector<std::unique_ptr<SQLite::Database>> reader_of(const fs::path& file) {
  std::vector<std::unique_ptr<SQLite::Database>> readers;
  readers.push_back(*open_for_reading(file));
  return readers;
}

class Server {
 public:
  Server() {
    spdlog::set_level(spdlog::level::off);
    engine_.stop();
    shared_.parts = &parts_;
    shared_.id_prefix = "fuzz-";
    thread_ = std::thread([this] { shared_.io.run(); });
  }
  ~Server() {
    guard_.reset();
    shared_.io.stop();
    thread_.join();
    fs::remove_all(folder_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Runs `work` on the io thread, which has then finished all that was posted before.
  template <class Work>
  void on_io_thread(Work work) {
    std::packaged_task<void()> task(std::move(work));
    auto done = task.get_future();
    asio::post(shared_.io, [&task] { task(); });
    done.get();
  }

  // Sends both parts and returns all that is answered.
  std::string talk(std::string_view first, std::string_view second) {
    std::array<int, 2> ends{};
    expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, "a pair");
    on_io_thread([&] {
      asio::ip::tcp::socket socket(shared_.io);
      socket.assign(asio::ip::tcp::v4(), ends[0]);
      const http::ClientAddress client{"192.0.2.1", true};
      expect(shared_.clients.add_connection(client), "no connection is left");
      asio::co_spawn(shared_.io, http::serve(shared_, std::move(socket), client), asio::detached);
    });
    const FileHandle side(ends[1]);
    send(side, first);
    on_io_thread([] {});
    send(side, second);
    ::shutdown(side.fd(), SHUT_WR);
    return answers(side);
  }

  // A connection that has ended leaves nothing. One that is never forgotten ends the fuzzer: it
  // reports what takes 10 s.
  void expect_nothing_held() {
    bool connected = true;
    while (connected) on_io_thread([&] { connected = !shared_.connections.empty(); });
    on_io_thread([this] {
      expect(shared_.bodies.held() == 0 && shared_.answers.held() == 0, "no bytes stay counted");
      expect(shared_.watchers.in_all() == 0, "no watcher stays");
    });
  }

 private:
  static void send(const FileHandle& side, std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(side.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the server has closed
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  static std::string answers(const FileHandle& side) {
    std::string text;
    std::array<char, 65536> piece{};
    pollfd readable{side.fd(), POLLIN, 0};
    while (true) {
      int ready = 0;
      do ready = ::poll(&readable, 1, patience_ms);  // libFuzzer's clock interrupts it
      while (ready < 0 && errno == EINTR);
      expect(ready == 1, "a client that has left is not kept");
      const auto got = ::recv(side.fd(), piece.data(), piece.size(), 0);
      if (got <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

  fs::path folder_ = made_folder();
  std::unique_ptr<SQLite::Database> db_ = *open_for_writing(folder_ / "hone.db");
  api::BlobStore blobs_{folder_ / "blobs"};
  Counters counters_;
  http::Shared shared_{http::Bounds{}};
  asio::executor_work_guard<asio::io_context::executor_type> guard_{shared_.io.get_executor()};
  http::ReaderPool readers_{reader_of(folder_ / "hone.db")};
  http::DiskPool disk_{1};
  http::DiskPool parsers_{1};
  EngineThread engine_{
      *db_,
      {.committed = [](std::int64_t) {},
       .failed = [](const std::string&, Culprit) { expect(false, "a commit succeeds"); }}};
  http::ServerParts parts_{.engine = &engine_,
                           .readers = readers_,
                           .disk = disk_,
                           .parsers = parsers_,
                           .blobs = blobs_,
                           .counters = counters_};
  std::thread thread_;
};

// Every answer has a status that the API has, and a length with as many bytes behind it, unless it
// is one to HEAD, a stream, or was cut off by the end of the connection.
void check_answers(std::string_view text) {
  constexpr std::string_view start = "HTTP/1.";
  while (!text.empty()) {
    expect(text.starts_with(start), "an answer begins where the one before ends");
    const auto end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) return;
    const auto head = text.substr(0, end + 4);
    text.remove_prefix(end + 4);
    int status = 0;
    std::from_chars(head.data() + 9, head.data() + 12, status);
    expect(status >= 100 && status < 600 && status != 500, "a request is answered or refused");
    constexpr std::string_view name = "\r\nContent-Length: ";
    const auto field = head.find(name);
    if (field == std::string_view::npos && status == 200) return;  // a stream, the last answer
    if (field == std::string_view::npos || text.starts_with(start)) continue;  // 100, 304; HEAD
    std::size_t length = 0;
    std::from_chars(head.data() + field + name.size(), head.data() + head.size(), length);
    text.remove_prefix(std::min(length, text.size()));
  }
}

// The rules and the parser see the same body.
void check_framing(std::string_view bytes) {
  const auto end = http::header_end(bytes);
  if (end == std::string_view::npos || !http::check_header_text(bytes.substr(0, end))) return;
  boost::beast::http::request_parser<boost::beast::http::empty_body> parser;
  boost::system::error_code trouble;
  parser.body_limit(boost::none);
  parser.put(asio::buffer(bytes.data(), end), trouble);
  if (trouble || !parser.is_header_done()) return;
  const auto& fields = parser.get();
  expect(fields.count("Transfer-Encoding") + fields.count("Content-Length") <= 1,
         "one field at most says where the body ends");
  expect(parser.chunked() == (fields.count("Transfer-Encoding") == 1), "chunked is chunked");
  expect(parser.content_length().has_value() == (fields.count("Content-Length") == 1),
         "a length is a length");
  expect(fields.count("Host") <= 1, "there is one host");
}

}  // namespace

void feed(const std::uint8_t* data, std::size_t size) {
  static Server server;
  if (size == 0) return;
  const auto bytes = text_of(data + 1, size - 1);
  const std::size_t cut = bytes.size() * data[0] / 255;
  check_framing(bytes);
  check_answers(server.talk(bytes.substr(0, cut), bytes.substr(cut)));
  server.expect_nothing_held();
}

}  // namespace hone::fuzz
