// Whose word counts: a worker and its leases belong to the token that joined them.
#pragma once

#include "server/sweep/command.hpp"
#include "server/sweep/state.hpp"

namespace hone {

// Who sends a command.
struct Speaker {
  TokenId token{};
  bool for_all = true;  // no token is asked for, or it is an administrator's
};

// Refuses (forbidden) a command about a worker, a lease or an asked trial of another token. What
// was joined without a token belongs to everybody.
Status may_speak(const Book& book, const Speaker& speaker, const Command& command);

}  // namespace hone
