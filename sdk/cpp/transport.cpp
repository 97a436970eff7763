#include "sdk/cpp/transport.hpp"

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "schemas/types/timing.hpp"
#include "sdk/cpp/reply.hpp"

namespace hone {
namespace {

constexpr auto look_time = std::chrono::seconds(2);  // a server on the network answers in 0.1 s
constexpr std::uint64_t look_bytes_max = 64 * 1024;

net::HttpServer server_of(const Endpoint& endpoint) {
  net::HttpServer server{endpoint.host, endpoint.port, endpoint.tls};
  server.ca_file = endpoint.ca_file;
  server.cert_file = endpoint.cert_file;
  server.key_file = endpoint.key_file;
  server.idle_time = std::chrono::microseconds(client_idle_time.us);
  server.headers = {{"User-Agent", "hone/" HONE_VERSION}};
  if (!endpoint.token.empty())
    server.headers.emplace_back("Authorization", "Bearer " + endpoint.token);
  server.if_unreachable = "; is 'hone up' running there?";
  server.if_untrusted =
      "; give the server's own, or that of its signer, with --tls-ca or HONE_TLS_CA, and use a "
      "host name that it holds";
  return server;
}

// Whether another server may be the primary by now.
bool may_be_elsewhere(const Result<HttpResponse>& response) {
  if (!response)
    return response.error().code == Code::unavailable || response.error().code == Code::timed_out;
  return response->status == 502 || response->status == 503 || response->status == 504;
}

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// "2.9f86d0..." -> 2.
std::int64_t number_of(const std::string& term) {
  std::int64_t number = 0;
  std::from_chars(term.data(), term.data() + term.size(), number);
  return number;
}

}  // namespace

Transport::Transport(Endpoint endpoint) : endpoint_(std::move(endpoint)) {
  servers_.push_back(std::make_unique<net::HttpClient>(server_of(endpoint_)));
  for (const auto& [host, port, tls] : endpoint_.others) {
    Endpoint other = endpoint_;
    other.host = host;
    other.port = port;
    other.tls = tls;
    servers_.push_back(std::make_unique<net::HttpClient>(server_of(other)));
  }
}

void Transport::interrupt() {
  for (const auto& server : servers_) server->interrupt();
}

HttpRequest Transport::with_term(HttpRequest request) const {
  if (!term_text_.empty()) request.headers.emplace_back("Hone-Term", term_text_);
  return request;
}

net::HttpClient& Transport::chosen() {
  if (!has_chosen_) choose();
  return *servers_[current_];
}

Transport::Seen Transport::look_at(net::HttpClient& server) {
  HttpRequest request;
  request.target = "/healthz";
  request.timeout = look_time;
  request.body_bytes_max = look_bytes_max;
  const auto response = server.call(with_term(request));
  if (!response || !response->ok()) return {};
  const auto json = parse_reply(response->body);
  if (!json || !json->is_object()) return {};
  Seen seen;
  seen.answers = true;
  seen.primary = text_of(*json, "role") != "follower";
  seen.term_text = text_of(*json, "term");
  seen.term = number_of(seen.term_text);
  return seen;
}

// The primary of the newest term. Without one, a standby answers reads, and names its primary.
void Transport::choose() {
  has_chosen_ = true;
  std::vector<Seen> seen;
  for (const auto& server : servers_) {
    seen.push_back(look_at(*server));
    if (!seen.back().primary || seen.back().term <= term_) continue;
    term_ = seen.back().term;
    term_text_ = seen.back().term_text;
  }
  std::size_t standby = servers_.size();
  for (std::size_t i = servers_.size(); i-- > 0;) {
    if (seen[i].primary && seen[i].term < term_) look_at(*servers_[i]);  // which ends it
    if (seen[i].primary && seen[i].term == term_) current_ = i;
    if (seen[i].answers && !seen[i].primary) standby = i;
  }
  const bool found = seen[current_].primary && seen[current_].term == term_;
  if (!found && standby < servers_.size()) current_ = standby;
}

Result<HttpResponse> Transport::call(const HttpRequest& request) {
  if (servers_.size() == 1) return servers_.front()->call(request);
  auto response = chosen().call(with_term(request));
  if (!may_be_elsewhere(response)) return response;
  const auto before = current_;
  choose();
  if (current_ == before) return response;
  return servers_[current_]->call(with_term(request));
}

Result<HttpResponse> Transport::stream(const HttpRequest& request,
                                       const std::function<bool(std::string_view)>& on_line) {
  if (servers_.size() == 1) return servers_.front()->stream(request, on_line);
  bool began = false;
  const auto take = [&](std::string_view line) {
    began = true;
    return on_line(line);
  };
  auto response = chosen().stream(with_term(request), take);
  if (began || !may_be_elsewhere(response)) return response;
  choose();
  return servers_[current_]->stream(with_term(request), on_line);
}

}  // namespace hone
