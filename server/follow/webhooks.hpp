// Webhooks: POSTs each event of interest to each URL until it is accepted, signed, in order, and
// across restarts. The ledger is the queue; a file per URL holds the seq of the last accepted
// event.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "db/queries/rows.hpp"
#include "server/follow/ledger_tail.hpp"
#include "server/http/outgoing.hpp"

namespace hone {

struct WebhookOptions {
  std::vector<std::string> kinds;  // of events: "sweep_ended", ...
  std::string secret;              // signs the bodies; "" leaves them unsigned
};

// "t=1790000000,v1=<hex of HMAC-SHA256(secret, "1790000000." + body)>"
std::string webhook_signature(const std::string& secret, std::int64_t unix_s,
                              const std::string& body);

// The wait after `failed` tries: doubles from 1 s to 5 min.
Duration webhook_pause(int failed);

// One URL, with its cursor file.
class Webhook {
 public:
  // Refuses an invalid URL. A new URL gets the events from now on.
  static Result<std::unique_ptr<Webhook>> start(const std::string& url,
                                                const WebhookOptions& options,
                                                const std::filesystem::path& data,
                                                std::unique_ptr<SQLite::Database> db);
  ~Webhook();  // ends after the try in progress

  void wake() { tail_.wake(); }  // the ledger has grown; any thread

 private:
  Webhook(http::Url url, const WebhookOptions& options, std::filesystem::path cursor_file,
          std::int64_t cursor, std::unique_ptr<SQLite::Database> db);
  bool deliver(const EventRow& event);  // false after stop()
  Result<int> attempt(const EventRow& event) const;

  const http::Url url_;
  const std::string secret_;
  const std::filesystem::path cursor_file_;
  LedgerTail tail_;
};

}  // namespace hone
