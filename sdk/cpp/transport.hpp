// One blocking HTTP/1.1 connection to a hone server, with keep-alive. The only file of the SDK that
// includes Beast is transport.cpp.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/types/instant.hpp"

namespace hone {

// Where a server listens.
struct Endpoint {
  std::string host = "127.0.0.1";
  std::string port = "7777";
  std::string token;        // sent as a bearer token; empty where the server asks for none
  bool tls = false;         // https
  std::string ca_file{};    // certificates to trust; empty: those of the system
  std::string cert_file{};  // our own, for a server that asks for one
  std::string key_file{};
  [[nodiscard]] std::string authority() const;  // "127.0.0.1:7777", "[::1]:7777"
  [[nodiscard]] std::string url() const { return (tls ? "https://" : "http://") + authority(); }
};

// "http://127.0.0.1:7777", "http://[::1]:7777/": host and port, nothing behind. Refuses anything
// else, https included, with a sentence that says what to write.
Result<Endpoint> parse_endpoint(std::string_view url);

// What to show at the door. Empty members are filled from the environment: HONE_TOKEN,
// HONE_TOKEN_FILE, HONE_TLS_CA, HONE_TLS_CERT and HONE_TLS_KEY.
struct Credentials {
  std::string token{};
  std::string token_file{};  // its first word is the token
  std::string tls_ca{};
  std::string tls_cert{};
  std::string tls_key{};
};

// Fills in the endpoint's token and certificates. Refuses a token file that cannot be read.
Status equip(Endpoint& endpoint, Credentials given = {});

// Overwrites what follows --token in the arguments of this process: other users see them.
void hide_tokens(int argc, char** argv);

// HONE_SERVER and what is to be shown there, or http://127.0.0.1:7777 and nothing.
Result<Endpoint> endpoint_of_environment();

struct HttpRequest {
  std::string method = "GET";  // GET HEAD POST PUT DELETE
  std::string target = "/";    // path and query, already escaped (see escape_path)
  std::string body{};
  std::string content_type = "application/json";  // of the body; not sent where there is none
  std::string accept = "application/json";
  std::string upload{};    // path of a file to send as the body, in place of `body`
  std::string download{};  // path of a file for the body of a 2xx answer; replaced when it exists
  Duration timeout = seconds(30);  // from connecting to the last byte; a stream's longest silence
};

struct HttpResponse {
  int status = 0;
  std::string content_type;
  std::string body;  // empty where it went to `download`
  [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
};

// Not thread-safe but for interrupt(): one for each thread. Holds at most one connection, opened by
// the first call.
class Transport {
 public:
  explicit Transport(Endpoint endpoint);
  Transport(Transport&&) noexcept;
  Transport& operator=(Transport&&) noexcept;
  ~Transport();

  // Any answer is a value, whatever its status. Refuses with
  //   unavailable  cannot connect, or the connection broke; the sentence names the URL and what to
  //   try, timed_out    no complete answer within request.timeout, too_large    the answer is
  //   larger than 64 MiB (a download: 1 GiB), not_found / internal  the file to upload or download
  //   cannot be opened.
  // A kept connection that turns out to be closed is opened again once, unseen by the caller.
  Result<HttpResponse> call(const HttpRequest& request);

  // Sends a GET and hands on each line of a 2xx answer (server-sent events), without its line end,
  // until on_line answers false or the server ends the stream; both are ok with an empty body. Any
  // other status comes back with its body. `timeout` is the longest silence: the server sends a
  // comment line every 15 s. Opens a connection of its own.
  Result<HttpResponse> stream(const HttpRequest& request,
                              const std::function<bool(std::string_view line)>& on_line);

  // Thread-safe. The call in progress and every later one ends with `unavailable`.
  void interrupt();

  [[nodiscard]] const Endpoint& endpoint() const;

 private:
  struct Inside;
  struct Exchange;
  std::unique_ptr<Inside> inside_;
};

// Percent-encodes what may not stand in a path segment or a query value: "GA3C #2" ->
// "GA3C%20%232".
std::string escape_path(std::string_view text);

}  // namespace hone
