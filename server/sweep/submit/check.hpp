// Checks a spec beyond its document: the samplers, rules and trainers that it names exist and
// accept its settings, and its conditions are valid. decide() refuses a submission that fails;
// nothing is written for it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {

struct CommandTrainer;
struct SweepSpec;
struct Widening;

// Refuses an invalid spec; error.at is relative to the spec ("/trainer/name").
Status check_spec(const SweepSpec& spec, ValueRule rule = ValueRule::decimal);

// Refuses two parameters that reach the program as one variable. For new sweeps alone: those of
// older ledgers ran so.
Status check_variables(const SweepSpec& spec);

// Refuses a built-in environment whose actions the trainer cannot learn. For new sweeps alone:
// those of older ledgers ran, and failed, as they were.
Status check_environments(const SweepSpec& spec);

// All checks of a new sweep that need nothing but its document, wherever it is checked.
Status check_new(const SweepSpec& spec);

// The checks of check_spec for a spec that no document states: what an edit leads to. It obeys the
// rules of a sweep file, too (schemas/rules), which a submission meets when its document is read.
Status check_changed(const SweepSpec& spec, ValueRule rule);

// Refuses a spec with a parameter that a sweep file may not state. A hone that checked edits by
// other rules than submissions accepted domains in which nothing can be proposed.
Status check_domains(const SweepSpec& spec);

// Refuses what does not widen the space of `spec`, or makes of it what a sweep file may not state.
// error.at begins with "/widen/".
Status check_widenings(SweepSpec spec, const std::vector<Widening>& widenings);

// Refuses a parameter set that cannot be enqueued in a sweep of this space and seed, beginning
// nowhere: as decide() does. error.at begins with "/params".
Status check_set(const SearchSpace& space, const Params& given, std::uint64_t seed);

// Records that ${hone.seed} is below 2^31, where a word or variable names it.
void shorten_seeds(CommandTrainer& command);

// Returns the command as a file of this sweep would state it. Refuses one where the sweep has a
// trainer or steps. error.at begins with "/command" or "/trainer".
Result<CommandTrainer> settled_command(SweepSpec spec, const CommandTrainer& command);

}  // namespace hone
