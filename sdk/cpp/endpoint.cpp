#include <algorithm>
#include <cstdlib>

#include "sdk/cpp/transport.hpp"

namespace hone {
namespace {

constexpr std::string_view scheme = "http://";
constexpr std::string_view default_url = "http://127.0.0.1:7777";

Error bad_url(std::string_view url, const std::string& why) {
  return refuse(Code::invalid, "'" + std::string(url) + "' is not a server: " + why +
                                   "; write it as " + std::string(default_url));
}

bool is_port(std::string_view text) {
  const bool digits =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || text.empty() || text.size() > 5) return false;
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

}  // namespace

std::string Endpoint::authority() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

Result<Endpoint> parse_endpoint(std::string_view url) {
  if (url.starts_with("https://"))
    return bad_url(url,
                   "this client speaks http only (put a TLS proxy on this machine in front of it)");
  if (!url.starts_with(scheme)) return bad_url(url, "it must begin with http://");
  std::string_view rest = url.substr(scheme.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@ ") != std::string_view::npos)
    return bad_url(url, "it must be host and port alone");
  const Parts parts = split(rest);
  if (parts.host.empty()) return bad_url(url, "the host is missing");
  if (!is_port(parts.port)) return bad_url(url, "the port must be a number from 1 to 65535");
  return Endpoint{std::string(parts.host), std::string(parts.port), {}};
}

Result<Endpoint> endpoint_of_environment() {
  auto endpoint = parse_endpoint(variable("HONE_SERVER", default_url));
  if (!endpoint) return refuse(Code::invalid, "HONE_SERVER: " + endpoint.error().detail);
  endpoint->token = variable("HONE_TOKEN", "");
  return endpoint;
}

std::string escape_path(std::string_view text) {
  constexpr std::string_view plain = "-._~";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_letter || plain.find(c) != std::string_view::npos) {
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
