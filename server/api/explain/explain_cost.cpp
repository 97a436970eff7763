#include "server/api/explain/explain_cost.hpp"

#include "base/text.hpp"
#include "db/queries/queries.hpp"

namespace hone::api {

std::string proposal_cost_text(SQLite::Database& db, TrialId trial) {
  const auto row = find_trial(db, trial);
  if (!row || !row->expected_seconds || !row->cost_weight) return "";
  return " Its search expected " + short_number_text(*row->expected_seconds) +
         " s for a phase of it, and weighed expected improvement by that to the power -" +
         short_number_text(*row->cost_weight) + ".";
}

}  // namespace hone::api
