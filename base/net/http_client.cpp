#include "base/net/http_client.hpp"

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <fstream>

#include "base/expect.hpp"
#include "base/net/client_connection.hpp"
#include "base/net/client_tls.hpp"

namespace hone::net {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Failure = boost::system::error_code;

constexpr std::size_t line_bytes_max = std::size_t{16} << 20U;  // of a stream; an event has 4 MiB

template <class Message>
void put_fields(Message& message, const HttpServer& server, const HttpRequest& request) {
  message.set(http::field::host, server.authority());
  for (const auto* headers : {&server.headers, &request.headers})
    for (const auto& [name, value] : *headers) message.set(name, value);
  if (!request.accept.empty()) message.set(http::field::accept, request.accept);
  message.keep_alive(request.wants_body);
}

}  // namespace

struct HttpClient::Inside {
  explicit Inside(HttpServer callee) : server(std::move(callee)) {}

  HttpServer server;
  std::unique_ptr<ClientTls> tls;  // made by the first call
  asio::io_context io{1};
  std::unique_ptr<ClientConnection> kept;
  ClientConnection* active = nullptr;  // what interrupt() closes
  std::string refusal;                 // what was wrong with the server's certificate
  std::atomic<bool> interrupted = false;

  Failure connect(ClientConnection& connection, std::chrono::microseconds timeout) {
    asio::ip::tcp::resolver resolver(io);
    Failure failure;
    const auto found = resolver.resolve(server.host, server.port, failure);
    if (failure) return failure;
    auto& stream = connection.stream();
    stream.expires_after(timeout);
    failure = connection.connect(found);
    if (!failure) stream.socket().set_option(asio::ip::tcp::no_delay(true), failure);
    if (failure || !stream.is_secret()) return failure;
    failure = connection.handshake();
    if (failure) refusal = certificate_trouble(stream.session());
    return failure;
  }

  // Loads the certificates before the first connection.
  Status prepare() {
    if (!server.tls || tls) return Done{};
    auto opened = ClientTls::open(server);
    if (!opened) return opened.error();
    tls = *std::move(opened);
    return Done{};
  }

  Failure write(ClientConnection& connection, const HttpRequest& request) {
    Failure failure;
    const auto verb = http::string_to_verb(request.method);
    expect(verb != http::verb::unknown, "the method is one of HTTP's");
    if (request.upload.empty()) {
      http::request<http::string_body> message(verb, request.target, 11, request.body);
      put_fields(message, server, request);
      if (!request.body.empty()) message.set(http::field::content_type, request.content_type);
      message.prepare_payload();
      http::write(connection, message, failure);
      return failure;
    }
    http::request<http::file_body> message(verb, request.target, 11);
    put_fields(message, server, request);
    message.set(http::field::content_type, "application/octet-stream");
    message.body().open(request.upload.c_str(), beast::file_mode::scan, failure);
    if (failure) return failure;
    message.prepare_payload();
    http::write(connection, message, failure);
    return failure;
  }

  using Head = http::response_parser<http::empty_body>;

  Failure read_head(ClientConnection& connection, Head& head, const HttpRequest& request) {
    head.header_limit(64 * 1024);
    head.body_limit(request.download.empty() ? request.body_bytes_max : request.download_bytes_max);
    if (request.method == "HEAD") head.skip(true);
    Failure failure;
    http::read_header(connection, connection.buffer(), head, failure);
    return failure;
  }

  // The head of a download allows more than a text, which a refusal is, may have.
  Failure read_text(ClientConnection& connection, Head&& head, const HttpRequest& request,
                    HttpResponse& response) {
    if (head.content_length().value_or(0) > request.body_bytes_max) return http::error::body_limit;
    http::response_parser<http::string_body> parser(std::move(head));
    parser.body_limit(request.body_bytes_max);
    Failure failure;
    http::read(connection, connection.buffer(), parser, failure);
    response.body = std::move(parser.get().body());
    return failure;
  }

  Failure read_file(ClientConnection& connection, Head&& head, const std::string& path) {
    http::response_parser<http::file_body> parser(std::move(head));
    Failure failure;
    parser.get().body().open(path.c_str(), beast::file_mode::write, failure);
    if (failure) return failure;
    http::read(connection, connection.buffer(), parser, failure);
    return failure;
  }

  Failure read_lines(ClientConnection& connection, Head&& head,
                     std::chrono::microseconds silence_max,
                     const std::function<bool(std::string_view)>& on_line) {
    http::response_parser<http::buffer_body> parser(std::move(head));
    parser.body_limit(boost::none);
    std::array<char, 16 * 1024> piece{};
    std::string pending;
    while (!parser.is_done()) {
      parser.get().body().data = piece.data();
      parser.get().body().size = piece.size();
      connection.stream().expires_after(silence_max);
      Failure failure;
      http::read_some(connection, connection.buffer(), parser, failure);
      if (failure == http::error::need_buffer) failure = {};
      if (failure == http::error::end_of_stream || failure == asio::error::eof) break;
      if (failure) return failure;
      pending.append(piece.data(), piece.size() - parser.get().body().size);
      if (!hand_on(pending, on_line)) break;
      if (pending.size() > line_bytes_max) return http::error::body_limit;
    }
    return {};
  }

