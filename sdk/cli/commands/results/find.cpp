// find: everything of one kind that a filter lets through.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/filters.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::vector<std::string> words;
  int limit = 50;
};

Fields thing_fields(const std::string& kind) {
  if (kind == "sweep")
    return {{"id", "/id"},
            {"name", "/name", Manner::long_text, Where::everywhere, false, 20},
            {"state", "/state", Manner::state},
            {"trials", "/trials/proposed", Manner::number},
            {"best", "/best/value", Manner::score},
            {"workflow", "/workflow", Manner::text, Where::everywhere, true},
            {"submitted", "/submitted_at", Manner::ago}};
  if (kind == "trial")
    return {{"id", "/id"},
            {"sweep", "/sweep"},
            {"state", "/state", Manner::state},
            {"value", "/value", Manner::score},
            {"phases", "/phase", Manner::number},
            {"parameters", "/params", Manner::params}};
  if (kind == "run")
    return {{"id", "/id"},
            {"state", "/state", Manner::state},
            {"reason", "/reason"},
            {"best", "/best", Manner::score},
            {"step", "/step", Manner::count},
            {"worker", "/worker", Manner::text, Where::everywhere, true},
            {"detail", "/detail", Manner::long_text, Where::everywhere, true, 20}};
  if (kind == "model")
    return {{"id", "/id"},
            {"run", "/run"},
            {"sweep", "/sweep"},
            {"step", "/step", Manner::count},
            {"value", "/value", Manner::score},
            {"size", "/bytes", Manner::bytes},
            {"saved", "/saved_at", Manner::ago}};
  if (kind == "attempt")
    return {{"id", "/id"},
            {"worker", "/worker"},
            {"host", "/host", Manner::long_text},
            {"reason", "/end_reason"},
            {"granted", "/granted_at", Manner::ago}};
  if (kind == "dataset")
    return {{"id", "/id"}, {"name", "/name"}, {"version", "/version"}, {"digest", "/digest"}};
  if (kind == "workflow")
    return {{"id", "/id"},
            {"commit", "/git_commit", Manner::long_text, Where::everywhere, false, 12},
            {"branch", "/git_branch"},
            {"host", "/host"},
            {"folder", "/cwd", Manner::long_text}};
  return {{"id", "/id"},
          {"host", "/host", Manner::long_text},
          {"cpus", "/cpus", Manner::number},
          {"gpus", "/gpus", Manner::number},
          {"joined", "/joined_at", Manner::ago}};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Pages until the limit is met.
Result<Json> found(Session& session, const std::string& filter, int limit) {
  Json all;
  std::string after;
  all["items"] = Json::array();
  while (true) {
    const auto left = static_cast<std::size_t>(limit) - all["items"].size();
    std::string path = "/v1/find?limit=" + std::to_string(std::min<std::size_t>(left, 1000));
    path += where_query(path, filter);
    if (!after.empty()) path += "&after=" + after;
    auto page = session.get(path);
    if (!page) return with_caret(page.error(), filter);
    all["kind"] = page->at("kind");
    for (auto& item : page->at("items")) all["items"].push_back(std::move(item));
    after = text_at(*page, "/next");
    if (after.empty() || std::cmp_greater_equal(all["items"].size(), limit)) break;
  }
  all["more"] = !after.empty();
  return all;
}

Result<Exit> find(Session& session, const Wish& wish) {
  const std::string filter = joined(wish.words);
  if (filter.empty())
    return refuse(Code::invalid,
                  "say what to find, as: hone find 'model where metric.return > 450'");
  auto all = found(session, filter, wish.limit);
  if (!all) return all.error();
  const std::string kind = text_at(*all, "/kind");
  const std::vector<Json> items(all->at("items").begin(), all->at("items").end());
  const auto printed =
      print_list(session, thing_fields(kind), items, "no " + kind + " fits the filter");
  if (printed && all->at("more") == true)
    session.note("there are more; see them with -n " + std::to_string(wish.limit * 10));
  return printed;
}

}  // namespace

Work declare_find(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.arguments("FILTER", wish->words,
                  "a kind of thing, 'where', and conditions (docs/knowledge.md)");
  flags.integer("-n,--limit N", wish->limit, {1, 1e6}, "at most so many, newest first (50)");
  return [wish](Session& session) { return find(session, *wish); };
}

}  // namespace hone::cli
