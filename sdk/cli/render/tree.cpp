#include "sdk/cli/render/tree.hpp"

namespace hone::cli {
namespace {

struct Glyphs {
  const char* branch;
  const char* last;
  const char* through;
  const char* blank;
};

constexpr Glyphs unicode_glyphs = {"├─ ", "└─ ", "│  ", "   "};
constexpr Glyphs ascii_glyphs = {"|- ", "`- ", "|  ", "   "};

void draw_children(const TreeNode& node, const std::string& prefix, const Glyphs& glyphs,
                   std::string& out) {
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const TreeNode& child = node.children[i];
    const bool last = i + 1 == node.children.size();
    out += prefix + (last ? glyphs.last : glyphs.branch) + child.label + "\n";
    draw_children(child, prefix + (last ? glyphs.blank : glyphs.through), glyphs, out);
  }
}

}  // namespace

std::string draw(const TreeNode& root, bool unicode) {
  std::string out = root.label + "\n";
  draw_children(root, "", unicode ? unicode_glyphs : ascii_glyphs, out);
  return out;
}

}  // namespace hone::cli
