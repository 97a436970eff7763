// hone-server: opens the data folder, starts the parts of the server, and serves until a signal.
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/process.hpp"
#include "server/api/router.hpp"
#include "server/app/opened.hpp"
#include "server/app/options.hpp"
#include "server/follow/log_lines.hpp"

namespace hone {
namespace {

// Each connection and each open file takes a descriptor; the usual soft limit is 1024.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The next batch needs the memory that this one frees. Returning it to the kernel in between costs
// a page fault for each page.
void keep_freed_memory() {
  constexpr int bytes = 32 * 1024 * 1024;
  mallopt(M_TRIM_THRESHOLD, bytes);
  mallopt(M_TOP_PAD, 1024 * 1024);
}

Result<http::Address> address_of(const ServerOptions& options) {
  auto address = http::parse_address(options.listen);
  if (!address || options.insecure || http::is_loopback(*address) || options.tls.wanted())
    return address;
  return refuse(
      Code::invalid,
      "refusing to listen on " + options.listen +
          ": other machines could reach it, and the traffic could be read on the way. "
          "Use TLS: --tls-cert and --tls-key (docs/security.md has the command that makes "
          "them; requests then need tokens), or listen on 127.0.0.1 and use an SSH "
          "tunnel, or pass --insecure on a network that you trust");
}

// Tokens are required wherever other machines can reach the server.
bool requires_tokens(const ServerOptions& options, const http::Address& address) {
  return options.auth || (!options.insecure && !http::is_loopback(address));
}

int serve(ServerOptions options, pid_t parent) {
  if (options.die_with_parent && !end_with_parent(parent, SIGTERM)) return exit_failure;
  start_logging(options.log_level, options.log_json ? LogFormat::json : LogFormat::text);
  umask(S_IRWXG | S_IRWXO);  // the ledger holds commands, hosts, patches and logs
  raise_descriptor_limit();
  keep_freed_memory();
  signal(SIGPIPE, SIG_IGN);
  signal(SIGUSR1, SIG_IGN);  // until a follower waits for it
  while (true) {
    const auto address = address_of(options);
    if (!address) return fail(address.error().detail);
    auto opened = open_all(options, *address);
    if (!opened) return fail(opened.error().detail);
    const bool with_tokens = requires_tokens(options, *address);
    if (opened->part == standby::Part::primary)
      return serve_as_primary(options, with_tokens, *std::move(opened));
    const auto end = serve_as_follower(options, with_tokens, *std::move(opened));
    if (!end.promoted) return end.status;
    options.peers.follow.clear();              // it is newer than the server there
    options.listen = http::text(end.address);  // also where the system chose the port
  }
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  const auto parent = getppid();
  const auto options = hone::parse_options(argc, argv);
  if (const auto* status = std::get_if<int>(&options)) return *status;
  const auto& chosen = std::get<hone::ServerOptions>(options);
  if (chosen.routes) {
    std::puts(hone::to_pretty_text(hone::api::describe_routes()).c_str());
    return 0;
  }
  try {
    return hone::serve(chosen, parent);
  } catch (const std::exception& trouble) {
    return hone::fail(std::string("cannot start: ") + trouble.what());
  }
}
