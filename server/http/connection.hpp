// One client's connection as the answers see it: bytes in, bytes out. session.cpp implements it
// and is the only file that parses HTTP. Internal to server/http.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/api/router.hpp"
#include "server/http/client_limits.hpp"
#include "server/http/shared.hpp"

namespace hone::http {

class Connection;

// A request's header.
struct RequestHead {
  std::string method;  // "GET"
  std::string target;
  unsigned version = 11;  // 10 or 11
  bool keep_alive = false;
  bool chunked = false;
  std::optional<std::uint64_t> content_length;
  std::size_t fields = 0;  // in all
  std::string host, origin, authorization, expect, accept, last_event_id, request_id;
  std::string accept_encoding, if_none_match, term, site;
};

// A request whose header was accepted. Its body is read when its route is known.
struct Incoming {
  api::Request request;
  const api::Route* route = nullptr;
  std::string id;         // X-Request-Id: the client's, else one of ours
  unsigned version = 11;  // 10 or 11
  std::optional<std::uint64_t> content_length;
  bool keep_alive = false;
  bool head_only = false;  // HEAD: the answer has no body
  bool has_body = false;
  bool chunked = false;
  bool wants_continue = false;  // Expect: 100-continue
};

// Whom the request's reads and bytes are counted for: its token, else its address.
std::string speaker_of(const Connection& connection, const Incoming& incoming);

// Every operation fails with boost::system::system_error when the client is gone or too slow.
class Connection {
 public:
  // Precondition: shared.clients counts the connection. The destructor removes it.
  Connection(Shared& all, ClientAddress from);
  virtual ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  virtual void expires_after(Duration time) = 0;  // the deadline of what follows
  virtual void cancel() = 0;                      // what is in progress
  virtual bool is_gone() = 0;                     // has the client closed its side?

  // Completes when the client sends a byte or closes its side.
  virtual boost::asio::awaitable<void> input() = 0;

  // Read the body of the current request: all of it, or the next piece until one of 0 bytes. They
  // refuse (too_large) more than `most` bytes, and read_body (invalid) a body that breaks HTTP.
  virtual boost::asio::awaitable<Status> read_body(std::string& body, std::size_t most) = 0;
  virtual boost::asio::awaitable<Result<std::size_t>> read_piece(std::span<char> piece,
                                                                 std::size_t most) = 0;

  // Writes the bytes that the socket takes without waiting, and returns their number.
  virtual std::size_t write_at_once(std::string_view bytes) = 0;
  virtual boost::asio::awaitable<void> write(std::string_view bytes) = 0;

  Shared& shared;
  const ClientAddress client;
  bool idle = true;  // between two requests: may be closed without loss
};

// What becomes of a connection after an answer.
enum class After {
  keep,
  close,
  linger  // the client is still sending a body that will not be read
};

constexpr std::chrono::microseconds chrono(Duration duration) {
  return std::chrono::microseconds(duration.us);
}

// The header of an answer. `length` is nullopt for a body that ends with the connection.
std::string head_text(const Incoming& incoming, const api::Response& answer, bool keep,
                      std::optional<std::int64_t> length);

// A whole answer to a client that gets no session: the connection is closed after it.
std::string refusal_text(const Error& error);

// Adds the fields by which a follower's answers name how far they are behind.
void add_role(const Shared& shared, std::string& fields);

// Writes a whole answer.
boost::asio::awaitable<After> write_answer(Connection& connection, const Incoming& incoming,
                                           api::Response response);

// Writes an answer although the request's body was not read, or not to its end.
boost::asio::awaitable<After> write_early(Connection& connection, Incoming& incoming,
                                          api::Response response);

// Sends 100 Continue to a client that waits for it before it sends its body.
boost::asio::awaitable<void> send_continue(Connection& connection, const Incoming& incoming);

// Answers a request whose header was read (dispatch.cpp).
boost::asio::awaitable<After> answer_request(Connection& connection, const RequestHead& head);

// The routes that do not answer with one body in memory (blob_transfer.cpp, piecewise.cpp,
// watch.cpp).
boost::asio::awaitable<After> put_blob(Connection& connection, Incoming& incoming);
boost::asio::awaitable<After> get_blob(Connection& connection, const Incoming& incoming);
boost::asio::awaitable<After> send_pieces(Connection& connection, const Incoming& incoming);
boost::asio::awaitable<After> follow(Connection& connection, const Incoming& incoming);
boost::asio::awaitable<After> pull_page(Connection& connection, const Incoming& incoming);

// Counts the standbys that have asked lately.
void forget_silent_standbys(Shared& shared);

// Takes a piece of a log (log_upload.cpp).
boost::asio::awaitable<api::Response> take_log(Connection& connection, const Incoming& incoming);

// Serves one connection to its end (session.cpp).
boost::asio::awaitable<void> serve(Shared& shared, boost::asio::ip::tcp::socket socket,
                                   ClientAddress client);

}  // namespace hone::http
