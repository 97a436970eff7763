#include "server/follow/peers.hpp"

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "server/http/outgoing.hpp"
#include "server/standby/limits.hpp"

namespace hone {
namespace {

std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<net::HttpServer> peer_server(const std::string& url, const PeerOptions& options) {
  const auto parsed = http::parse_url(url);
  if (!parsed) return parsed.error();
  if (parsed->target != "/")
    return refuse(Code::invalid, "'" + url + "' has a path; write host and port alone");
  net::HttpServer server{parsed->host, parsed->port, parsed->secret};
  server.ca_file = options.tls_ca;
  server.headers = {{"User-Agent", "hone/" HONE_VERSION}};
  server.if_untrusted = "; give the server's own, or that of its signer, with --peer-tls-ca";
  if (options.token_file.empty()) return server;
  std::ifstream file(options.token_file);
  std::string token;
  if (!(file >> token))
    return refuse(Code::invalid, "cannot read a token from " + options.token_file);
  server.headers.emplace_back("Authorization", "Bearer " + token);
  return server;
}

std::optional<standby::Term> term_at(const std::string& url, const PeerOptions& options) {
  PeerOptions without_token = options;  // the route needs none, and a wrong server must not get it
  without_token.token_file.clear();
  auto server = peer_server(url, without_token);
  if (!server) return std::nullopt;
  net::HttpRequest request;
  request.target = "/healthz";
  request.timeout = std::chrono::microseconds(standby::limits::successor_time.us);
  request.body_bytes_max = standby::limits::state_bytes_max;
  const auto answer = net::HttpClient(*std::move(server)).call(request);
  if (!answer || !answer->ok()) return std::nullopt;
  const auto json = parse_json(answer->body);
  if (!json || !json->is_object() || text_of(*json, "role") != "primary") return std::nullopt;
  return standby::parse_term(text_of(*json, "term")).value_or(standby::Term{});
}

void SuccessorWatch::start(std::function<void()> ask) {
  thread_ = std::thread([this, ask = std::move(ask)] {
    std::unique_lock lock(mutex_);
    const std::chrono::microseconds period(standby::limits::successor_period.us);
    while (!changed_.wait_for(lock, period, [this] { return ending_; })) {
      lock.unlock();
      ask();
      lock.lock();
    }
  });
}

void SuccessorWatch::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace hone
