// A request as the API sees it: no sockets, no Beast. The skin (server/http) fills one in; tests
// write them by hand.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "server/sweep/caller.hpp"

namespace hone {
struct Counters;
}

namespace hone::api {

enum class Method { get, post, put, other };  // HEAD arrives as get: the skin leaves the body out

std::string_view word(Method method);  // "GET"

struct Request {
  Method method = Method::get;
  std::string path;                                        // as sent: percent-encoded, no query
  std::vector<std::pair<std::string, std::string>> query;  // decoded, in the order sent
  std::vector<std::string> ids;  // what the pattern's {...} matched, decoded
  std::string accept;            // the header Accept
  std::string last_event_id;     // the header Last-Event-ID
  std::string body;
  const Counters* counters = nullptr;  // of this server, for what shows them
  Caller speaker{};                   // whose token the request bore
};

// Splits a request target ("/v1/sweeps?limit=10", or the absolute form of a proxy) into path and
// query. Refuses a target that is neither, a broken percent-encoding, and a query name that is
// given twice.
Result<Request> parse_target(Method method, std::string_view target);

// "%2F" -> "/"; nullopt for a broken encoding or for one that hides a zero byte. '+' stays a plus
// sign.
Result<std::string> percent_decoded(std::string_view text);

// The value of a query name, or nullptr.
const std::string* query_value(const Request& request, std::string_view name);

}  // namespace hone::api
