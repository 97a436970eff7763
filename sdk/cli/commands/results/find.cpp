// find: the objects of one kind that match a filter.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/look/filters.hpp"
#include "sdk/cli/commands/look/further.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/pages.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {
namespace {

struct FindOptions {
  std::vector<std::string> words;
  int limit = 50;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Reads pages until the limit is reached.
Result<Json> find_pages(Session& session, const std::string& filter, int limit) {
  Json all;
  Pages pages;
  all["items"] = Json::array();
  all["more"] = true;
  while (std::cmp_less(all["items"].size(), limit)) {
    const auto left = static_cast<std::size_t>(limit) - all["items"].size();
    std::string path = "/v1/find?limit=" + std::to_string(std::min<std::size_t>(left, 1000));
    path += where_query(path, filter);
    if (!pages.cursor().empty()) path += "&after=" + escape_path(pages.cursor());
    auto page = session.get(path);
    if (!page) return with_caret(page.error(), filter);
    all["kind"] = text_at(*page, "/kind");
    const auto more = pages.follow(*page);
    if (!more) return more.error();
    for (const Json& item : member(*page, "/items")) all["items"].push_back(item);
    all["more"] = *more;
    if (!*more) break;
  }
  return all;
}

Result<Exit> find(Session& session, const FindOptions& options) {
  const std::string filter = joined(options.words);
  if (filter.empty())
    return refuse(Code::invalid,
                  "no filter given; write one as: hone find 'model where metric.return > 450'");
  auto all = find_pages(session, filter, options.limit);
  if (!all) return all.error();
  const std::string kind = text_at(*all, "/kind");
  std::vector<Json> items(all->at("items").begin(), all->at("items").end());
  if (auto named = name_further(session, items); !named) return named.error();
  const auto printed =
      print_list(session, find_columns(kind), items, "no " + kind + " matches the filter");
  if (printed && all->at("more") == true)
    session.note("there are more; list them with -n " + std::to_string(options.limit * 10));
  return printed;
}

}  // namespace

CommandAction declare_find(Flags& flags) {
  return with_options(find, [&](FindOptions& options) {
    flags.arguments("FILTER", options.words,
                    "a kind of object, 'where' and conditions (docs/knowledge.md)");
    flags.integer("-n,--limit N", options.limit, {1, 1e6}, "list at most N, newest first (50)");
  });
}

}  // namespace hone::cli
