#include "schemas/codec/problem.hpp"

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "server/api/response.hpp"

namespace hone::api {
namespace {

// Queues empty in milliseconds; a second spreads the retries.
constexpr int retry_after_s = 1;

int retry_after(Code code) {
  return is_retryable(code) && code != Code::timed_out ? retry_after_s : 0;
}

}  // namespace

Response json_response(const Json& body, int status) {
  Response response;
  response.status = status;
  response.body = to_text(body);
  return response;
}

Response problem(const Error& error) {
  auto response = json_response(encode(error), http_status(error.code));
  response.retry_after_s = retry_after(error.code);
  return response;
}

Response wrong_method(std::string_view method, const std::string& path, const std::string& allow) {
  auto response = problem(refuse(Code::invalid, std::string(method) + " is not possible on " +
                                                    path + "; this path answers to " + allow));
  response.status = 405;
  response.allow = allow;
  return response;
}

}  // namespace hone::api
