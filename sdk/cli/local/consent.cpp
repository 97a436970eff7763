#include "sdk/cli/local/consent.hpp"

#include <algorithm>
#include <cstddef>

#include "base/text.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/input.hpp"

namespace hone::cli {

Status agree_to_run(Session& session, std::string_view what, bool yes, bool sandbox) {
  if (yes) {
    session.note(what);
    return Done{};
  }
  session.terminal().note(what);  // also with --quiet: it belongs to the question
  if (!can_ask())
    return refuse(Code::invalid,
                  "nothing was run: read what is shown above, then add --yes to agree to it");
  const char* const rights =
      sandbox ? "without a network, with the files of" : "with all rights of";
  if (is_agreed(std::string("run it on this machine, ") + rights + " this account?")) return Done{};
  return refuse(Code::conflict, "nothing was run");
}

std::string patch_text(std::string_view patch) {
  constexpr std::string_view mark = "diff --git a/";
  constexpr std::size_t named_max = 5;
  std::size_t lines = 0, files = 0;
  std::string names;
  for (std::size_t at = 0; at < patch.size(); ++lines) {
    const auto end = std::min(patch.find('\n', at), patch.size());
    const std::string_view line = patch.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(mark)) continue;
    const std::string_view both = line.substr(mark.size());
    if (++files > named_max) continue;
    names += (names.empty() ? "" : ", ") + printable(both.substr(0, both.find(" b/")));
  }
  if (files > named_max) names += ", ...";
  return counted(lines, "line") + " in " + counted(files, "file") +
         (names.empty() ? "" : " (" + names + ")");
}

}  // namespace hone::cli
