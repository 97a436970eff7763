// The paragraphs and tables of `hone report`, from the answers of the commands that it names.
#pragma once

#include <string>
#include <vector>

#include "schemas/types/ids.hpp"
#include "sdk/cli/session/session.hpp"
#include "study/report/page.hpp"

namespace hone::cli {

// A table of a report: `name` is that of its files, `command` prints its numbers in full.
struct ReportTable {
  std::string name;
  std::string command;
  std::string csv;
  study::PageTable table;
};

// A sweep and those that confirmed it, as `hone show ID --format json` prints them.
struct ReportedSweeps {
  Json sweep;
  std::vector<Json> confirmations;
};

Result<ReportedSweeps> reported_sweeps(Session& session, SweepId id);

// How the parameters were tuned, in sentences for a section on methods.
Result<std::vector<std::string>> methods_of(Session& session, const ReportedSweeps& sweeps);

// Those that have rows.
Result<std::vector<ReportTable>> tables_of(Session& session, const ReportedSweeps& sweeps);

}  // namespace hone::cli
