#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "base/ascii.hpp"
#include "base/read_file.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone {
namespace {

constexpr std::string_view scheme = "http://";
constexpr std::string_view tls_scheme = "https://";
constexpr std::string_view default_url = "http://127.0.0.1:7777";

Error bad_url(std::string_view url, const std::string& why) {
  return refuse(Code::invalid, "'" + std::string(url) + "' is not a server: " + why +
                                   "; write it as " + std::string(default_url));
}

bool is_port(std::string_view text) {
  if (!is_digits(text) || text.size() > 5) return false;
  const int port = std::stoi(std::string(text));
  return port >= 1 && port <= 65535;
}

// The host without the brackets of an IPv6 address; the port is what follows.
struct Parts {
  std::string_view host;
  std::string_view port;
};

Parts split(std::string_view authority) {
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos || authority.substr(end + 1, 1) != ":") return {};
    return {authority.substr(1, end - 1), authority.substr(end + 2)};
  }
  const auto colon = authority.find(':');
  if (colon == std::string_view::npos) return {authority, {}};
  return {authority.substr(0, colon), authority.substr(colon + 1)};
}

std::string variable(const char* name, std::string_view fallback) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): read before any thread starts
  return value == nullptr || *value == '\0' ? std::string(fallback) : std::string(value);
}

Result<std::string> token_in(const std::string& path) {
  constexpr std::size_t token_file_bytes_max = 64 * 1024;
  const auto text = read_file_within(path, token_file_bytes_max);
  if (!text) return refuse(Code::invalid, "cannot read a token: " + text.error().detail);
  std::istringstream file(*text);
  std::string token;
  if (!(file >> token))
    return refuse(Code::invalid, "cannot read a token from " + path + "; is it there, and yours?");
  // It becomes a line of every request.
  if (!std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; }))
    return refuse(Code::invalid, path + " holds no token: one is letters, digits and punctuation");
  return token;
}

}  // namespace

std::string Endpoint::authority() const { return net::HttpServer{host, port}.authority(); }

std::string Endpoint::urls() const {
  std::string list = url();
  for (const auto& [server, its_port, secret] : others)
    list += (secret ? ",https://" : ",http://") + net::HttpServer{server, its_port}.authority();
  return list;
}

namespace {

Result<Endpoint> parse_one(std::string_view url) {
  const bool tls = url.starts_with(tls_scheme);
  if (!tls && !url.starts_with(scheme))
    return bad_url(url, "it must begin with http:// or https://");
  std::string_view rest = url.substr(tls ? tls_scheme.size() : scheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@ ") != std::string_view::npos)
    return bad_url(url, "it must be host and port alone");
  const Parts parts = split(rest);
  if (parts.host.empty()) return bad_url(url, "the host is missing");
  if (!is_port(parts.port)) return bad_url(url, "the port must be a number from 1 to 65535");
  Endpoint endpoint{std::string(parts.host), std::string(parts.port), {}};
  endpoint.tls = tls;
  return endpoint;
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view urls) {
  constexpr std::size_t servers_max = 8;  // as many as a primary knows standbys
  auto endpoint = parse_one(urls.substr(0, urls.find(',')));
  while (endpoint && urls.find(',') != std::string_view::npos) {
    urls.remove_prefix(urls.find(',') + 1);
    const auto other = parse_one(urls.substr(0, urls.find(',')));
    if (!other) return other.error();
    endpoint->others.push_back({other->host, other->port, other->tls});
    if (endpoint->others.size() >= servers_max)
      return refuse(Code::invalid,
                    "there are more than " + std::to_string(servers_max) + " servers in the list");
  }
  return endpoint;
}

Result<Endpoint> endpoint_of_environment() {
  auto endpoint = parse_endpoint(variable("HONE_SERVER", default_url));
  if (!endpoint) return refuse(Code::invalid, "HONE_SERVER: " + endpoint.error().detail);
  if (const auto equipped = equip(*endpoint); !equipped) return equipped.error();
  return endpoint;
}

Status equip(Endpoint& endpoint, Credentials given) {
  const bool has_token = !given.token.empty() || !given.token_file.empty();
  if (!has_token) given.token = variable("HONE_TOKEN", "");
  if (!has_token && given.token.empty()) given.token_file = variable("HONE_TOKEN_FILE", "");
  if (given.token.empty() && !given.token_file.empty()) {
    auto token = token_in(given.token_file);
    if (!token) return token.error();
    given.token = *std::move(token);
  }
  const auto chosen = [](const std::string& word, const char* name) {
    return word.empty() ? variable(name, "") : word;
  };
  endpoint.token = std::move(given.token);
  endpoint.ca_file = chosen(given.tls_ca, "HONE_TLS_CA");
  endpoint.cert_file = chosen(given.tls_cert, "HONE_TLS_CERT");
  endpoint.key_file = chosen(given.tls_key, "HONE_TLS_KEY");
  return Done{};
}

void hide_tokens(int argc, char** argv) {
  constexpr std::string_view option = "--token";
  for (int at = 1; at < argc; ++at) {
    const std::string_view word(argv[at]);
    if (word == option && at + 1 < argc) std::fill_n(argv[at + 1], std::strlen(argv[at + 1]), 'x');
    if (word.starts_with("--token="))
      std::fill(argv[at] + option.size() + 1, argv[at] + word.size(), 'x');
  }
}

std::string escape_path(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string escaped;
  for (const char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_plain({&c, 1}, "-._~")) {
      escaped += c;
    } else {
      escaped += '%';
      escaped += digits[byte >> 4U];
      escaped += digits[byte & 15U];
    }
  }
  return escaped;
}

}  // namespace hone
