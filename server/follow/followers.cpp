#include "server/follow/followers.hpp"

#include <spdlog/spdlog.h>

#include <fstream>

#include "db/queries/queries.hpp"
#include "server/follow/log_lines.hpp"

namespace hone {
namespace {

constexpr std::size_t webhooks_max = 8;  // each has a thread and a connection to the database

Result<WebhookOptions> webhook_options(const FollowerOptions& options) {
  WebhookOptions read{options.webhook_kinds, {}};
  if (options.webhooks.size() > webhooks_max)
    return refuse(Code::invalid, "at most " + std::to_string(webhooks_max) + " --webhook");
  if (options.webhook_secret_file.empty()) return read;
  std::ifstream file(options.webhook_secret_file);
  if (!std::getline(file, read.secret) || read.secret.empty())
    return refuse(Code::invalid, options.webhook_secret_file +
                                     " holds no secret; write one with: "
                                     "openssl rand -hex 32");
  return read;
}

}  // namespace

Result<std::unique_ptr<Followers>> Followers::start(const FollowerOptions& options,
                                                    const DataFolder& folder) {
  const auto webhook = webhook_options(options);
  if (!webhook) return webhook.error();
  auto followers = std::unique_ptr<Followers>(new Followers);
  const auto file = folder.database().string();
  if (spdlog::should_log(spdlog::level::info)) {
    auto db = open_for_reading(file);
    if (!db) return db.error();
    const auto newest = last_seq(**db);
    followers->log_ = std::make_unique<LedgerTail>(*std::move(db), newest, logged_kinds());
    followers->log_->start([](const EventRow& event) {
      log_event(event);
      return true;
    });
  }
  for (const auto& url : options.webhooks) {
    auto db = open_for_reading(file);
    if (!db) return db.error();
    auto started = Webhook::start(url, *webhook, folder.path(), *std::move(db));
    if (!started) return started.error();
    followers->webhooks_.push_back(*std::move(started));
  }
  return followers;
}

void Followers::wake() {
  if (log_) log_->wake();
  for (const auto& webhook : webhooks_) webhook->wake();
}

}  // namespace hone
