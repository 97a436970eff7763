// A blocking HTTP/1.1 client with keep-alive, over TCP or TLS. Only http_client.cpp includes Beast.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace hone::net {

using Headers = std::vector<std::pair<std::string, std::string>>;

// Whom a client calls.
struct HttpServer {
  std::string host;
  std::string port;
  bool tls = false;         // https
  std::string ca_file{};    // certificates to trust; empty: those of the system
  std::string cert_file{};  // the client's own, for a server that asks for one
  std::string key_file{};   // empty: in cert_file
  Headers headers{};        // of every request
  // A connection that was idle for longer is not used again: the server may be closing it.
  std::chrono::microseconds idle_time = std::chrono::seconds(60);
  std::string if_unreachable{};  // what to do then: the end of the error's sentence
  std::string if_untrusted{};    // the same, where the server's certificate is not accepted

  [[nodiscard]] std::string authority() const;  // "127.0.0.1:7777", "[::1]:7777"
  [[nodiscard]] std::string url() const { return (tls ? "https://" : "http://") + authority(); }
};

struct HttpRequest {
  std::string method = "GET";  // GET HEAD POST PUT DELETE
  std::string target = "/";    // path and query, percent-encoded
  std::string body{};
  std::string content_type = "application/json";  // of the body; not sent where there is none
  std::string accept = "application/json";        // not sent if empty
  std::string upload{};    // path of a file to send as the body, in place of `body`
  std::string download{};  // path of a file for the body of a 2xx answer; replaced when it exists
  // From connecting to the last byte; a stream's longest silence.
  std::chrono::microseconds timeout = std::chrono::seconds(30);
  // Bounds the body of an answer that does not go to `download`.
  std::uint64_t body_bytes_max = std::uint64_t{64} << 20U;
  std::uint64_t download_bytes_max = std::uint64_t{1} << 30U;
  Headers headers{};
  bool wants_body = true;  // false: the answer ends with its head, and the connection with it
};

struct HttpResponse {
  int status = 0;
  std::string content_type;
  std::string body;  // empty where it went to `download`
  [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
};

// Not thread-safe but for interrupt(): one for each thread. Holds at most one connection, opened by
// the first call.
class HttpClient {
 public:
  explicit HttpClient(HttpServer server);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  // Any answer is a value, whatever its status; redirects are not followed. Refuses with
  //   unavailable          cannot connect, or the connection broke; the sentence names the URL
  //   timed_out            no complete answer within request.timeout
  //   too_large            the answer is larger than body_bytes_max or download_bytes_max
  //   invalid              the server's certificate files cannot be used
  //   not_found, internal  the file to upload, or to download, cannot be opened.
  // A kept connection that turns out to be closed is opened again once, unseen by the caller.
  Result<HttpResponse> call(const HttpRequest& request);

  // Sends a GET and hands on each line of a 2xx answer (server-sent events), without its line end,
  // until on_line returns false or the server ends the stream; both are ok with an empty body.
  // Refuses (too_large) a line of more than 16 MiB. Any
  // other status comes back with its body. `timeout` is the longest silence. Opens a connection of
  // its own.
  Result<HttpResponse> stream(const HttpRequest& request,
                              const std::function<bool(std::string_view line)>& on_line);

  // Thread-safe. The call in progress and every later one ends with `unavailable`.
  void interrupt();

 private:
  struct Inside;
  struct Exchange;
  std::unique_ptr<Inside> inside_;
};

}  // namespace hone::net
