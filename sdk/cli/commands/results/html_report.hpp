// A sweep as one HTML file: the pages of the dashboard with the server's answers inside.
#pragma once

#include <string>

#include "schemas/types/ids.hpp"
#include "sdk/cli/session/command.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

// The bounds of a report. The page names those that it met.
struct ReportBounds {
  int trials_max = 200;                       // with details: their runs, reasons, lineage
  int runs_per_trial_max = 30;                // as on the page of a trial
  int points_per_metric_max = 200;            // of a run's series, evenly thinned
  std::int64_t curve_cells_max = 500'000;     // runs x points of the curves of all runs
  std::int64_t details_bytes_max = 24 << 20;  // of the answers about trials and runs
};

// Returns the document. The server names the routes whose answers its pages need
// (/ui/report.json) and serves the pages (/ui/report.html).
Result<std::string> html_report(Session& session, SweepId sweep, const ReportBounds& bounds = {});

}  // namespace hone::cli
