#include "server/http/outgoing.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>

namespace hone::http {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::uint64_t answer_bytes_max = 64 * 1024;  // only its status is wanted

Error no_url(const std::string& text, const char* why) {
  return refuse(Code::invalid, "'" + text + "' " + why +
                                   "; write it as https://host/path or http://host:port/path");
}

// Runs one asynchronous operation to its end: only those obey a stream's deadline.
template <class Begin>
error_code perform(asio::io_context& io, Begin begin) {
  error_code result;
  io.restart();
  begin([&result](error_code trouble, auto&&...) { result = trouble; });
  io.run();
  return result;
}

template <class Stream>
error_code exchange(asio::io_context& io, Stream& stream,
                    bhttp::request<bhttp::string_body>& request, int& status) {
  if (auto trouble =
          perform(io, [&](auto done) { bhttp::async_write(stream, request, std::move(done)); }))
    return trouble;
  beast::flat_buffer buffer;
  bhttp::response_parser<bhttp::string_body> parser;
  parser.body_limit(answer_bytes_max);
  const auto trouble = perform(
      io, [&](auto done) { bhttp::async_read_header(stream, buffer, parser, std::move(done)); });
  status = static_cast<int>(parser.get().result_int());
  return trouble;
}

bhttp::request<bhttp::string_body> make_request(const Url& url, const Headers& headers,
                                                const std::string& body) {
  bhttp::request<bhttp::string_body> request(bhttp::verb::post, url.target, 11, body);
  request.set(bhttp::field::host, url.host + ":" + url.port);
  request.set(bhttp::field::user_agent, "hone/" HONE_VERSION);
  request.set(bhttp::field::content_type, "application/json");
  for (const auto& [name, value] : headers) request.set(name, value);
  request.keep_alive(false);
  request.prepare_payload();
  return request;
}

error_code exchange_secretly(asio::io_context& io, beast::tcp_stream& stream, const Url& url,
                             bhttp::request<bhttp::string_body>& request, int& status) {
  asio::ssl::context context(asio::ssl::context::tls_client);
  context.set_default_verify_paths();
  context.set_verify_mode(asio::ssl::verify_peer);
  asio::ssl::stream<beast::tcp_stream&> secret(stream, context);
  secret.set_verify_callback(asio::ssl::host_name_verification(url.host));
  // What the macro SSL_set_tlsext_host_name does, without its casts.
  if (SSL_ctrl(secret.native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
               std::string(url.host).data()) != 1)
    return asio::error::invalid_argument;
  const auto trouble = perform(io, [&](auto done) {
    secret.async_handshake(asio::ssl::stream_base::client, std::move(done));
  });
  return trouble ? trouble : exchange(io, secret, request, status);
}

}  // namespace

Result<Url> parse_url(const std::string& text) {
  Url url;
  url.secret = text.starts_with("https://");
  if (!url.secret && !text.starts_with("http://")) return no_url(text, "is neither http nor https");
  const std::string rest = text.substr(url.secret ? 8 : 7);
  const auto slash = std::min(rest.find('/'), rest.size());
  const std::string authority = rest.substr(0, slash);
  url.target = slash == rest.size() ? "/" : rest.substr(slash);
  if (authority.find('@') != std::string::npos) return no_url(text, "names a user");
  for (const char c : text)
    if (c <= ' ' || c == '#' || c == '\x7f') return no_url(text, "has a blank or a fragment");
  const auto colon = authority.rfind(':');
  const bool has_port =
      colon != std::string::npos && authority.find(']', colon) == std::string::npos;
  url.host = authority.substr(0, has_port ? colon : authority.size());
  url.port = has_port ? authority.substr(colon + 1) : url.secret ? "443" : "80";
  if (url.host.size() > 2 && url.host.front() == '[')
    url.host = url.host.substr(1, url.host.size() - 2);
  const bool digits = url.port.find_first_not_of("0123456789") == std::string::npos;
  if (url.host.empty() || url.port.empty() || !digits) return no_url(text, "names no host");
  return url;
}

Result<int> post(const Url& url, const Headers& headers, const std::string& body,
                 Duration timeout) {
  const auto unreachable = [&](const error_code& trouble) {
    const bool late = trouble == beast::error::timeout;
    return refuse(late ? Code::timed_out : Code::unavailable,
                  "no answer from " + url.host + ":" + url.port + ": " + trouble.message());
  };
  asio::io_context io;
  asio::ip::tcp::resolver resolver(io);
  error_code trouble;
  const auto found = resolver.resolve(url.host, url.port, trouble);
  if (trouble) return unreachable(trouble);
  beast::tcp_stream stream(io);
  stream.expires_after(std::chrono::microseconds(timeout.us));
  trouble = perform(io, [&](auto done) { stream.async_connect(found, std::move(done)); });
  if (trouble) return unreachable(trouble);
  auto request = make_request(url, headers, body);
  int status = 0;
  trouble = url.secret ? exchange_secretly(io, stream, url, request, status)
                       : exchange(io, stream, request, status);
  if (trouble) return unreachable(trouble);
  return status;
}

}  // namespace hone::http
