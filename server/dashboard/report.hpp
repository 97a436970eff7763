// Modules as one script, and the dashboard as one HTML file that opens from a disk: all scripts and
// styles in the document, and a place for the data, which `hone export --html` fills. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace hone::dashboard {

struct SourceFile {
  std::string path;  // "index.html", "pages/sweeps.js"
  std::string text;
};

// Occurs once in the page, where the data goes: JSON in which '<' is written \u003c.
inline constexpr std::string_view report_placeholder = "@REPORT@";

// Returns a module with those that it imports, each as a constant behind those that it imports.
//
// Modules are read line by line, so a module has its imports and exports at the beginning of a
// line, in the forms of this folder: import {a, b as c} from "./x.js"; import * as x from "./x.js";
// import("./x.js") anywhere in a line; export const, let, function, async function or class;
// export {a, b};
// Refuses (internal) another form, a file that is missing, and modules that import each other.
Result<std::string> one_script(const std::vector<SourceFile>& files, const std::string& path);

// Returns a style sheet with those that it imports, each on its own line: @import "FILE"; an
// imported one imports none. Refuses (internal) a file that is missing.
Result<std::string> one_sheet(const std::vector<SourceFile>& files, const std::string& path);

// Returns index.html with the styles that it links and app.js as one script. Its content policy
// names the digests of both and allows no request.
Result<std::string> one_file(const std::vector<SourceFile>& files);

}  // namespace hone::dashboard
