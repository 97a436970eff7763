// How answers are written.
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/write.hpp>
#include <string>

#include "server/engine/clock_meter.hpp"
#include "server/http/connection.hpp"

namespace hone::http {
namespace asio = boost::asio;
namespace bhttp = boost::beast::http;

bhttp::response<bhttp::empty_body> make_head(const Incoming& incoming, int status,
                                             const std::string& type) {
  bhttp::response<bhttp::empty_body> response;
  response.version(incoming.version);
  response.result(static_cast<unsigned>(status));
  response.set(bhttp::field::server, "hone/" HONE_VERSION);
  response.set(bhttp::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  if (!incoming.id.empty()) response.set("X-Request-Id", incoming.id);
  response.set(bhttp::field::content_type, type);
  return response;
}

asio::awaitable<void> invite_body(Connection& connection, const Incoming& incoming) {
  if (!incoming.wants_continue || !incoming.has_body) co_return;
  bhttp::response<bhttp::empty_body> response{bhttp::status::continue_, 11};
  co_await bhttp::async_write(connection.stream, response, asio::use_awaitable);
}

namespace {

void log_answer(const Incoming& incoming, const api::Response& answer) {
  const auto& request = incoming.request;
  const bool our_fault = answer.status >= 500 && answer.retry_after_s == 0;
  const auto level = our_fault ? spdlog::level::err : spdlog::level::debug;
  if (!spdlog::should_log(level)) return;  // before its words are put together
  spdlog::log(level, "{} {} {} [{}]{}", api::word(request.method),
              request.path.empty() ? "?" : request.path, answer.status, incoming.id,
              our_fault ? " " + answer.body : "");
}

// The whole answer as it goes over the wire.
std::string answer_text(const Incoming& incoming, const api::Response& answer, bool keep) {
  std::string text;
  text.reserve(256 + answer.body.size());
  const auto field = [&](std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  const auto reason =
      bhttp::obsolete_reason(bhttp::int_to_status(static_cast<unsigned>(answer.status)));
  text.append(incoming.version == 10 ? "HTTP/1.0 " : "HTTP/1.1 ")
      .append(std::to_string(answer.status));
  text.append(" ").append(reason.data(), reason.size()).append("\r\n");
  field("Server", "hone/" HONE_VERSION);
  field("Cache-Control", "no-store");
  field("X-Content-Type-Options", "nosniff");
  if (!incoming.id.empty()) field("X-Request-Id", incoming.id);
  field("Content-Type", answer.content_type);
  if (!answer.allow.empty()) field("Allow", answer.allow);
  if (answer.status == 401) field("WWW-Authenticate", "Bearer realm=\"hone\"");
  if (answer.retry_after_s != 0) field("Retry-After", std::to_string(answer.retry_after_s));
  if (!keep && incoming.version != 10) field("Connection", "close");
  if (keep && incoming.version == 10) field("Connection", "keep-alive");
  field("Content-Length", std::to_string(answer.body.size()));
  text += "\r\n";
  if (!incoming.head_only) text += answer.body;
  return text;
}

// Sends what the socket takes at once, which is nearly always all; how much that was.
std::size_t send_at_once(Connection& connection, const std::string& text) {
  if (connection.stream.is_secret()) return 0;  // only bytes in the open may go around the stream
  const auto sent = ::send(connection.stream.socket().native_handle(), text.data(), text.size(),
                           MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

}  // namespace

asio::awaitable<After> write_answer(Connection& connection, const Incoming& incoming,
                                    api::Response answer) {
  log_answer(incoming, answer);
  const bool keep = incoming.keep_alive && !connection.shared.draining;
  std::string text;
  std::size_t sent = 0;
  {
    const Spending spending(connection.shared.rooms->counters, Part::render);
    text = answer_text(incoming, answer, keep);
    sent = send_at_once(connection, text);
  }
  if (sent < text.size()) {
    connection.stream.expires_after(chrono(connection.shared.bounds.request_time));
    co_await asio::async_write(connection.stream,
                               asio::buffer(text.data() + sent, text.size() - sent),
                               asio::use_awaitable);
  }
  co_return keep ? After::keep : After::close;
}

asio::awaitable<After> write_early(Connection& connection, Incoming& incoming,
                                   api::Response response) {
  if (incoming.has_body) incoming.keep_alive = false;
  const auto after = co_await write_answer(connection, incoming, std::move(response));
  co_return incoming.has_body ? After::linger : after;
}

}  // namespace hone::http
