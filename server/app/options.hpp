// The command line of hone-server.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "server/follow/followers.hpp"
#include "server/http/bounds.hpp"
#include "server/http/tls.hpp"

namespace hone {

struct ServerOptions {
  std::string data;  // the data folder
  std::string listen = "127.0.0.1:7777";
  bool insecure = false;  // an address beyond loopback although TLS or tokens are missing
  http::TlsFiles tls;
  http::Bounds bounds;
  bool auth = false;              // ask for tokens; beyond loopback they are asked for without it
  bool new_admin_token = false;   // make another one although there is one
  std::string worker_token_file;  // keep a worker's token in this file
  bool die_with_parent = false;   // SIGTERM to ourselves when the parent process ends
  bool routes = false;            // print the table of routes and exit
  std::string log_level = "info";
  bool log_json = false;
  double drain_delay_s = 0;
  FollowerOptions follow;
  double blob_grace_s = 0;  // of bytes that no kept checkpoint names
  int lease_s = 15;         // of a run, without a heartbeat
};

// The options; or an exit status, after help, version or a usage error was printed.
std::variant<ServerOptions, int> parse_options(int argc, const char* const* argv);

}  // namespace hone
