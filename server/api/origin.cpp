#include "server/api/origin.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace hone::api {
namespace {

bool same(std::string_view a, std::string_view b) {
  const auto equal = [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  };
  return std::ranges::equal(a, b, equal);
}

// "127.0.0.1:7777" -> "127.0.0.1"; "[::1]:7777" -> "[::1]".
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_address(std::string_view host) {
  if (host.starts_with('[')) return true;
  const auto of_address = [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; };
  return !host.empty() && std::ranges::all_of(host, of_address);
}

}  // namespace

Status check_origin(std::string_view host, std::string_view origin, Listening how) {
  const auto name = without_port(host);
  if (how.local_only && !host.empty() && !is_address(name) && !same(name, "localhost"))
    return refuse(Code::forbidden, "this server listens on this machine alone and is not called '" +
                                       std::string(name) + "'; use 127.0.0.1 or localhost");
  if (origin.empty() || same(origin, (how.tls ? "https://" : "http://") + std::string(host)))
    return Done{};
  return refuse(Code::forbidden, "a page of " + std::string(origin) + " may not use this server");
}

Status check_site(std::string_view site) {
  if (site.empty() || site == "same-origin" || site == "none") return Done{};
  return refuse(Code::forbidden,
                "a page of another site may not use this server; open its address directly");
}

}  // namespace hone::api
