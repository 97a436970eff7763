// From what a user typed to what a command works on. Any id is taken that leads to the right kind:
// `hone best rn_4.0` is about that run's sweep.
#pragma once

#include <string>

#include "schemas/types/ids.hpp"
#include "sdk/cli/session/session.hpp"

namespace hone::cli {

Result<ObjectId> object_of(const std::string& word);

// "" means the newest sweep.
Result<SweepId> sweep_of(Session& session, const std::string& word);
Result<TrialId> trial_of(const std::string& word);
// A trial with a single run stands for it.
Result<RunId> run_of(Session& session, const std::string& word);

// "sweep", "trial", ...
std::string_view kind_of(const ObjectId& id);

// As part of a URL's path: '#' of an attempt is escaped.
std::string in_path(const ObjectId& id);

}  // namespace hone::cli
