// The command line of hone-server.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hone {

struct ServerOptions {
  std::string data;  // the data folder
  std::string listen = "127.0.0.1:7777";
  bool insecure = false;         // an address beyond loopback although there is no TLS and no token
  bool die_with_parent = false;  // SIGTERM to ourselves when the parent process ends
  bool routes = false;           // print the table of routes and exit
  std::string log_level = "info";
  bool log_json = false;
  std::vector<std::string> webhooks;  // addresses
  std::vector<std::string> webhook_kinds{"sweep_ended"};
  std::string webhook_secret_file;
  double blob_grace_s = 0;  // of bytes that no kept checkpoint names
  int lease_s = 15;         // of a run, without a heartbeat
};

// The options; or an exit status, after help, version or a usage error was printed.
std::variant<ServerOptions, int> parse_options(int argc, const char* const* argv);

}  // namespace hone
