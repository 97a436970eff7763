// lineage: the ancestors and descendants of an object.
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/lineage_tree.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/transport.hpp"

namespace hone::cli {
namespace {

struct LineageOptions {
  std::string id;
  bool up = false;
  bool down = false;
  bool both = false;
  bool dot = false;
  bool measurements = false;
  int depth = 0;
};

std::string direction_of(const LineageOptions& options) {
  if (options.both || (options.up && options.down)) return "both";
  return options.down ? "down" : "up";
}

// Cuts lines longer than the screen, so that the tree stays a tree.
std::string cut_to_screen(const std::string& text, const Screen& screen) {
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
    return cut_to_screen(draw(lineage_tree(graph, which), screen.unicode), screen);
  };
  if (direction == "up") return tree(Direction::up);
  if (direction == "down") return tree(Direction::down);
  return paint(screen, Ink::bold, "came from") + "\n" + tree(Direction::up) + "\n" +
         paint(screen, Ink::bold, "led to") + "\n" + tree(Direction::down);
}

Result<Exit> lineage(Session& session, const LineageOptions& options) {
  if (options.id.empty()) return refuse(Code::invalid, "no id given; pass any id, as md_9");
  const std::string direction = direction_of(options);
  std::string path = "/v1/lineage/" + escape_path(options.id) + "?direction=" + direction;
  if (options.depth > 0) path += "&depth=" + std::to_string(options.depth);
  if (options.measurements) path += "&measurements=true";
  const auto graph = session.get(path);
  if (!graph) return graph.error();
  if (options.dot || session.options().format == Format::curves) {
    session.print(lineage_dot(*graph));
    return Exit::ok;
  }
  return print_object(session, *graph, tree_text(*graph, direction, session.screen()));
}

}  // namespace

CommandAction declare_lineage(Flags& flags) {
  return with_options(lineage, [&](LineageOptions& options) {
    flags.argument("ID", options.id,
                   "any id, a report (rn_42.0@3), a series or its point (rn_42.0/loss@2000)");
    flags.flag("--up", options.up, "show the ancestors (the default)");
    flags.flag("--down", options.down, "show the descendants");
    flags.flag("--both", options.both, "show both");
    flags.integer("--depth N", options.depth, {1}, "go at most N steps");
    flags.flag("--measurements", options.measurements,
               "include the reports and telemetry of every run, not only those of ID");
    flags.flag("--dot", options.dot, "print for Graphviz, as --format dot");
  });
}

}  // namespace hone::cli
