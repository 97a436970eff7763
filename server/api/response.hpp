// An answer of the API. server/http adds the fields that every response has.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::api {

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::string allow;      // the header Allow, for 405
  int retry_after_s = 0;  // the header Retry-After, when not 0
  std::string cache_control = "no-store";
  std::string fields;  // further header fields, each "Name: value\r\n"
};

Response json_response(const Json& body, int status = 200);

// Renders a refusal: the problem body, and the status of its code.
Response problem(const Error& error);

// 405: the path does not have the method. allow: "GET, HEAD".
Response wrong_method(std::string_view method, const std::string& path, const std::string& allow);

}  // namespace hone::api
