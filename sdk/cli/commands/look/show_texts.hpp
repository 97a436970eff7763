// The text of `hone show` for one object.
#pragma once

#include <string>

#include "schemas/codec/json.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/screen.hpp"

namespace hone::cli {

struct Shown {
  Screen screen;
  Instant at;
};

// Each line two columns to the right.
std::string indented(const std::string& text);

std::string sweep_text(const Json& sweep, const Shown& shown);
std::string trial_text(const Json& trial, const Shown& shown);  // with the spec of its sweep
std::string run_text(const Json& run, const Shown& shown);
std::string log_text(const Json& run, const Shown& shown);  // the last lines of the log, or ""
std::string attempt_text(const Json& attempt, const Shown& shown);
std::string model_text(const Json& model, const Shown& shown);
std::string workflow_text(const Json& workflow, const Shown& shown);
std::string worker_text(const Json& worker, const Shown& shown);
std::string plain_text(const Json& object, const Shown& shown);

// The tags and notes of a reply of /v1/about; "" if there are none.
std::string about_text(const Json& about, const Shown& shown);

// Tables of the parts of a trial, a run or a model, with a title; `items` is an array.
std::string runs_text(const Json& items, const Shown& shown);
std::string attempts_text(const Json& items, const Shown& shown);
std::string artifacts_text(const Json& items, const Shown& shown);
std::string evaluations_text(const Json& items, const Shown& shown);

// Parts of sweep_text that `hone plan` shares.
std::string domain_text(const Json& parameter);  // "float 1e-5 .. 0.01, log"
std::string trainer_text(const Json& spec);      // "ga3c env=CartPole-v1"
std::string budget_text(const Json& spec);       // "1M frames in 10 phases"
std::string settings_text(const Json& object, const std::string& named);  // other members as k=v

// "from 78 of 78 trials of sw_8", of a member of `learned`.
std::string learned_text(const Json& learned);

// "12 completed, 4 running", without the zeros; else "none yet".
std::string run_counts_text(const Json& runs);

}  // namespace hone::cli
