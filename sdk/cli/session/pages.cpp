#include "sdk/cli/session/pages.hpp"

#include <algorithm>

#include "sdk/cli/render/json_view.hpp"

namespace hone::cli {

Result<bool> Pages::follow(const Json& page) {
  std::string next = text_at(page, "/next");
  if (next.empty()) return false;
  if (next == cursor_)
    return refuse(Code::internal, "the server's list does not end: it continues where it was");
  const std::size_t bytes = std::max(to_text(page).size(), page_bytes_min);
  if (bytes > bytes_left_)
    return refuse(Code::too_large,
                  "the server's list is longer than the 256 MiB that a command keeps: ask for less "
                  "of it (a sweep, a filter, a limit), or use hone export");
  bytes_left_ -= bytes;
  cursor_ = std::move(next);
  return true;
}

}  // namespace hone::cli
