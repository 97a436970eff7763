#include "server/http/header_rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "base/ascii.hpp"

namespace hone::http {
namespace {

constexpr std::string_view line_end = "\r\n";

Error bad_http(const std::string& why) {
  return refuse(Code::invalid, "this is no HTTP/1.1 request: " + why);
}

// tchar of RFC 9110, 5.6.2.
bool is_token_char(char c) {
  return is_letter_or_digit(c) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// What a field's value may hold: visible characters, bytes beyond ASCII, blanks between them.
bool is_value_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

// A name, an IPv4 address or an IPv6 address in brackets, and a port.
bool is_host_char(char c) {
  return is_letter_or_digit(c) ||
         std::string_view("-._~!$&'()*+,;=%:[]").find(c) != std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return low;
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find(line_end);
  const auto line = rest.substr(0, end);
  rest.remove_prefix(std::min(rest.size(), line.size() + line_end.size()));
  return line;
}

// The fields whose meaning depends on there being one.
constexpr std::array<std::string_view, 9> single_fields{
    "host",   "content-length", "transfer-encoding", "origin",      "authorization",
    "expect", "last-event-id",  "x-request-id",      "content-type"};

// The values of the single fields.
class Fields {
 public:
  Status add(std::string_view name, std::string_view value) {
    const auto low = lower(name);
    const auto at = std::ranges::find(single_fields, low);
    if (at == single_fields.end()) return Done{};
    auto& held = values_[static_cast<std::size_t>(at - single_fields.begin())];
    if (held)
      return refuse(Code::invalid, "the request must have one " + std::string(name) + " header" +
                                       (low == "host" ? "" : " at most"));
    held = value;
    return Done{};
  }
  [[nodiscard]] std::optional<std::string_view> value(std::string_view name) const {
    const auto at = std::ranges::find(single_fields, name);
    return values_[static_cast<std::size_t>(at - single_fields.begin())];
  }

 private:
  std::array<std::optional<std::string_view>, single_fields.size()> values_{};
};

Status add_field(Fields& fields, std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t')
    return bad_http("a line of its header continues the one before");
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return bad_http("a line of its header has no colon");
  const auto name = line.substr(0, colon);
  if (name.empty() || !std::ranges::all_of(name, is_token_char))
    return bad_http("a field's name has a character that HTTP does not allow");
  const auto value = trimmed(line.substr(colon + 1));
  if (!std::ranges::all_of(value, is_value_char))
    return bad_http("the value of " + std::string(name) + " has a control character");
  return fields.add(name, value);
}

// RFC 9112, 6: a body whose end two programs could see in two places.
Status check_framing(const Fields& fields, bool is_http_1_0) {
  const auto length = fields.value("content-length");
  if (length && (length->empty() || !std::ranges::all_of(*length, is_digit)))
    return bad_http("its Content-Length is no number");
  const auto encoding = fields.value("transfer-encoding");
  if (!encoding) return Done{};
  if (is_http_1_0) return bad_http("HTTP/1.0 has no Transfer-Encoding");
  if (length) return bad_http("it has a Content-Length and a Transfer-Encoding");
  if (lower(*encoding) != "chunked")
    return bad_http("the only Transfer-Encoding this server supports is chunked");
  return Done{};
}

Status check_host(const Fields& fields, bool is_http_1_0) {
  const auto host = fields.value("host");
  if (!host && is_http_1_0) return Done{};
  if (!host) return refuse(Code::invalid, "the request must have one Host header");
  if (!std::ranges::all_of(*host, is_host_char)) return bad_http("its Host is no host");
  return Done{};
}

}  // namespace

std::size_t header_end(std::string_view bytes) {
  const auto end = bytes.find("\r\n\r\n");
  return end == std::string_view::npos ? end : end + 4;
}

Status check_method_so_far(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == ' ') break;
    if (!is_token_char(c)) return bad_http("it does not begin with a method; write http://");
  }
  return Done{};
}

Status check_header_text(std::string_view header) {
  const auto start = take_line(header);
  const bool is_http_1_0 = start.ends_with(" HTTP/1.0");
  Fields fields;
  while (!header.empty()) {
    const auto line = take_line(header);
    if (line.empty()) break;
    if (auto added = add_field(fields, line); !added) return added;
  }
  if (auto framed = check_framing(fields, is_http_1_0); !framed) return framed;
  return check_host(fields, is_http_1_0);
}

bool is_ambiguous_line(std::string_view line) { return !std::ranges::all_of(line, is_value_char); }

std::string_view authority_of(std::string_view target) {
  constexpr std::string_view scheme = "http://";
  if (!target.starts_with(scheme)) return {};
  target.remove_prefix(scheme.size());
  return target.substr(0, target.find_first_of("/?#"));
}

}  // namespace hone::http
