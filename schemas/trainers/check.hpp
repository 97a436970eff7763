// What a setting accepts, for everything that reads one: a sweep file, an edit, the server, a run
// and the options of hone-train. error.at is relative to the setting ("/min" of a domain).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/trainers/trainers.hpp"

namespace hone::trainers {

// Returns the value as a trainer takes it: a whole number as an int, a real one as a double.
Result<Value> check(const SettingInfo& setting, const Value& value);

// Refuses a domain with a value that the setting does not accept. The bounds decide for ranges.
Status check(const SettingInfo& setting, const Domain& domain);

// Reads "0.001", "12" or "adam" as a sweep file does, and checks it.
Result<Value> parse_setting(const SettingInfo& setting, std::string_view text);

// Reads "batch=64", as an option of hone-train has it.
Result<Param> parse_assignment(const TrainerInfo& trainer, std::string_view text);

// The value as a person writes it: 64, 0.001, adam.
std::string setting_text(const Value& value);

// Refuses a name that the trainer has no setting of, with a suggestion.
Result<const SettingInfo*> setting_of(const TrainerInfo& trainer, std::string_view name);

// Refuses an environment with actions of the kind that the trainer cannot learn; error.at is
// "/env". Precondition: trainer.actions is not Actions::any.
Error wrong_actions(const TrainerInfo& trainer, std::string_view env);

// Refuses a built-in environment whose actions the trainer cannot learn. hone-train finds the kind
// of another environment's actions when it starts.
Status check_actions(const TrainerInfo& trainer, std::string_view env);

std::vector<std::string_view> setting_names(const TrainerInfo& trainer);

}  // namespace hone::trainers
