// A client's connection, in the open or through TLS: one type for both, so that everything above it
// is compiled once. Internal to sdk/cpp.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <optional>
#include <utility>

#include "sdk/cpp/tls.hpp"

namespace hone {

class ClientStream {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;

  // tls: null for a connection in the open.
  ClientStream(boost::asio::io_context& io, const ClientTls* tls) : tcp_(io) {
    if (tls != nullptr) tls_.emplace(tcp_, tls->session());
  }

  [[nodiscard]] bool is_secret() const { return tls_.has_value(); }
  executor_type get_executor() noexcept { return tcp_.get_executor(); }
  boost::beast::tcp_stream& tcp() { return tcp_; }  // below TLS
  SSL* session() { return tls_->next_layer().native_handle(); }
  void expires_after(std::chrono::steady_clock::duration time) { tcp_.expires_after(time); }
  void close() { tcp_.close(); }

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

  // Precondition: is_secret().
  template <class Token>
  auto async_handshake(Token&& token) {
    return tls_->next_layer().async_handshake(boost::asio::ssl::stream_base::client,
                                              std::forward<Token>(token));
  }

 private:
  boost::beast::tcp_stream tcp_;
  std::optional<boost::beast::flat_stream<boost::asio::ssl::stream<boost::beast::tcp_stream&>>>
      tls_;
};

}  // namespace hone
