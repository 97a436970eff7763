// dashboard: prints the address of the server's web page, with the token behind the '#', which a
// browser never sends.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

struct DashboardOptions {
  std::string sweep;
  bool no_token = false;
};

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
  return print_object(session, {{"url", url}}, url + "\n");
}

}  // namespace

CommandAction declare_dashboard(Flags& flags) {
  return with_options<DashboardOptions>(show_dashboard, [&](DashboardOptions& options) {
    flags.optional_argument("SWEEP", options.sweep, "open at this sweep (at the list of all)");
    flags.flag("--no-token", options.no_token, "leave the token out");
  });
}

}  // namespace hone::cli
