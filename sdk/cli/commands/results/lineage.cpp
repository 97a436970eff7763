// lineage: what a thing came from and what came of it.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/lineage_tree.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string id;
  bool up = false;
  bool down = false;
  bool both = false;
  bool dot = false;
  bool measurements = false;
  int depth = 0;
};

std::string direction_of(const Wish& wish) {
  if (wish.both || (wish.up && wish.down)) return "both";
  return wish.down ? "down" : "up";
}

// Lines longer than the screen are cut, so that the tree stays a tree.
std::string fitted(const std::string& text, const Screen& screen) {
  if (!screen.is_terminal) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    out += truncated(std::string_view(text).substr(at, end - at), screen.columns, screen.unicode) +
           "\n";
    at = end + 1;
  }
  return out;
}

std::string tree_text(const Json& graph, const std::string& direction, const Screen& screen) {
  const auto tree = [&](Direction which) {
    return fitted(draw(lineage_tree(graph, which), screen.unicode), screen);
  };
  if (direction == "up") return tree(Direction::up);
  if (direction == "down") return tree(Direction::down);
  return paint(screen, Ink::bold, "came from") + "\n" + tree(Direction::up) + "\n" +
         paint(screen, Ink::bold, "led to") + "\n" + tree(Direction::down);
}

// The server has the last word on what is an id; '#', '/' and whatever a metric's name holds must
// arrive there.
std::string escaped(const std::string& id) { return escape_path(id); }

Result<Exit> lineage(Session& session, const Wish& wish) {
  if (wish.id.empty()) return refuse(Code::invalid, "lineage of what? Any id, as md_9");
  const std::string direction = direction_of(wish);
  std::string path = "/v1/lineage/" + escaped(wish.id) + "?direction=" + direction;
  if (wish.depth > 0) path += "&depth=" + std::to_string(wish.depth);
  if (wish.measurements) path += "&measurements=true";
  const auto graph = session.get(path);
  if (!graph) return graph.error();
  if (wish.dot || session.options().format == Format::curves) {
    session.print(lineage_dot(*graph));
    return Exit::ok;
  }
  return print_object(session, *graph, tree_text(*graph, direction, session.screen()));
}

}  // namespace

Work declare_lineage(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.argument("ID", wish->id,
                 "any id, a report (rn_42.0@3), a series or its point (rn_42.0/loss@2000)");
  flags.flag("--up", wish->up, "what it came from (the default)");
  flags.flag("--down", wish->down, "what came of it");
  flags.flag("--both", wish->both, "both");
  flags.integer("--depth N", wish->depth, {1}, "at most so many steps away");
  flags.flag("--measurements", wish->measurements,
             "down to the reports and telemetry of every run, not of ID alone");
  flags.flag("--dot", wish->dot, "for Graphviz, as --format dot");
  return [wish](Session& session) { return lineage(session, *wish); };
}

}  // namespace hone::cli
