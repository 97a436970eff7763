// A TCP connection, plain or through TLS, for clients and servers: one type for both, so that
// everything above it is compiled once. A plain connection pays a branch for each read and write.
// It is an AsyncStream of Asio with Beast's deadlines. One thread at a time.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <optional>
#include <utility>

namespace hone::net {

class TlsStream {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;
  using Side = boost::asio::ssl::stream_base::handshake_type;

  // session: null for a plain connection; else the stream frees it.
  TlsStream(boost::asio::ip::tcp::socket socket, SSL* session, Side side)
      : tcp_(std::move(socket)), side_(side) {
    if (session != nullptr) tls_.emplace(tcp_, session);
  }

  [[nodiscard]] bool is_secret() const { return tls_.has_value(); }
  executor_type get_executor() noexcept { return tcp_.get_executor(); }
  boost::asio::ip::tcp::socket& socket() { return tcp_.socket(); }
  boost::beast::tcp_stream& tcp() { return tcp_; }               // below TLS
  SSL* session() { return tls_->next_layer().native_handle(); }  // Precondition: is_secret()

  void expires_after(std::chrono::steady_clock::duration time) { tcp_.expires_after(time); }
  void cancel() { tcp_.cancel(); }
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

  // Precondition of both: is_secret().
  template <class Token>
  auto async_handshake(Token&& token) {
    return tls_->next_layer().async_handshake(side_, std::forward<Token>(token));
  }
  template <class Token>
  auto async_shutdown(Token&& token) {
    return tls_->next_layer().async_shutdown(std::forward<Token>(token));
  }

 private:
  boost::beast::tcp_stream tcp_;
  Side side_;
  // Flat: a header and its body leave in one record.
  std::optional<boost::beast::flat_stream<boost::asio::ssl::stream<boost::beast::tcp_stream&>>>
      tls_;
};

}  // namespace hone::net
