// Which token may act for a worker: a worker and its leases belong to the token that joined them.
#pragma once

#include <string>

#include "server/sweep/state/command.hpp"

namespace hone {

struct Book;

// The sender of a command.
struct Caller {
  TokenId token{};
  bool for_all = true;  // the server requires no token, or it is an administrator's
};

// Refuses (forbidden) a command for a worker, a lease or an asked trial of another token. What was
// joined without a token belongs to every caller.
Status check_caller(const Book& book, const Caller& caller, const Command& command);

// The id under which a client may repeat the command; nullptr if it has none. Joins and requests
// for work have none here: they are repeated with another process id or other free slots.
const std::string* request_id_of(const Command& command);

}  // namespace hone
