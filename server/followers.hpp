// Those who react to what the ledger says and decide nothing: webhooks, and the log.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "server/ledger_tail.hpp"
#include "server/options.hpp"
#include "server/webhooks.hpp"

namespace hone {

class Followers {
 public:
  // Refuses an address that is none, and a secret that cannot be read.
  static Result<std::unique_ptr<Followers>> start(const ServerOptions& options,
                                                  const DataFolder& folder);
  void wake();  // the ledger has grown; any thread

 private:
  Followers() = default;
  std::unique_ptr<LedgerTail> log_;  // none where the level leaves its lines out
  std::vector<std::unique_ptr<Webhook>> webhooks_;
};

}  // namespace hone
