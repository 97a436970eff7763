// Tables for documents: every column at its full width, nothing cut, no colour.
#pragma once

#include <string>

#include "sdk/cli/render/table.hpp"

namespace hone::cli {

// A table of GitHub's Markdown.
std::string markdown_of(const Table& table);
// A tabular, which needs no package.
std::string latex_of(const Table& table);

}  // namespace hone::cli
