// What a server opens before it serves, as a primary or as a follower.
#pragma once

#include <SQLiteCpp/Database.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "db/file/database.hpp"
#include "db/file/high_water.hpp"
#include "server/app/options.hpp"
#include "server/follow/followers.hpp"
#include "server/http/server.hpp"
#include "server/standby/state.hpp"

namespace hone {

struct Opened {
  DataFolder folder;
  standby::State state;
  standby::Part part = standby::Part::primary;
  HighWater mark;
  std::unique_ptr<http::Server> server;
  std::unique_ptr<SQLite::Database> writer;
  std::vector<std::unique_ptr<SQLite::Database>> readers;
  std::unique_ptr<Followers> followers;
};

// Locks the data folder, decides what it is, listens, and checks and opens the database.
Result<Opened> open_all(const ServerOptions& options, const http::Address& address);

// Logs why a batch could not be written and ends the process: memory is ahead of the disk. A
// failure of the disk has its own exit status, 70; a mistake of hone aborts.
[[noreturn]] void end_at_once(const std::string& why, Culprit culprit);

// Serves until SIGTERM or SIGINT. Returns the exit status.
int serve_as_primary(const ServerOptions& options, bool with_tokens, Opened opened);

// The same as a follower. `promoted`: it ended to start again as the primary, at that address.
struct FollowerEnd {
  int status = 0;
  bool promoted = false;
  http::Address address;
};
FollowerEnd serve_as_follower(const ServerOptions& options, bool with_tokens, Opened opened);

inline constexpr int exit_failure = 1;

// Prints why the process cannot start, and returns its exit status.
int fail(const std::string& sentence);

}  // namespace hone
