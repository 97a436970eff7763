// Parses requests, one after another on each connection, and moves their bytes. The only file of
// the server that includes Beast.
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <iterator>
#include <optional>
#include <string>

#include "server/http/connection.hpp"
#include "server/http/header_rules.hpp"
#include "server/http/stream.hpp"
#include "server/limits.hpp"

namespace hone::http {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

using HeadParser = bhttp::request_parser<bhttp::empty_body>;
using BodyParser = bhttp::request_parser<bhttp::string_body>;
using PieceParser = bhttp::request_parser<bhttp::buffer_body>;

constexpr std::size_t first_read_bytes = 4096;

constexpr std::size_t body_read_bytes = 64 * 1024;  // as much as Beast asks for at a time
std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

// The client broke the protocol, and is still connected to read why.
bool is_bad_http(const error_code& trouble) {
  return trouble.category() == make_error_code(bhttp::error::bad_method).category() &&
         trouble != bhttp::error::end_of_stream && trouble != bhttp::error::partial_message;
}

Error too_large_header() {
  return refuse(Code::too_large, "the request's header is larger than " +
                                     std::to_string(limits::header_bytes_max) + " bytes");
}

Error bad_header(const error_code& trouble) {
  if (trouble == bhttp::error::header_limit) return too_large_header();
  return refuse(Code::invalid, "this is no HTTP/1.1 request: " + trouble.message());
}

Error too_large_body(std::size_t most) {
  return refuse(Code::too_large, "the body is larger than " + std::to_string(most) + " bytes");
}

// Why a body cannot be read. Throws if the client is gone or too slow.
Error body_error(const error_code& trouble, std::size_t most) {
  const std::string broken = "the body is not framed as HTTP asks: ";
  if (trouble == bhttp::error::body_limit) return too_large_body(most);
  if (trouble == bhttp::error::header_limit)
    return refuse(Code::invalid, broken + "the line of a chunk, or its trailer, is larger than " +
                                     std::to_string(limits::header_bytes_max) + " bytes");
  if (is_bad_http(trouble)) return refuse(Code::invalid, broken + trouble.message());
  throw boost::system::system_error(trouble);
}

RequestHead head_of(const HeadParser& parser) {
  const auto& fields = parser.get();
  RequestHead head;
  head.method = text_of(fields.method_string());
  head.target = text_of(fields.target());
  head.version = fields.version();
  head.keep_alive = fields.keep_alive();
  head.chunked = parser.chunked();
  if (const auto length = parser.content_length()) head.content_length = *length;
  head.fields = static_cast<std::size_t>(std::distance(fields.begin(), fields.end()));
  head.host = text_of(fields[bhttp::field::host]);
  if (const auto authority = authority_of(head.target); !authority.empty()) head.host = authority;
  head.origin = text_of(fields[bhttp::field::origin]);
  head.authorization = text_of(fields[bhttp::field::authorization]);
  head.expect = text_of(fields[bhttp::field::expect]);
  head.accept = text_of(fields[bhttp::field::accept]);
  head.accept_encoding = text_of(fields[bhttp::field::accept_encoding]);
  head.if_none_match = text_of(fields[bhttp::field::if_none_match]);
  head.last_event_id = text_of(fields["Last-Event-ID"]);
  head.request_id = text_of(fields["X-Request-Id"]);
  head.term = text_of(fields["Hone-Term"]);
  head.site = text_of(fields["Sec-Fetch-Site"]);
  return head;
}

// Refuses the line of a chunk that two programs could read in two ways.
struct CheckChunkLine {
  void operator()(std::uint64_t, beast::string_view extensions, error_code& trouble) const {
    if (is_ambiguous_line({extensions.data(), extensions.size()}))
      trouble = bhttp::error::bad_chunk_extension;
  }
};

class Session final : public Connection {
 public:
  // place: of its handshake; null for a plain connection.
  Session(Shared& all, tcp::socket socket, ClientAddress from,
          std::unique_ptr<Handshakes::Place> place)
      : Connection(all, std::move(from)),
        place_(std::move(place)),
        stream_(std::move(socket), all.tls.get()) {
    if (place_) place_->set(*this);
  }

  asio::awaitable<void> run();

  void expires_after(Duration time) override { stream_.expires_after(chrono(time)); }
  void cancel() override { stream_.cancel(); }
  bool is_gone() override { return stream_.is_gone(); }
  asio::awaitable<void> input() override;
  asio::awaitable<Status> read_body(std::string& body, std::size_t most) override;
  asio::awaitable<Result<std::size_t>> read_piece(std::span<char> piece, std::size_t most) override;
  std::size_t write_at_once(std::string_view bytes) override;
  asio::awaitable<void> write(std::string_view bytes) override;

