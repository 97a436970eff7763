#include "server/follow/webhooks.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "db/queries/queries.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"

namespace hone {
namespace {

constexpr Duration webhook_timeout = seconds(10);     // of one try
constexpr Duration webhook_pause_max = seconds(300);  // between two
constexpr int webhook_tries_max = 100;  // about eight hours; then the next event follows

std::int64_t unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count();
}

std::string body_of(const EventRow& event) {
  Json json;
  json["id"] = event.seq;
  json["kind"] = event.kind;
  json["at"] = rfc3339(event.at);
  json["sweep"] = event.sweep ? Json(text(*event.sweep)) : Json(nullptr);
  auto body = parse_json(event.body);
  json["event"] = body ? *std::move(body) : Json(event.body);
  return to_text(json);
}

std::string file_name_of(const std::string& url) { return sha256_hex(url).substr(0, 16); }

// A crash leaves the old number, and an event is sent twice.
void keep(const std::filesystem::path& file, std::int64_t cursor) {
  const auto kept =
      replace_file(file, std::to_string(cursor) + "\n", {.mode = 0600, .sync = ::fdatasync});
  if (!kept)
    spdlog::error("cannot write {} ({}): some webhooks will be sent again", file.string(),
                  kept.error().detail);
}

}  // namespace

std::string webhook_signature(const std::string& secret, std::int64_t unix_s,
                              const std::string& body) {
  const std::string time = std::to_string(unix_s);
  return "t=" + time + ",v1=" + hmac_sha256_hex(secret, time + "." + body);
}

Duration webhook_pause(int failed) {
  return std::min(seconds(std::int64_t{1} << std::clamp(failed - 1, 0, 20)), webhook_pause_max);
}

Result<std::unique_ptr<Webhook>> Webhook::start(const std::string& url,
                                                const WebhookOptions& options,
                                                const std::filesystem::path& data,
                                                std::unique_ptr<SQLite::Database> db) {
  const auto parsed = http::parse_url(url);
  if (!parsed) return refuse(Code::invalid, "--webhook: " + parsed.error().detail);
  const auto folder = data / "webhooks";
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  if (trouble) return refuse(Code::invalid, "cannot make the folder " + folder.string());
  const auto file = folder / file_name_of(url);
  std::int64_t cursor = 0;
  if (std::ifstream kept(file); !(kept >> cursor)) {
    cursor = last_seq(*db);
    keep(file, cursor);
  }
  return std::unique_ptr<Webhook>(new Webhook(*parsed, options, file, cursor, std::move(db)));
}

Webhook::Webhook(http::Url url, const WebhookOptions& options, std::filesystem::path cursor_file,
                 std::int64_t cursor, std::unique_ptr<SQLite::Database> db)
    : url_(std::move(url)),
      secret_(options.secret),
      cursor_file_(std::move(cursor_file)),
      tail_(std::move(db), cursor, options.kinds) {
  tail_.start([this](const EventRow& event) { return deliver(event); });
}

Webhook::~Webhook() { tail_.stop(); }

bool Webhook::deliver(const EventRow& event) {
  for (int failed = 1; failed <= webhook_tries_max; ++failed) {
    const auto status = attempt(event);
    if (status && *status >= 200 && *status < 300) {
      keep(cursor_file_, event.seq);
      return true;
    }
    spdlog::warn("webhook {}: event {} was not accepted ({}), try {} of {}", url_.host, event.seq,
                 status ? "status " + std::to_string(*status) : status.error().detail, failed,
                 webhook_tries_max);
    if (!tail_.rest(webhook_pause(failed))) return false;
  }
  spdlog::error("webhook {}: event {} is abandoned", url_.host, event.seq);
  keep(cursor_file_, event.seq);
  return true;
}

Result<int> Webhook::attempt(const EventRow& event) const {
  const std::string body = body_of(event);
  http::Headers headers = {{"X-Hone-Event", event.kind}, {"X-Hone-Id", std::to_string(event.seq)}};
  if (!secret_.empty())
    headers.emplace_back("X-Hone-Signature", webhook_signature(secret_, unix_seconds(), body));
  return http::post(url_, headers, body, webhook_timeout);
}

}  // namespace hone
