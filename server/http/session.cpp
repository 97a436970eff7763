// Requests in, one after the other on each connection; answers out.
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <iterator>
#include <optional>
#include <string>

#include "server/api/origin.hpp"
#include "server/engine/clock.hpp"
#include "server/engine/clock_meter.hpp"
#include "server/http/await.hpp"
#include "server/http/connection.hpp"
#include "server/limits.hpp"

namespace hone::http {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t first_read_bytes = 4096;

std::string text_of(beast::string_view view) { return {view.data(), view.size()}; }

api::Method method_of(bhttp::verb verb) {
  if (verb == bhttp::verb::get || verb == bhttp::verb::head) return api::Method::get;
  if (verb == bhttp::verb::post) return api::Method::post;
  return verb == bhttp::verb::put ? api::Method::put : api::Method::other;
}

// Waits for the next request's first byte. False when there is none to come.
asio::awaitable<bool> await_request(Connection& connection) {
  if (connection.buffer.size() > 0) co_return true;  // pipelined
  connection.idle = true;
  connection.stream.expires_after(chrono(connection.shared.bounds.idle_time));
  error_code trouble;
  const auto space = connection.buffer.prepare(first_read_bytes);
  const auto bytes = co_await connection.stream.async_read_some(
      space, asio::redirect_error(asio::use_awaitable, trouble));
  connection.idle = false;
  if (trouble) co_return false;
  connection.buffer.commit(bytes);
  co_return true;
}

// The client broke the protocol, and is still there to be told so.
bool is_bad_http(const error_code& trouble) {
  return trouble.category() == make_error_code(bhttp::error::bad_method).category() &&
         trouble != bhttp::error::end_of_stream && trouble != bhttp::error::partial_message;
}

Error bad_header(const error_code& trouble) {
  if (trouble == bhttp::error::header_limit)
    return refuse(Code::too_large, "the request's header is larger than " +
                                       std::to_string(limits::header_bytes_max) + " bytes");
  return refuse(Code::invalid, "this is no HTTP/1.1 request: " + trouble.message());
}

// Checks what the header says beside the route.
Status check_header(const Shared& shared, const HeadParser& parser) {
  const auto& head = parser.get();
  if (head.version() >= 11 && head.count(bhttp::field::host) != 1)
    return refuse(Code::invalid, "the request must have one Host header");
  if (head.count(bhttp::field::authorization) > 1)
    return refuse(Code::invalid, "the request must have one Authorization header at most");
  if (std::distance(head.begin(), head.end()) > std::ptrdiff_t{limits::header_fields_max})
    return refuse(Code::too_large, "the request has more than " +
                                       std::to_string(limits::header_fields_max) +
                                       " header fields");
  const auto expect = head[bhttp::field::expect];
  if (!expect.empty() && !beast::iequals(expect, "100-continue"))
    return refuse(Code::invalid, "this server knows no expectation but 100-continue");
  return api::check_origin(text_of(head[bhttp::field::host]), text_of(head[bhttp::field::origin]),
                           {shared.local_only, shared.tls != nullptr});
}

// Fills in who speaks. Answers a refusal, or nothing.
std::optional<api::Response> open_door(const Shared& shared, Incoming& incoming) {
  if (shared.rooms->keys == nullptr) return std::nullopt;
  const auto authorization = text_of(incoming.parser.get()[bhttp::field::authorization]);
  const auto speaker =
      api::check_access(*incoming.route, *shared.rooms->keys, authorization, SystemClock{}());
  if (!speaker) return api::problem(speaker.error());
  incoming.request.speaker = *speaker;
  return std::nullopt;
}

// What may go into a log and a header unchanged.
bool is_request_id(beast::string_view text) {
  constexpr std::size_t longest = 64;
  const auto fits = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == '.';
  };
  return !text.empty() && text.size() <= longest && std::all_of(text.begin(), text.end(), fits);
}

// The name under which this request is found in the logs of both sides.
std::string request_id(Shared& shared, const HeadParser& parser) {
  const auto given = parser.get()["X-Request-Id"];
  if (is_request_id(given)) return text_of(given);
  return shared.id_prefix + std::to_string(++shared.requests);
}

