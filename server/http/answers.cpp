// How answers are written.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <string>
#include <utility>

#include "server/engine/clock.hpp"
#include "server/engine/clock_meter.hpp"
#include "server/http/connection.hpp"
#include "server/limits.hpp"

namespace hone::http {
namespace asio = boost::asio;

namespace {

// RFC 9110, 15; of the statuses that the API has.
std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 409:
      return "Conflict";
    case 413:
      return "Payload Too Large";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
  }
  return "";
}

void add_status(std::string& text, unsigned version, int status) {
  text.append(version == 10 ? "HTTP/1.0 " : "HTTP/1.1 ").append(std::to_string(status));
  text.append(" ").append(reason_of(status)).append("\r\n");
}

void add_field(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

void log_answer(const Incoming& incoming, const api::Response& answer) {
  const auto& request = incoming.request;
  const bool our_fault = answer.status >= 500 && answer.retry_after_s == 0;
  const auto level = our_fault ? spdlog::level::err : spdlog::level::debug;
  if (!spdlog::should_log(level)) return;  // before the line is put together
  spdlog::log(level, "{} {} {} [{}]{}", api::word(request.method),
              request.path.empty() ? "?" : request.path, answer.status, incoming.id,
              our_fault ? " " + answer.body : "");
}

}  // namespace

void add_role(const Shared& shared, std::string& fields) {
  const auto* role = shared.parts->role;
  if (role == nullptr) return;
  if (!role->term().empty()) add_field(fields, "Hone-Term", role->term());
  if (!role->is_follower()) return;
  const auto lag_ms = role->lag(SystemClock{}()).us / 1000;
  add_field(fields, "Hone-Follower",
            "events=" + std::to_string(role->lag_events()) +
                ", seconds=" + std::to_string(lag_ms / 1000));
}

std::string head_text(const Incoming& incoming, const api::Response& answer, bool keep,
                      std::optional<std::int64_t> length) {
  std::string text;
  text.reserve(256 + std::min(answer.body.size(), limits::joined_body_bytes_max));
  add_status(text, incoming.version, answer.status);
  add_field(text, "Server", "hone/" HONE_VERSION);
  add_field(text, "Cache-Control", answer.cache_control);
  add_field(text, "X-Content-Type-Options", "nosniff");
  if (!incoming.id.empty()) add_field(text, "X-Request-Id", incoming.id);
  add_field(text, "Content-Type", answer.content_type);
  text += answer.fields;
  if (!answer.allow.empty()) add_field(text, "Allow", answer.allow);
  if (answer.status == 401) add_field(text, "WWW-Authenticate", "Bearer realm=\"hone\"");
  if (answer.retry_after_s != 0)
    add_field(text, "Retry-After", std::to_string(answer.retry_after_s));
  if (!keep && incoming.version != 10) add_field(text, "Connection", "close");
  if (keep && incoming.version == 10) add_field(text, "Connection", "keep-alive");
  if (length) add_field(text, "Content-Length", std::to_string(*length));
  return text += "\r\n";
}

std::string refusal_text(const Error& error) {
  const auto answer = api::problem(error);
  std::string text;
  add_status(text, 11, answer.status);
  add_field(text, "Connection", "close");
  if (answer.retry_after_s != 0)
    add_field(text, "Retry-After", std::to_string(answer.retry_after_s));
  add_field(text, "Content-Type", answer.content_type);
  add_field(text, "Content-Length", std::to_string(answer.body.size()));
  return text += "\r\n" + answer.body;
}

asio::awaitable<void> send_continue(Connection& connection, const Incoming& incoming) {
  if (incoming.wants_continue && incoming.has_body)
    co_await connection.write("HTTP/1.1 100 Continue\r\n\r\n");
}

asio::awaitable<After> write_answer(Connection& connection, const Incoming& incoming,
                                    api::Response answer) {
  log_answer(incoming, answer);
  add_role(connection.shared, answer.fields);
  auto& shared = connection.shared;
  const bool keep = incoming.keep_alive && !shared.draining;
  std::string text, body;
  std::size_t sent = 0;
  {
    const Spending spending(shared.parts->counters, Part::render);
    // 304 may only name the length of the body that it leaves out.
    std::optional<std::int64_t> length = static_cast<std::int64_t>(answer.body.size());
    if (answer.status == 304) length.reset();
    text = head_text(incoming, answer, keep, length);
    if (!incoming.head_only) body = std::move(answer.body);
    if (body.size() <= limits::joined_body_bytes_max) text += std::exchange(body, {});
    sent = connection.write_at_once(text);  // nearly always all of it
  }
  if (sent < text.size() || !body.empty()) {
    const auto bytes = text.size() + body.size();
    const auto held = shared.answers.take(speaker_of(connection, incoming), bytes);
    if (!held) {
      spdlog::warn("closed a connection of {}: its clients leave too many bytes of answers unread",
                   speaker_of(connection, incoming));
      throw boost::system::system_error(asio::error::no_buffer_space);
    }
    connection.expires_after(shared.bounds.request_time);
    if (sent < text.size()) co_await connection.write(std::string_view(text).substr(sent));
    if (!body.empty()) co_await connection.write(body);
  }
  co_return keep ? After::keep : After::close;
}

asio::awaitable<After> write_early(Connection& connection, Incoming& incoming,
                                   api::Response response) {
  if (incoming.has_body) incoming.keep_alive = false;
  const auto after = co_await write_answer(connection, incoming, std::move(response));
  co_return incoming.has_body ? After::linger : after;
}

Connection::Connection(Shared& all, ClientAddress from) : shared(all), client(std::move(from)) {
  shared.connections.insert(this);
}

Connection::~Connection() {
  shared.connections.erase(this);
  shared.clients.remove_connection(client);
  if (shared.draining && shared.connections.empty() && shared.last_connection_closed)
    shared.last_connection_closed();
}

}  // namespace hone::http