 private:
  asio::awaitable<bool> await_request();
  asio::awaitable<Status> read_header();
  asio::awaitable<After> serve_request();
  asio::awaitable<bool> handshake();
  asio::awaitable<void> shut_down_tls();
  asio::awaitable<void> linger();
  asio::awaitable<error_code> receive(std::size_t most);
  template <class Parser, class IsDone>
  error_code parse_buffered(Parser& parser, IsDone is_done);
  template <class Parser, class IsDone>
  asio::awaitable<error_code> parse(Parser& parser, IsDone is_done);

  std::unique_ptr<Handshakes::Place> place_;
  Stream stream_;
  beast::flat_buffer buffer_;         // bytes read and not yet parsed
  std::optional<HeadParser> head_;    // of the current request
  std::optional<PieceParser> piece_;  // of its body, when it is read in pieces
  CheckChunkLine check_chunk_line_;   // parsers refer to it
};

asio::awaitable<void> Session::input() {
  error_code ignored;
  co_await stream_.socket().async_wait(tcp::socket::wait_read,
                                       asio::redirect_error(asio::use_awaitable, ignored));
}

// Waits for the next request's first byte. False when none comes.
asio::awaitable<bool> Session::await_request() {
  if (buffer_.size() > 0) co_return true;  // pipelined
  idle = true;
  expires_after(shared.bounds.idle_time);
  const error_code trouble = co_await receive(first_read_bytes);
  idle = false;
  co_return !trouble;
}

// Waits for bytes of the client and adds them to the buffer. All reads are here, so that TLS is
// compiled once for them.
asio::awaitable<error_code> Session::receive(std::size_t most) {
  error_code trouble;
  const auto space = buffer_.prepare(most);
  buffer_.commit(
      co_await stream_.async_read_some(space, asio::redirect_error(asio::use_awaitable, trouble)));
  co_return trouble;
}

// Parses the bytes that have arrived: a request that came in one piece needs no further waiting.
template <class Parser, class IsDone>
error_code Session::parse_buffered(Parser& parser, IsDone is_done) {
  error_code trouble;
  while (!trouble && buffer_.size() > 0 && !is_done(parser))
    buffer_.consume(parser.put(buffer_.data(), trouble));
  return trouble == bhttp::error::need_more ? error_code() : trouble;
}

// Parses what has arrived and what arrives until the parser is done. Bytes that it leaves in the
// buffer are the line of a chunk, or a trailer, without its end: they have the bound of a header.
template <class Parser, class IsDone>
asio::awaitable<error_code> Session::parse(Parser& parser, IsDone is_done) {
  error_code trouble = parse_buffered(parser, is_done);
  while (!trouble && !is_done(parser)) {
    if (buffer_.size() > limits::header_bytes_max) co_return bhttp::error::header_limit;
    trouble = co_await receive(body_read_bytes);
    if (trouble == asio::error::eof)
      parser.put_eof(trouble);
    else if (!trouble)
      trouble = parse_buffered(parser, is_done);
  }
  co_return trouble;
}

asio::awaitable<Status> Session::read_body(std::string& body, std::size_t most) {
  BodyParser parser(std::move(*head_));
  parser.body_limit(most);
  parser.eager(true);
  parser.on_chunk_header(check_chunk_line_);
  const error_code trouble = co_await parse(parser, [](const auto& one) { return one.is_done(); });
  body = std::move(parser.get().body());
  if (trouble) co_return body_error(trouble, most);
  co_return Done{};
}

asio::awaitable<Result<std::size_t>> Session::read_piece(std::span<char> piece, std::size_t most) {
  if (!piece_) {
    piece_.emplace(std::move(*head_));
    piece_->body_limit(most);
    piece_->on_chunk_header(check_chunk_line_);
  }
  if (piece_->is_done()) co_return std::size_t{0};
  auto& body = piece_->get().body();
  body.data = piece.data();
  body.size = piece.size();
  const auto is_full = [&body](const auto& one) { return one.is_done() || body.size == 0; };
  const error_code trouble = co_await parse(*piece_, is_full);
  if (trouble && trouble != bhttp::error::need_buffer) co_return body_error(trouble, most);
  co_return piece.size() - body.size;
}

std::size_t Session::write_at_once(std::string_view bytes) {
  if (stream_.is_secret()) return 0;  // only plaintext may bypass the stream
  const auto sent = ::send(stream_.socket().native_handle(), bytes.data(), bytes.size(),
                           MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

asio::awaitable<void> Session::write(std::string_view bytes) {
  co_await asio::async_write(stream_, asio::buffer(bytes.data(), bytes.size()),
                             asio::use_awaitable);
}

// Reads until the header is complete, checks its bytes and parses it.
asio::awaitable<Status> Session::read_header() {
  const auto received = [this] {
    return std::string_view(static_cast<const char*>(buffer_.data().data()), buffer_.size());
  };
  while (header_end(received()) == std::string_view::npos) {
    if (auto begun = check_method_so_far(received()); !begun) co_return begun;
    if (buffer_.size() > limits::header_bytes_max) co_return too_large_header();
    if (const error_code trouble = co_await receive(first_read_bytes); trouble)
      throw boost::system::system_error(trouble);
  }
  const auto is_done = [](const auto& one) { return one.is_header_done(); };
  const auto checked = check_header_text(received().substr(0, header_end(received())));
  const error_code trouble = parse_buffered(*head_, is_done);
  if (is_bad_http(trouble)) co_return bad_header(trouble);
  if (trouble) throw boost::system::system_error(trouble);
  co_return checked;
}

asio::awaitable<After> Session::serve_request() {
  piece_.reset();
  head_.emplace();
  head_->header_limit(limits::header_bytes_max);
  head_->body_limit(boost::none);  // each route has its own
  expires_after(shared.bounds.request_time);
  if (const Status read = co_await read_header(); !read) {
    Incoming incoming;
    incoming.has_body = true;  // the bytes that follow cannot be understood
    co_return co_await write_early(*this, incoming, api::problem(read.error()));
  }
  const RequestHead head = head_of(*head_);
  co_return co_await answer_request(*this, head);
}

// False if the handshake fails; TLS sends the client an alert. A plain-HTTP request on the TLS port
// gets a plaintext 400.
asio::awaitable<bool> Session::handshake() {
  expires_after(std::min(limits::handshake_time, shared.bounds.request_time));
  error_code trouble;
  co_await stream_.async_handshake(asio::redirect_error(asio::use_awaitable, trouble));
  if (!trouble) co_return true;
  spdlog::debug("no TLS with a client: {}", trouble.message());
  const bool is_plain_http =
      trouble.category() == asio::error::get_ssl_category() &&
      ERR_GET_REASON(static_cast<unsigned long>(trouble.value())) == SSL_R_HTTP_REQUEST;
  if (!is_plain_http) co_return false;
  const auto text = refusal_text(refuse(Code::invalid, "this server speaks https; write https://"));
  co_await asio::async_write(stream_.tcp(), asio::buffer(text),
                             asio::redirect_error(asio::use_awaitable, trouble));
  co_return false;
}

// Sends close_notify, so that the client can tell a complete answer from a truncated one.
asio::awaitable<void> Session::shut_down_tls() {
  expires_after(limits::linger_time);
  error_code ignored;
  co_await stream_.async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
}

// Reads and discards the rest of a body: closing with unread bytes would reset the connection, and
// the client might lose the answer.
asio::awaitable<void> Session::linger() {
  error_code trouble;
  stream_.socket().shutdown(tcp::socket::shutdown_send, trouble);
  expires_after(limits::linger_time);
  for (std::size_t bytes = 0; !trouble && bytes < limits::linger_bytes_max;) {
    trouble = co_await receive(body_read_bytes);
    bytes += buffer_.size();
    buffer_.consume(buffer_.size());
  }
}

asio::awaitable<void> Session::run() {
  const bool secret = stream_.is_secret();
  if (secret) {
    if (!co_await handshake()) co_return;
    place_.reset();
  }
  auto after = After::keep;
  while (after == After::keep && !shared.draining) {
    // Not in the condition: g++ 12 awaits the right side of && and ?: although it must not.
    if (!co_await await_request()) co_return;
    after = co_await serve_request();
  }
  if (after == After::linger) {
    co_await linger();
  } else if (secret) {
    co_await shut_down_tls();
  }
}

}  // namespace

asio::awaitable<void> serve(Shared& shared, tcp::socket socket, ClientAddress client) {
  std::unique_ptr<Handshakes::Place> place;
  if (shared.tls) {
    auto entering = shared.handshakes.enter(client.name);
    place = co_await std::move(entering);
    if (!place) co_return shared.clients.remove_connection(client);
  }
  Session session(shared, std::move(socket), std::move(client), std::move(place));
  co_await session.run();
}

}  // namespace hone::http
