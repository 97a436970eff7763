// One client's connection, and how answers are written to it. Internal to server/http.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <string>

#include "server/api/router.hpp"
#include "server/http/shared.hpp"
#include "server/http/stream.hpp"

namespace hone::http {

struct Peer {
  std::string name;  // its address
  bool is_local = false;
};

struct Connection {
  // Precondition: the peer has entered; it leaves with the connection.
  Connection(Shared& all, boost::asio::ip::tcp::socket socket, Peer from);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Shared& shared;
  Peer peer;
  Stream stream;
  boost::beast::flat_buffer buffer;  // bytes read and not yet parsed
  bool idle = true;                  // between two requests: may be closed without loss
};

using HeadParser = boost::beast::http::request_parser<boost::beast::http::empty_body>;

// A request whose header has been read and whose body has not.
struct Incoming {
  HeadParser parser;
  api::Request request;
  const api::Route* route = nullptr;
  std::string id;         // X-Request-Id: the client's, else one of ours
  unsigned version = 11;  // 10 or 11
  bool keep_alive = false;
  bool head_only = false;  // HEAD: the answer has no body
  bool has_body = false;
  bool wants_continue = false;  // Expect: 100-continue
};

// What became of a connection after an answer.
enum class After {
  keep,
  close,
  linger
};  // linger: the client is still sending what nobody will read

constexpr std::chrono::microseconds chrono(Duration duration) {
  return std::chrono::microseconds(duration.us);
}

// Header of an answer; the caller adds a body, or its length.
boost::beast::http::response<boost::beast::http::empty_body> make_head(const Incoming& incoming,
                                                                       int status,
                                                                       const std::string& type);

// Writes a whole answer. After::close when the client or the server wants it so.
boost::asio::awaitable<After> write_answer(Connection& connection, const Incoming& incoming,
                                           api::Response response);

// Writes an answer although the request's body was not read, or not to its end.
boost::asio::awaitable<After> write_early(Connection& connection, Incoming& incoming,
                                          api::Response response);

// Tells a client that waits for it to send its body.
boost::asio::awaitable<void> invite_body(Connection& connection, const Incoming& incoming);

// The routes that are no question and answer (blob_transfer.cpp, watch.cpp).
boost::asio::awaitable<After> put_blob(Connection& connection, Incoming& incoming);
boost::asio::awaitable<After> get_blob(Connection& connection, const Incoming& incoming);
boost::asio::awaitable<After> follow(Connection& connection, const Incoming& incoming);

// Serves one connection to its end (session.cpp).
boost::asio::awaitable<void> serve(Shared& shared, boost::asio::ip::tcp::socket socket, Peer peer);

}  // namespace hone::http
