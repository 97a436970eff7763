// A client's connection, plain or through TLS. Internal to server/http.
#pragma once

#include <poll.h>

#include <utility>

#include "base/net/tls_stream.hpp"
#include "server/http/tls.hpp"

namespace hone::http {

class Stream : public net::TlsStream {
 public:
  // tls: null for a plain connection.
  Stream(boost::asio::ip::tcp::socket socket, const Tls* tls)
      : TlsStream(std::move(socket), tls != nullptr ? tls->session() : nullptr,
                  boost::asio::ssl::stream_base::server) {}

  // Has the client closed its side? A client that waits for an answer keeps it open.
  bool is_gone() {
    pollfd side{socket().native_handle(), POLLRDHUP, 0};
    return ::poll(&side, 1, 0) == 1 && (side.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }
};

}  // namespace hone::http
