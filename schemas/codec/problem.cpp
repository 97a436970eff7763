#include "schemas/codec/problem.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"

namespace hone {
namespace {

// The member of that name if it is a string, else "".
std::string text_of(const Json& document, const char* key) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_string()) return {};
  return found->get<std::string>();
}

}  // namespace

int http_status(Code code) {
  switch (code) {
    case Code::invalid:
      return 400;
    case Code::unauthenticated:
      return 401;
    case Code::forbidden:
      return 403;
    case Code::not_found:
      return 404;
    case Code::conflict:
    case Code::stale_lease:
    case Code::stale_epoch:
      return 409;
    case Code::too_large:
      return 413;
    case Code::rate_limited:
      return 429;
    case Code::internal:
      return 500;
    case Code::busy:
    case Code::unavailable:
      return 503;
    case Code::timed_out:
      return 504;
  }
  return 500;
}

bool is_retryable(Code code) {
  const int status = http_status(code);
  return status == 429 || status == 503 || status == 504;
}

Json encode(const Error& error) {
  Json json = Json::object();
  json["code"] = word(error.code);
  json["detail"] = error.detail;
  json["at"] = error.at;
  json["retryable"] = is_retryable(error.code);
  return json;
}

Error decode_problem(const Json& document) {
  const auto code =
      document.is_object() ? parse_word<Code>(text_of(document, "code")) : std::nullopt;
  if (!code) {
    constexpr std::size_t shown_max = 200;
    auto shown = to_text(document).substr(0, shown_max);
    return refuse(Code::internal,
                  "the other side refused with a body that is no problem: " + shown);
  }
  return refuse(*code, text_of(document, "detail"), text_of(document, "at"));
}

}  // namespace hone
