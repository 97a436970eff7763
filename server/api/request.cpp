#include "server/api/request.hpp"

#include <array>
#include <optional>

#include "base/expect.hpp"

namespace hone::api {
namespace {

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// "http://host:port/path" -> "/path": what a proxy sends (RFC 9112, 3.2.2).
std::string_view without_authority(std::string_view target) {
  constexpr std::string_view scheme = "http://";
  if (!target.starts_with(scheme)) return target;
  const auto slash = target.find('/', scheme.size());
  return slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
}

const std::string* value_of(const Request& request, std::string_view name) {
  for (const auto& [key, value] : request.query)
    if (key == name) return &value;
  return nullptr;
}

Status add_pair(Request& request, std::string_view pair) {
  if (pair.empty()) return Done{};
  const auto equals = pair.find('=');
  auto name = percent_decoded(pair.substr(0, equals));
  if (!name) return name.error();
  auto value = equals == std::string_view::npos ? Result<std::string>(std::string())
                                                : percent_decoded(pair.substr(equals + 1));
  if (!value) return value.error();
  if (value_of(request, *name) != nullptr)
    return refuse(Code::invalid, "the query names '" + *name + "' twice; give it once");
  request.query.emplace_back(*std::move(name), *std::move(value));
  return Done{};
}

}  // namespace

std::string_view word(Method method) {
  switch (method) {
    case Method::get:
      return "GET";
    case Method::post:
      return "POST";
    case Method::put:
      return "PUT";
    case Method::other:
      return "OTHER";
  }
  unreachable();
}

Result<std::string> percent_decoded(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
    if (!low || (*high == 0 && *low == 0))
      return refuse(Code::invalid,
                    "the address has a broken percent-encoding; write a plain % as %25");
    plain += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return plain;
}

std::string_view word(Query name) {
  constexpr std::array<std::string_view, query_names> words{
      "after",    "all",       "attempt", "by",     "depth",  "digest", "direction",
      "encoding", "fields",    "from",    "last",   "lease",  "limit",  "measurements",
      "name",     "objective", "offset",  "pixels", "points", "run",    "sort",
      "sweep",    "tail",      "to",      "trial",  "where",  "within"};
  return words[static_cast<std::size_t>(name)];
}

const std::string* query_value(const Request& request, Query name) {
  return value_of(request, word(name));
}

Result<Request> parse_target(Method method, std::string_view target) {
  target = without_authority(target);
  if (!target.starts_with('/'))
    return refuse(Code::invalid, "the request target must be a path such as /v1/sweeps");
  Request request;
  request.method = method;
  const auto mark = target.find('?');
  request.path = std::string(target.substr(0, mark));
  if (mark == std::string_view::npos) return request;
  auto rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const auto end = rest.find('&');
    if (auto added = add_pair(request, rest.substr(0, end)); !added) return added.error();
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  }
  return request;
}

}  // namespace hone::api
