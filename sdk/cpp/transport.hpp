// Where a hone server listens, and the blocking connection to it.
#pragma once

#include <string>
#include <string_view>

#include "base/net/http_client.hpp"
#include "base/result.hpp"

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

// "http://127.0.0.1:7777", "http://[::1]:7777/", https likewise: host and port, nothing behind.
// Refuses anything else with a sentence that says what to write.
Result<Endpoint> parse_endpoint(std::string_view url);

// The credentials that the client sends. Empty members are filled from the environment: HONE_TOKEN,
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

using net::HttpRequest;
using net::HttpResponse;

// The HTTP client of an endpoint; base/net/http_client.hpp has the contract. Its errors say what to
// try with a hone server.
class Transport : public net::HttpClient {
 public:
  explicit Transport(Endpoint endpoint);
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

 private:
  Endpoint endpoint_;
};

// Percent-encodes what may not stand in a path segment or a query value: "GA3C #2" ->
// "GA3C%20%232".
std::string escape_path(std::string_view text);

}  // namespace hone
