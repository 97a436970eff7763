// version: prints the version; needs no server.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {

CommandAction declare_version(Flags&) {
  return [](Session& session) {
    const Json version = {{"name", "hone"}, {"version", HONE_VERSION}};
    return print_object(session, version, "hone " HONE_VERSION "\n");
  };
}

}  // namespace hone::cli
