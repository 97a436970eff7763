#include "sdk/cli/commands/look/filters.hpp"

#include <charconv>
#include <nlohmann/json.hpp>

#include "sdk/cli/render/width.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {

std::string where_query(const std::string& path, const std::string& filter) {
  if (filter.empty()) return {};
  return (path.find('?') == std::string::npos ? "?where=" : "&where=") + escape_path(filter);
}

Error with_caret(const Error& error, const std::string& filter) {
  constexpr std::string_view prefix = "/where:";
  if (!error.at.starts_with(prefix)) return error;
  std::size_t place = 0;
  std::from_chars(error.at.data() + prefix.size(), error.at.data() + error.at.size(), place);
  const std::string before = printable(filter.substr(0, std::min(place, filter.size())));
  const auto width = static_cast<std::size_t>(display_width(before));
  return refuse(error.code,
                error.detail + "\n  " + printable(filter) + "\n  " + std::string(width, ' ') + "^");
}

Result<std::vector<Json>> list_where(Session& session, const std::string& path,
                                     const std::string& filter) {
  auto items = session.list(path + where_query(path, filter));
  if (!items) return with_caret(items.error(), filter);
  return items;
}

}  // namespace hone::cli