  // Takes the complete lines out of `pending`.
  static bool hand_on(std::string& pending, const std::function<bool(std::string_view)>& on_line) {
    std::size_t begin = 0;
    bool more = true;
    for (std::size_t end; more && (end = pending.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      std::string_view line(pending.data() + begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      more = on_line(line);
    }
    pending.erase(0, begin);
    return more;
  }

  [[nodiscard]] Error error_of(const Failure& failure, const HttpRequest& request) const {
    const std::string url = server.url();
    if (interrupted) return refuse(Code::unavailable, "the call to " + url + " was given up");
    if (failure == beast::error::timeout)
      return refuse(Code::timed_out, "no answer from " + url + " within " +
                                         std::to_string(request.timeout / std::chrono::seconds(1)) +
                                         " s");
    if (!refusal.empty())
      return refuse(Code::unavailable, "the certificate of " + url + " is not to be trusted: " +
                                           refusal + server.if_untrusted);
    if (failure == http::error::body_limit || failure == http::error::header_limit ||
        failure == http::error::buffer_overflow)
      return refuse(Code::too_large, "the answer of " + url + request.target + " is too large");
    return refuse(Code::unavailable,
                  "cannot reach " + url + ": " + failure.message() + server.if_unreachable);
  }
};

namespace {

// The connection in use, for as long as a call lasts.
class Active {
 public:
  Active(ClientConnection*& slot, ClientConnection& connection) : slot_(slot) {
    slot_ = &connection;
  }
  ~Active() { slot_ = nullptr; }
  Active(const Active&) = delete;
  Active& operator=(const Active&) = delete;

 private:
  ClientConnection*& slot_;
};

struct Attempted {
  Failure failure;
  bool answered = false;  // at least the head of an answer was read
  HttpResponse response;
};

}  // namespace

struct HttpClient::Exchange {
  static Attempted once(Inside& inside, ClientConnection& connection, const HttpRequest& request) {
    Attempted attempt;
    connection.stream().expires_after(request.timeout);
    const Failure unsent = inside.write(connection, request);
    if (unsent == beast::error::timeout) return {unsent, false, {}};
    // A server that refuses a large body answers and closes before it was all sent.
    Inside::Head head;
    attempt.failure = inside.read_head(connection, head, request);
    if (attempt.failure) {
      if (unsent) attempt.failure = unsent;
      return attempt;
    }
    attempt.answered = true;
    attempt.response.status = static_cast<int>(head.get().result_int());
    attempt.response.content_type = std::string(head.get()[http::field::content_type]);
    const bool keep = head.get().keep_alive() && !unsent && request.wants_body;
    if (request.wants_body && !head.is_done())
      attempt.failure = read_body(inside, connection, std::move(head), request, attempt.response);
    if (!keep) connection.stream().close();
    return attempt;
  }

  static Failure read_body(Inside& inside, ClientConnection& connection, Inside::Head&& head,
                           const HttpRequest& request, HttpResponse& response) {
    if (response.ok() && !request.download.empty())
      return inside.read_file(connection, std::move(head), request.download);
    return inside.read_text(connection, std::move(head), request, response);
  }
};

std::string HttpServer::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

HttpClient::HttpClient(HttpServer server) : inside_(std::make_unique<Inside>(std::move(server))) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

namespace {

Status check_files(const HttpRequest& request) {
  if (!request.upload.empty() && !std::ifstream(request.upload, std::ios::binary))
    return refuse(Code::not_found, "cannot open " + request.upload + " to send it");
  if (!request.download.empty() && !std::ofstream(request.download, std::ios::binary))
    return refuse(Code::internal, "cannot write " + request.download);
  return Done{};
}

}  // namespace

Result<HttpResponse> HttpClient::call(const HttpRequest& request) {
  if (const Status files = check_files(request); !files) return files.error();
  Inside& inside = *inside_;
  if (const Status ready = inside.prepare(); !ready) return ready.error();
  const auto now = std::chrono::steady_clock::now();
  if (inside.kept && (now - inside.kept->used_at > inside.server.idle_time ||
                      !inside.kept->stream().socket().is_open()))
    inside.kept.reset();
  for (;;) {
    const bool fresh = inside.kept == nullptr;
    if (fresh)
      inside.kept =
          std::make_unique<ClientConnection>(inside.io, inside.tls.get(), inside.interrupted);
    const Active active(inside.active, *inside.kept);
    if (fresh)
      if (const Failure failure = inside.connect(*inside.kept, request.timeout)) {
        inside.kept.reset();
        return inside.error_of(failure, request);
      }
    Attempted attempt = Exchange::once(inside, *inside.kept, request);
    inside.kept->used_at = std::chrono::steady_clock::now();
    if (!attempt.failure) return std::move(attempt.response);
    inside.kept.reset();
    const bool was_closed = !fresh && !attempt.answered && attempt.failure != beast::error::timeout;
    if (!was_closed || inside.interrupted) return inside.error_of(attempt.failure, request);
  }
}

Result<HttpResponse> HttpClient::stream(const HttpRequest& request,
                                        const std::function<bool(std::string_view line)>& on_line) {
  Inside& inside = *inside_;
  if (const Status ready = inside.prepare(); !ready) return ready.error();
  ClientConnection connection(inside.io, inside.tls.get(), inside.interrupted);
  const Active active(inside.active, connection);
  Failure failure = inside.connect(connection, request.timeout);
  Inside::Head head;
  if (!failure) failure = inside.write(connection, request);
  if (!failure) failure = inside.read_head(connection, head, request);
  if (failure) return inside.error_of(failure, request);
  HttpResponse response{static_cast<int>(head.get().result_int()),
                        std::string(head.get()[http::field::content_type]),
                        {}};
  failure = response.ok() ? inside.read_lines(connection, std::move(head), request.timeout, on_line)
                          : inside.read_text(connection, std::move(head), request, response);
  if (failure) return inside.error_of(failure, request);
  return response;
}

void HttpClient::interrupt() {
  inside_->interrupted = true;
  asio::post(inside_->io, [inside = inside_.get()] {
    if (inside->active != nullptr) inside->active->stream().close();
  });
}

}  // namespace hone::net
