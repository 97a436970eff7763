#include <arpa/inet.h>

#include <charconv>

#include "server/http/server.hpp"

namespace hone::http {
namespace {

bool is_ipv4(const std::string& host) {
  in_addr parsed{};
  return inet_pton(AF_INET, host.c_str(), &parsed) == 1;
}

bool is_ipv6(const std::string& host) {
  in6_addr parsed{};
  return inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

Error unclear(const std::string& text) {
  return refuse(Code::invalid, "'" + text +
                                   "' is no address to listen on; write it as 127.0.0.1:7777, "
                                   "[::1]:7777 or localhost:7777 (port 0 picks a free one)");
}

}  // namespace

Result<Address> parse_address(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return unclear(text);
  Address address;
  address.host = text.substr(0, colon);
  const auto* begin = text.data() + colon + 1;
  const auto* end = text.data() + text.size();
  const auto [stop, trouble] = std::from_chars(begin, end, address.port);
  if (trouble != std::errc() || stop != end) return unclear(text);
  if (address.host == "localhost") address.host = "127.0.0.1";
  const bool bracketed =
      address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']';
  if (bracketed) address.host = address.host.substr(1, address.host.size() - 2);
  if (bracketed ? !is_ipv6(address.host) : !is_ipv4(address.host)) return unclear(text);
  return address;
}

bool is_loopback(const Address& address) {
  return address.host == "::1" || (is_ipv4(address.host) && address.host.starts_with("127."));
}

std::string text(const Address& address) {
  const auto host = is_ipv6(address.host) ? "[" + address.host + "]" : address.host;
  return host + ":" + std::to_string(address.port);
}

}  // namespace hone::http
