// A sweep as one HTML file: the pages of the dashboard with the server's answers inside.
#pragma once

#include <string>

#include "schemas/types/ids.hpp"
#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// Returns the document: the pages (/ui/report.html) around the answers that they ask for
// (/v1/sweeps/{sweep}/report), both of the server.
Result<std::string> html_report(Session& session, SweepId sweep);

}  // namespace hone::cli
