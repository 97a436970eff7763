#include "sdk/cli/session/captured.hpp"

#include <sstream>

#include "sdk/cli/session/flags.hpp"

namespace hone::cli {

Result<std::string> captured(const Session& session, CommandAction (*declare)(Flags& flags),
                             const std::vector<std::string>& words, Format format) {
  Flags flags;
  const CommandAction action = declare(flags);
  if (const auto parsed = flags.parse(words); !parsed) return parsed.error();
  CommonOptions options = session.options();
  options.format = format;
  options.columns.clear();
  options.quiet = true;
  std::ostringstream out, messages;
  Session inner(std::move(options), Screen{}, out, messages);
  inner.share(session.replies());
  if (const auto done = action(inner); !done) return done.error();
  return out.str();
}

}  // namespace hone::cli
