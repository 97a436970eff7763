// The command line of hone-server.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "schemas/types/timing.hpp"
#include "server/follow/followers.hpp"
#include "server/follow/peers.hpp"
#include "server/http/bounds.hpp"
#include "server/http/tls.hpp"

namespace hone {

struct ServerOptions {
  std::string data;  // the data folder
  std::string listen = "127.0.0.1:7777";
  bool insecure = false;  // allow an address beyond loopback without TLS and tokens
  http::TlsFiles tls;
  http::Bounds bounds;
  bool auth = false;              // require tokens; beyond loopback they are always required
  bool new_admin_token = false;   // create another one even if one exists
  std::string worker_token_file;  // where to keep a worker token
  bool die_with_parent = false;   // get SIGTERM when the parent process ends
  std::string dashboard_dir;      // serve the dashboard from this folder; empty: the built-in one
  bool routes = false;            // print the table of routes and exit
  std::string log_level = "info";
  bool log_json = false;
  double drain_delay_s = 0;
  FollowerOptions follow;
  PeerOptions peers;
  bool sync_replica = false;  // an acknowledgement waits for a standby
  double sync_wait_s = 0;     // at most so long
  double blob_grace_s = 0;    // of a dropped checkpoint
  int lease_s = static_cast<int>(default_lease.us / 1'000'000);  // without a heartbeat
};

// Returns the options, or an exit status after help, the version or a usage error was printed.
std::variant<ServerOptions, int> parse_options(int argc, const char* const* argv);

}  // namespace hone
