// Enums as words, both ways: one table each. `word` is total; `parse_*` returns nullopt for an
// unknown word.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/space.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/verdict.hpp"

namespace hone {

std::string_view word(Code code);
std::string_view word(Goal goal);
std::string_view word(Scale scale);
std::string_view word(Keep keep);
std::string_view word(Summary summary);
std::string_view word(CollectFormat format);
std::string_view word(WorkFolder folder);
std::string_view word(ParamStyle style);
std::string_view word(SweepState state);
std::string_view word(RunState state);
std::string_view word(EndReason reason);
std::string_view word(Verb verb);
std::string_view word(Order order);
std::string_view word(Action action);  // continue, pause, stop
std::string_view word(VerdictReason reason);
std::string_view word(Told told);
std::string_view word(Failure failure);
std::string_view word(Scope scope);
std::string_view word(Aggregate aggregate);

std::optional<Code> parse_code(std::string_view text);
std::optional<Goal> parse_goal(std::string_view text);
std::optional<Scale> parse_scale(std::string_view text);
std::optional<SweepState> parse_sweep_state(std::string_view text);
std::optional<RunState> parse_run_state(std::string_view text);
std::optional<EndReason> parse_end_reason(std::string_view text);
std::optional<Failure> parse_failure(std::string_view text);
std::optional<Verb> parse_verb(std::string_view text);
std::optional<Order> parse_order(std::string_view text);
std::optional<Action> parse_action(std::string_view text);
std::optional<VerdictReason> parse_verdict_reason(std::string_view text);
std::optional<Scope> parse_scope(std::string_view text);

// A set of scopes as text and back: "read submit". nullopt for a word that is none.
std::string words(Scopes scopes);
std::optional<Scopes> parse_scopes(std::string_view text);

}  // namespace hone
