// Tells other programs what happened: each event of interest is POSTed to each address until it was
// taken, signed, in order, and again after a restart. The ledger is the queue: what is kept beside
// it is one number for each address.
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
  std::string secret;              // what bodies are signed with; "" leaves them unsigned
};

// "t=1790000000,v1=<hex of HMAC-SHA256(secret, "1790000000." + body)>"
std::string webhook_signature(const std::string& secret, std::int64_t unix_s,
                              const std::string& body);

// The wait before the next try after so many failed ones: doubles from 1 s to 5 min.
Duration webhook_pause(int failed);

// One address, and the file that holds how far it has come.
class Webhook {
 public:
  // Refuses an address that is none. A new address hears of what happens from now on.
  static Result<std::unique_ptr<Webhook>> start(const std::string& url,
                                                const WebhookOptions& options,
                                                const std::filesystem::path& data,
                                                std::unique_ptr<SQLite::Database> db);
  ~Webhook();  // ends after the try in progress

  void wake() { tail_.wake(); }  // the ledger has grown; any thread

 private:
  Webhook(http::Url url, const WebhookOptions& options, std::filesystem::path cursor_file,
          std::int64_t cursor, std::unique_ptr<SQLite::Database> db);
  bool deliver(const EventRow& event);  // false: it is time to end
  Result<int> attempt(const EventRow& event) const;

  const http::Url url_;
  const std::string secret_;
  const std::filesystem::path cursor_file_;
  LedgerTail tail_;
};

}  // namespace hone
