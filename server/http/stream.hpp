// A connection's bytes, in the open or through TLS: one type for both, so that everything above it
// is compiled once. In the open it costs a branch for each read and write. Internal to server/http.
#pragma once

#include <poll.h>

#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <optional>
#include <utility>

#include "server/http/tls.hpp"

namespace hone::http {

class Stream {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;

  // tls: null for a connection in the open.
  Stream(boost::asio::ip::tcp::socket socket, const Tls* tls) : tcp_(std::move(socket)) {
    if (tls != nullptr) tls_.emplace(tcp_, tls->session());
  }

  [[nodiscard]] bool is_secret() const { return tls_.has_value(); }
  executor_type get_executor() noexcept { return tcp_.get_executor(); }
  boost::asio::ip::tcp::socket& socket() { return tcp_.socket(); }
  boost::beast::tcp_stream& tcp() { return tcp_; }  // below TLS
  void expires_after(std::chrono::steady_clock::duration time) { tcp_.expires_after(time); }
  void cancel() { tcp_.cancel(); }

  // Has the client closed its side? Whoever waits for an answer keeps it open.
  bool is_gone() {
    pollfd side{tcp_.socket().native_handle(), POLLRDHUP, 0};
    return ::poll(&side, 1, 0) == 1 && (side.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
  }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    if (tls_) return tls_->async_read_some(buffers, std::forward<Token>(token));
    return tcp_.async_read_some(buffers, std::forward<Token>(token));
  }

  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    if (tls_) return tls_->async_write_some(buffers, std::forward<Token>(token));
    return tcp_.async_write_some(buffers, std::forward<Token>(token));
  }

  // Preconditions: is_secret().
  template <class Token>
  auto async_handshake(Token&& token) {
    return tls_->next_layer().async_handshake(boost::asio::ssl::stream_base::server,
                                              std::forward<Token>(token));
  }
  template <class Token>
  auto async_shutdown(Token&& token) {
    return tls_->next_layer().async_shutdown(std::forward<Token>(token));
  }

 private:
  boost::beast::tcp_stream tcp_;
  // Flat: a header and its body leave in one record.
  std::optional<boost::beast::flat_stream<boost::asio::ssl::stream<boost::beast::tcp_stream&>>>
      tls_;
};

}  // namespace hone::http
