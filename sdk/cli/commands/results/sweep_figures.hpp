// The figures of a sweep as SVG, drawn here: no browser, no library.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sdk/cli/session/session.hpp"

namespace hone::cli {

struct FigureKind {
  std::string_view name;
  std::string_view title;
  // Refuses (conflict) a sweep that has nothing of the kind to draw.
  Result<std::string> (*draw)(Session& session, const Json& sweep);
};

// A new figure: a row here. The order is that of a report.
std::span<const FigureKind> figure_kinds();

// "history, curves and front".
std::string figure_names();

}  // namespace hone::cli
