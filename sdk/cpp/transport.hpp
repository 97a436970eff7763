// Where a hone server listens, and the blocking connection to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http_client.hpp"
#include "base/result.hpp"

namespace hone {

// Where a server listens, and further servers of the same ledger: its standbys.
struct Endpoint {
  struct Address {
    std::string host;
    std::string port;
    bool tls = false;
  };

  std::string host = "127.0.0.1";
  std::string port = "7777";
  std::string token;        // sent as a bearer token; empty where the server asks for none
  bool tls = false;         // https
  std::string ca_file{};    // certificates to trust; empty: those of the system
  std::string cert_file{};  // our own, for a server that asks for one
  std::string key_file{};
  std::vector<Address> others{};                // get the same credentials
  [[nodiscard]] std::string authority() const;  // "127.0.0.1:7777", "[::1]:7777"
  [[nodiscard]] std::string url() const { return (tls ? "https://" : "http://") + authority(); }
  [[nodiscard]] std::string urls() const;  // of all, with commas, as parse_endpoint reads them
};

// "http://127.0.0.1:7777", "http://[::1]:7777/", https likewise: host and port, nothing behind.
// Several with commas are a server and its standbys.
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
// try with a hone server. Of several servers it calls the one that is the primary: it asks all of
// them at its first call, and whenever that one does not answer or is a standby, and then repeats
// the request once. It returns the newest term that it has seen, so that a server that was replaced
// learns of it.
class Transport {
 public:
  explicit Transport(Endpoint endpoint);
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

  Result<HttpResponse> call(const HttpRequest& request);
  Result<HttpResponse> stream(const HttpRequest& request,
                              const std::function<bool(std::string_view line)>& on_line);
  void interrupt();  // thread-safe

 private:
  struct Seen {
    bool answers = false;
    bool primary = false;
    std::int64_t term = 0;
    std::string term_text;
  };
  Seen look_at(net::HttpClient& server);
  void choose();
  net::HttpClient& chosen();
  [[nodiscard]] HttpRequest with_term(HttpRequest request) const;

  Endpoint endpoint_;
  std::vector<std::unique_ptr<net::HttpClient>> servers_;  // of the endpoint, then of the others
  std::size_t current_ = 0;
  bool has_chosen_ = false;
  std::int64_t term_ = 0;  // the newest seen
  std::string term_text_;
};

// Percent-encodes what may not stand in a path segment or a query value: "GA3C #2" ->
// "GA3C%20%232".
std::string escape_path(std::string_view text);

}  // namespace hone