// Fills in what follows from the header. Answers a refusal, or nothing.
std::optional<api::Response> understand(const Shared& shared, Incoming& incoming) {
  const auto& head = incoming.parser.get();
  incoming.version = head.version();
  incoming.keep_alive = head.keep_alive();
  incoming.head_only = head.method() == bhttp::verb::head;
  const auto length = incoming.parser.content_length();
  incoming.has_body = incoming.parser.chunked() || (length && *length > 0);
  incoming.wants_continue = head.version() >= 11 && !head[bhttp::field::expect].empty();
  if (auto fine = check_header(shared, incoming.parser); !fine) return api::problem(fine.error());
  auto parsed = api::parse_target(method_of(head.method()), text_of(head.target()));
  if (!parsed) return api::problem(parsed.error());
  auto& request = incoming.request = *std::move(parsed);
  auto match = api::find_route(request.method, request.path);
  if (match.route == nullptr && !match.allow.empty())
    return api::wrong_method(text_of(head.method_string()), request.path, match.allow);
  if (match.route == nullptr)
    return api::problem(refuse(Code::not_found, "there is nothing at " + request.path));
  request.ids = std::move(match.ids);
  request.accept = text_of(head[bhttp::field::accept]);
  request.last_event_id = text_of(head["Last-Event-ID"]);
  incoming.route = match.route;
  request.counters = &shared.rooms->counters;
  if (auto refusal = open_door(shared, incoming)) return refusal;
  if (auto known = api::check_query(*match.route, request); !known)
    return api::problem(known.error());
  return std::nullopt;
}

// Parses what has arrived already: a request that came in one piece needs no further waiting.
template <class Parser, class IsDone>
error_code parse_buffered(Connection& connection, Parser& parser, IsDone is_done) {
  error_code trouble;
  while (!trouble && connection.buffer.size() > 0 && !is_done(parser))
    connection.buffer.consume(parser.put(connection.buffer.data(), trouble));
  return trouble == bhttp::error::need_more ? error_code() : trouble;
}

// How long a client that asks too often must wait; nothing where it may go on.
std::optional<Duration> wait_of(Connection& connection, const Incoming& incoming) {
  auto& peers = connection.shared.peers;
  if (!peers.counts_requests(connection.peer.is_local)) return std::nullopt;
  const TokenId token = incoming.request.speaker.token;
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  const Instant now{std::chrono::duration_cast<std::chrono::microseconds>(since_start).count()};
  return peers.ask(token ? text(token) : connection.peer.name, now);
}

