// The followers of the ledger, which react to events but make no decisions: webhooks and the log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/file/database.hpp"
#include "server/follow/ledger_tail.hpp"
#include "server/follow/webhooks.hpp"

namespace hone {

struct FollowerOptions {
  std::vector<std::string> webhooks;  // addresses
  std::vector<std::string> webhook_kinds{"sweep_ended"};
  std::string webhook_secret_file;
};

class Followers {
 public:
  // Refuses an invalid address and an unreadable secret.
  static Result<std::unique_ptr<Followers>> start(const FollowerOptions& options,
                                                  const DataFolder& folder);
  void wake();  // the ledger has grown; any thread

 private:
  Followers() = default;
  std::unique_ptr<LedgerTail> log_;  // null if the log level hides its lines
  std::vector<std::unique_ptr<Webhook>> webhooks_;
};

}  // namespace hone
