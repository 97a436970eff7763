#include "schemas/codec/problem.hpp"

#include <array>
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
  // In the order of Code.
  constexpr std::array statuses{400, 404, 409, 409, 403, 413, 503, 503, 504, 500, 401, 429, 409};
  static_assert(statuses.size() == words_of<Code>.size());
  const auto index = static_cast<std::size_t>(code);
  return index < statuses.size() ? statuses[index] : 500;
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