api::Response too_often(Duration wait) {
  auto response = api::problem(refuse(Code::rate_limited,
                                      "more requests than one token or address may send; wait as "
                                      "long as Retry-After says"));
  response.retry_after_s = static_cast<int>((wait.us + 999'999) / 1'000'000);
  return response;
}

std::size_t body_bytes_max(const api::Route& route) {
  const auto* write = std::get_if<api::Write>(&route.handler);
  return write == nullptr ? limits::body_bytes_max : write->body_bytes_max;
}

Error too_large_body(std::size_t most) {
  return refuse(Code::too_large, "the body is larger than " + std::to_string(most) + " bytes");
}

// Reads the body into incoming.request. Answers a refusal, or nothing; throws when the client is
// gone.
asio::awaitable<std::optional<Error>> read_body(Connection& connection, Incoming& incoming) {
  const auto length = incoming.parser.content_length();
  const std::size_t most = body_bytes_max(*incoming.route);
  if (length && *length > most) co_return too_large_body(most);
  co_await invite_body(connection, incoming);
  bhttp::request_parser<bhttp::string_body> parser(std::move(incoming.parser));
  parser.body_limit(most);
  parser.eager(true);
  const auto is_done = [](const auto& one) { return one.is_done(); };
  error_code trouble = parse_buffered(connection, parser, is_done);
  if (!trouble && !parser.is_done())
    co_await bhttp::async_read(connection.stream, connection.buffer, parser,
                               asio::redirect_error(asio::use_awaitable, trouble));
  incoming.request.body = std::move(parser.get().body());
  if (trouble == bhttp::error::body_limit) co_return too_large_body(most);
  if (is_bad_http(trouble))
    co_return refuse(Code::invalid, "the body is not framed as HTTP asks: " + trouble.message());
  if (trouble) throw boost::system::system_error(trouble);
  co_return std::nullopt;
}

// Where the time until a command's reply is counted; nullptr where nobody asks for it.
Lengths* lengths_of(Counters& counters, const Command& command) {
  if (std::holds_alternative<Report>(command)) return &counters.reports;
  return std::holds_alternative<Ask>(command) ? &counters.asks : nullptr;
}

Duration since(std::chrono::steady_clock::time_point start) {
  const auto time = std::chrono::steady_clock::now() - start;
  return {std::chrono::duration_cast<std::chrono::microseconds>(time).count()};
}

asio::awaitable<api::Response> answer_write(Connection& connection, const api::Write& write,
                                            const api::Request& request) {
  auto& shared = connection.shared;
  const auto parse = [&] {
    const Spending spending(shared.rooms->counters, Part::parse);
    return api::parse_write(write, shared.rooms->blobs, request);
  };
  auto command = parse();
  if (!command) co_return api::problem(command.error());
  Lengths* const lengths = lengths_of(shared.rooms->counters, *command);
  const auto asked_at = std::chrono::steady_clock::now();
  auto pending = ask_engine(shared, *std::move(command), request.speaker);
  const auto reply = co_await std::move(pending);
  if (lengths != nullptr) lengths->add(since(asked_at));
  // Before the answer leaves: who was told that a token is revoked may rely on it.
  const auto* key = reply ? std::get_if<Key>(&*reply) : nullptr;
  if (key != nullptr && shared.rooms->keys != nullptr) shared.rooms->keys->learn(*key);
  const bool undeliverable = reply && write.take_back != nullptr && connection.stream.is_gone();
  auto undo = undeliverable ? write.take_back(*reply) : std::nullopt;
  if (!undo) co_return api::render_write(write, reply);
  auto undoing = ask_engine(shared, *std::move(undo));
  (void)co_await std::move(undoing);  // a refusal means that it is undone already
  co_return api::problem(
      refuse(Code::unavailable, "the client had closed its side while it waited; ask again"));
}

asio::awaitable<api::Response> answer_read(Shared& shared, const Incoming& incoming) {
  auto work = [&incoming](SQLite::Database& db) -> Result<api::Response> {
    return api::answer_read(*incoming.route, db, incoming.request);
  };
  auto pending = on_reader<api::Response>(shared, work);
  auto response = co_await std::move(pending);
  co_return response ? *std::move(response) : api::problem(response.error());
}

asio::awaitable<api::Response> answer(Connection& connection, const Incoming& incoming) {
  if (const auto* write = std::get_if<api::Write>(&incoming.route->handler)) {
    auto pending = answer_write(connection, *write, incoming.request);
    co_return co_await std::move(pending);
  }
  auto pending = answer_read(connection.shared, incoming);
  co_return co_await std::move(pending);
}

bool wants_events(const Incoming& incoming) {
  return std::holds_alternative<api::Follow>(incoming.route->handler) && !incoming.head_only &&
         incoming.request.accept.find("text/event-stream") != std::string::npos;
}

// Precondition: incoming.route is set.
asio::awaitable<After> dispatch(Connection& connection, Incoming& incoming) {
  if (std::holds_alternative<api::PutBlob>(incoming.route->handler))
    co_return co_await put_blob(connection, incoming);
  if (auto refusal = co_await read_body(connection, incoming))
    co_return co_await write_early(connection, incoming, api::problem(*refusal));
  if (std::holds_alternative<api::GetBlob>(incoming.route->handler))
    co_return co_await get_blob(connection, incoming);
  if (wants_events(incoming)) co_return co_await follow(connection, incoming);
  auto response = co_await answer(connection, incoming);
  co_return co_await write_answer(connection, incoming, std::move(response));
}

asio::awaitable<After> serve_request(Connection& connection) {
  Incoming incoming;
  incoming.parser.header_limit(limits::header_bytes_max);
  incoming.parser.body_limit(boost::none);  // each route has its own
  connection.stream.expires_after(chrono(connection.shared.bounds.request_time));
  const auto is_done = [](const auto& one) { return one.is_header_done(); };
  error_code trouble = parse_buffered(connection, incoming.parser, is_done);
  if (!trouble && !incoming.parser.is_header_done())
    co_await bhttp::async_read_header(connection.stream, connection.buffer, incoming.parser,
                                      asio::redirect_error(asio::use_awaitable, trouble));
  if (is_bad_http(trouble)) {
    incoming.has_body = true;  // whatever follows cannot be understood
    co_return co_await write_early(connection, incoming, api::problem(bad_header(trouble)));
  }
  if (trouble) co_return After::close;
  incoming.id = request_id(connection.shared, incoming.parser);
  auto refusal = understand(connection.shared, incoming);
  if (auto wait = wait_of(connection, incoming)) refusal = too_often(*wait);
  if (refusal) co_return co_await write_early(connection, incoming, *std::move(refusal));
  co_return co_await dispatch(connection, incoming);
}

// Whoever speaks http to a port of https is told so, in the open.
asio::awaitable<void> refuse_open_speech(Connection& connection) {
  static constexpr std::string_view answer =
      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\n"
      "Content-Length: 96\r\n\r\n"
      R"({"code":"invalid","detail":"this server speaks https; write https://",)"
      R"("at":"","retryable":false})";
  error_code ignored;
  co_await asio::async_write(connection.stream.tcp(), asio::buffer(answer.data(), answer.size()),
                             asio::redirect_error(asio::use_awaitable, ignored));
}

// False when the two sides do not agree; the client was told why by TLS itself.
asio::awaitable<bool> shake_hands(Connection& connection) {
  connection.stream.expires_after(
      chrono(std::min(limits::handshake_time, connection.shared.bounds.request_time)));
  error_code trouble;
  co_await connection.stream.async_handshake(asio::redirect_error(asio::use_awaitable, trouble));
  if (!trouble) co_return true;
  spdlog::debug("no TLS with a client: {}", trouble.message());
  const bool is_open_speech =
      trouble.category() == asio::error::get_ssl_category() &&
      ERR_GET_REASON(static_cast<unsigned long>(trouble.value())) == SSL_R_HTTP_REQUEST;
  if (is_open_speech) co_await refuse_open_speech(connection);
  co_return false;
}

// Tells the client that nothing was cut off on the way.
asio::awaitable<void> part(Connection& connection) {
  connection.stream.expires_after(chrono(limits::linger_time));
  error_code ignored;
  co_await connection.stream.async_shutdown(asio::redirect_error(asio::use_awaitable, ignored));
}

// Closing with unread bytes would reset the connection and might take the answer with it.
asio::awaitable<void> linger(Connection& connection) {
  error_code trouble;
  connection.stream.socket().shutdown(asio::ip::tcp::socket::shutdown_send, trouble);
  connection.stream.expires_after(chrono(limits::linger_time));
  std::size_t bytes = 0;
  std::array<char, 16 * 1024> discarded{};
  while (!trouble && bytes < limits::linger_bytes_max)
    bytes += co_await connection.stream.async_read_some(
        asio::buffer(discarded), asio::redirect_error(asio::use_awaitable, trouble));
}

}  // namespace

Connection::Connection(Shared& all, asio::ip::tcp::socket socket, Peer from)
    : shared(all), peer(std::move(from)), stream(std::move(socket), all.tls.get()) {
  shared.connections.insert(this);
}

Connection::~Connection() {
  shared.connections.erase(this);
  shared.peers.leave(peer.name);
  if (shared.draining && shared.connections.empty() && shared.last_connection_closed)
    shared.last_connection_closed();
}

asio::awaitable<void> serve(Shared& shared, asio::ip::tcp::socket socket, Peer peer) {
  Connection connection(shared, std::move(socket), std::move(peer));
  const bool secret = connection.stream.is_secret();
  if (secret) {
    if (!co_await shake_hands(connection)) co_return;
  }
  auto after = After::keep;
  while (after == After::keep && !shared.draining) {
    // Apart: g++ 12 awaits the right side of && and ?: although it must not.
    if (!co_await await_request(connection)) co_return;
    after = co_await serve_request(connection);
  }
  if (after == After::linger) {
    co_await linger(connection);
  } else if (secret) {
    co_await part(connection);
  }
}

}  // namespace hone::http
