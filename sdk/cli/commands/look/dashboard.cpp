// dashboard: prints the address of the server's web page, with the token behind the '#', which a
// browser never sends, and opens it.
#include <fcntl.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/process.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

struct DashboardOptions {
  std::string sweep;
  bool no_token = false;
  bool open = false;
};

// Starts the user's browser and leaves it to itself: some return only when they are closed.
Status open_browser(const std::string& url) {
  const char* chosen = std::getenv("BROWSER");
  const std::string browser = chosen == nullptr || *chosen == '\0' ? "xdg-open" : chosen;
  // It may live longer than the reader of this command's output, which waits for its end.
  const FileHandle nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto started = start_process({.argv = {browser, url},
                                      .in = nothing.fd(),
                                      .out = nothing.fd(),
                                      .err = nothing.fd(),
                                      .own_group = true});
  if (started) return Done{};
  return refuse(started.error().code, "cannot start '" + browser + "' (" + started.error().detail +
                                          "): set BROWSER to a browser, or open the address");
}

Result<Exit> show_dashboard(Session& session, const DashboardOptions& options) {
  std::string page = "/";
  if (!options.sweep.empty()) {
    const auto sweep = resolve_sweep(session, options.sweep);
    if (!sweep) return sweep.error();
    page += "sweeps/" + text(*sweep);
  }
  auto endpoint = parse_endpoint(session.options().server);
  if (!endpoint) return endpoint.error();
  if (auto equipped = equip(*endpoint, session.options().credentials); !equipped)
    return equipped.error();
  if (const auto known = session.get("/v1/me"); !known) return known.error();
  const bool with_token = !endpoint->token.empty() && !options.no_token;
  const std::string token =
      with_token ? "token=" + escape_path(endpoint->token) + "&" : std::string();
  const std::string url = endpoint->url() + "/#" + token + page;
  if (with_token) session.note("the address holds your token: do not share it (--no-token)");
  const auto printed = print_object(session, {{"url", url}}, url + "\n");
  if (!printed || !options.open) return printed;
  if (auto opened = open_browser(url); !opened) return opened.error();
  return printed;
}

}  // namespace

CommandAction declare_dashboard(Flags& flags) {
  return with_options<DashboardOptions>(show_dashboard, [&](DashboardOptions& options) {
    flags.optional_argument("SWEEP", options.sweep, "open at this sweep (at the list of all)");
    flags.flag("--open", options.open, "open it in the browser: $BROWSER or xdg-open");
    flags.flag("--no-token", options.no_token, "leave the token out");
  });
}

}  // namespace hone::cli
