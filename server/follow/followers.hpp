// Those who react to what the ledger says and decide nothing: webhooks, and the log.
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
  // Refuses an address that is none, and a secret that cannot be read.
  static Result<std::unique_ptr<Followers>> start(const FollowerOptions& options,
                                                  const DataFolder& folder);
  void wake();  // the ledger has grown; any thread

 private:
  Followers() = default;
  std::unique_ptr<LedgerTail> log_;  // none where the level leaves its lines out
  std::vector<std::unique_ptr<Webhook>> webhooks_;
};

}  // namespace hone
