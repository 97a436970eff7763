// Requests that the server itself makes: webhooks. Blocking, each on its own connection.
#pragma once

#include <string>

#include "base/net/http_client.hpp"
#include "base/result.hpp"
#include "schemas/types/instant.hpp"

namespace hone::http {

struct Url {
  bool secret = false;  // https
  std::string host;
  std::string port;
  std::string target;  // path and query
};

// Refuses whatever is neither http:// nor https://, names a user, or has a fragment.
Result<Url> parse_url(const std::string& text);

using net::Headers;

// POSTs and answers the status; redirects are not followed: 301 is a status like any other. Refuses
// (unavailable, timed_out) when there is none. https demands a certificate that the system trusts.
Result<int> post(const Url& url, const Headers& headers, const std::string& body, Duration timeout);

}  // namespace hone::http
