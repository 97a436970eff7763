// Trees, as `tree` draws them.
#pragma once

#include <string>
#include <vector>

namespace hone::cli {

struct TreeNode {
  std::string label;
  std::vector<TreeNode> children;
};

std::string draw(const TreeNode& root, bool unicode);

}  // namespace hone::cli
