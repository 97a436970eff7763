// How the proposal of a trial weighed cost, in a sentence.
#pragma once

#include <SQLiteCpp/Database.h>

#include <string>

#include "schemas/types/ids.hpp"

namespace hone::api {

// Empty where its search did not weigh cost.
std::string proposal_cost_text(SQLite::Database& db, TrialId trial);

}  // namespace hone::api
