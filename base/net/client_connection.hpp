// A client's connection, plain or through TLS, for Beast's blocking functions. Not thread-safe.
#pragma once

#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/system/system_error.hpp>
#include <chrono>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/net/client_tls.hpp"
#include "base/net/tls_stream.hpp"

namespace hone::net {

// Below Beast's functions each operation is asynchronous, because only those obey a deadline. They
// have one type of handler, so that TLS is compiled once.
class ClientConnection {
 public:
  using Failure = boost::system::error_code;

  ClientConnection(boost::asio::io_context& io, const ClientTls* tls,
                   const std::atomic<bool>& interrupted)
      : io_(io),
        interrupted_(interrupted),
        stream_(boost::asio::ip::tcp::socket(io), tls != nullptr ? tls->session() : nullptr,
                boost::asio::ssl::stream_base::client) {}

  TlsStream& stream() { return stream_; }
  boost::beast::flat_buffer& buffer() { return buffer_; }

  Failure connect(const boost::asio::ip::tcp::resolver::results_type& found) {
    return perform([&](auto done) { stream_.tcp().async_connect(found, done); }).failure;
  }
  Failure handshake() {
    return perform([&](auto done) { stream_.async_handshake(done); }).failure;
  }

  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, Failure& failure) {
    return read(*boost::asio::buffer_sequence_begin(buffers), failure);
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers) {
    return or_throw([&](Failure& failure) { return read_some(buffers, failure); });
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, Failure& failure) {
    return write(
        {boost::asio::buffer_sequence_begin(buffers), boost::asio::buffer_sequence_end(buffers)},
        failure);
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers) {
    return or_throw([&](Failure& failure) { return write_some(buffers, failure); });
  }

  std::chrono::steady_clock::time_point used_at;

 private:
  struct Performed {
    Failure failure;
    std::size_t bytes = 0;
  };

  // Runs one asynchronous operation to its end.
  template <class Begin>
  Performed perform(Begin begin) {
    Performed performed;
    if (interrupted_) return {boost::asio::error::operation_aborted};
    io_.restart();
    begin([&performed](Failure failure, auto... rest) {
      performed.failure = failure;
      if constexpr ((std::is_same_v<decltype(rest), std::size_t> && ...))
        performed.bytes = (std::size_t{0} + ... + rest);
    });
    io_.run();
    return performed;
  }

  std::size_t read(boost::asio::mutable_buffer buffer, Failure& failure) {
    const auto performed = perform([&](auto done) { stream_.async_read_some(buffer, done); });
    failure = performed.failure;
    return performed.bytes;
  }

  std::size_t write(const std::vector<boost::asio::const_buffer>& buffers, Failure& failure) {
    const auto performed = perform([&](auto done) { stream_.async_write_some(buffers, done); });
    failure = performed.failure;
    return performed.bytes;
  }

  template <class Transfer>
  static std::size_t or_throw(Transfer transfer) {
    Failure failure;
    const std::size_t bytes = transfer(failure);
    if (failure) throw boost::system::system_error(failure);
    return bytes;
  }

  // Bytes that are read and not parsed yet: a header of 64 KiB, or the line of a chunk.
  static constexpr std::size_t buffer_bytes_max = 128 * 1024;

  boost::asio::io_context& io_;
  const std::atomic<bool>& interrupted_;
  TlsStream stream_;
  boost::beast::flat_buffer buffer_{buffer_bytes_max};
};

}  // namespace hone::net
