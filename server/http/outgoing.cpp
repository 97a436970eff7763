#include "server/http/outgoing.hpp"

#include <algorithm>
#include <chrono>

#include "base/net/http_client.hpp"

namespace hone::http {
namespace {

Error no_url(const std::string& text, const char* why) {
  return refuse(Code::invalid, "'" + text + "' " + why +
                                   "; write it as https://host/path or http://host:port/path");
}

}  // namespace

Result<Url> parse_url(const std::string& text) {
  Url url;
  url.secret = text.starts_with("https://");
  if (!url.secret && !text.starts_with("http://")) return no_url(text, "is neither http nor https");
  const std::string rest = text.substr(url.secret ? 8 : 7);
  const auto slash = std::min(rest.find('/'), rest.size());
  const std::string authority = rest.substr(0, slash);
  url.target = slash == rest.size() ? "/" : rest.substr(slash);
  if (authority.find('@') != std::string::npos) return no_url(text, "names a user");
  for (const char c : text)
    if (c <= ' ' || c == '#' || c == '\x7f') return no_url(text, "has a blank or a fragment");
  const auto colon = authority.rfind(':');
  const bool has_port =
      colon != std::string::npos && authority.find(']', colon) == std::string::npos;
  url.host = authority.substr(0, has_port ? colon : authority.size());
  url.port = has_port ? authority.substr(colon + 1) : url.secret ? "443" : "80";
  if (url.host.size() > 2 && url.host.front() == '[')
    url.host = url.host.substr(1, url.host.size() - 2);
  const bool digits = url.port.find_first_not_of("0123456789") == std::string::npos;
  if (url.host.empty() || url.port.empty() || !digits) return no_url(text, "names no host");
  return url;
}

Result<int> post(const Url& url, const Headers& headers, const std::string& body,
                 Duration timeout) {
  net::HttpServer server{url.host, url.port, url.secret};
  server.headers = {{"User-Agent", "hone/" HONE_VERSION}};
  net::HttpRequest request;
  request.method = "POST";
  request.target = url.target;
  request.body = body;
  request.accept = {};
  request.timeout = std::chrono::microseconds(timeout.us);
  request.headers = headers;
  request.wants_body = false;
  const auto answer = net::HttpClient(std::move(server)).call(request);
  if (!answer) return answer.error();
  return answer->status;
}

}  // namespace hone::http
