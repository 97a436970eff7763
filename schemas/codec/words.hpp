// Enums as words, both ways: one table each, in the order of the enumerators. The words are
// permanent: ledgers, sweep files and other languages have them. tests/unit/codec/words_test.cpp
// compares each with the name of its enumerator.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "schemas/types/fleet.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/space.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/turn.hpp"
#include "schemas/types/verdict.hpp"

namespace hone {

// Those of the sweep file are only declared: words need no enumerators.
enum class Aggregate;
enum class CollectFormat;
enum class DatasetRole;
enum class Keep;
enum class Normalize;
enum class ParamStyle;
enum class Summary;
enum class WorkFolder;

template <class... Text>
consteval auto word_table(Text... texts) {
  return std::array<std::string_view, sizeof...(Text)>{texts...};
}

template <class E>
inline constexpr int words_of = 0;  // no words
template <class E>
concept HasWords = requires {
  words_of<E>.size();
};

template <>
inline constexpr auto words_of<Code> = word_table("invalid", "not_found", "conflict", "stale_lease",
                                                  "forbidden", "too_large", "busy", "unavailable",
                                                  "timed_out", "internal", "unauthenticated",
                                                  "rate_limited", "stale_epoch");
template <>
inline constexpr auto words_of<Scope> = word_table("read", "submit", "worker", "admin", "replica");
template <>
inline constexpr auto words_of<Goal> = word_table("maximize", "minimize", "soonest");
template <>
inline constexpr auto words_of<Scale> = word_table("linear", "log", "logit");
template <>
inline constexpr auto words_of<Keep> = word_table("best", "all");
template <>
inline constexpr auto words_of<DatasetRole> = word_table("train", "validation");
template <>
inline constexpr auto words_of<ParamStyle> = word_table("none", "flags", "flags=", "key=value",
                                                        "json", "env");
template <>
inline constexpr auto words_of<WorkFolder> = word_table("shared", "fresh", "copy");
template <>
inline constexpr auto words_of<CollectFormat> = word_table("csv", "jsonl", "regex", "tensorboard");
template <>
inline constexpr auto words_of<Summary> = word_table("last", "mean", "median", "max", "min");
template <>
inline constexpr auto words_of<SweepState> = word_table("running", "paused", "stopping",
                                                        "completed", "canceled", "failed");
template <>
inline constexpr auto words_of<RunState> = word_table("queued", "leased", "running", "paused",
                                                      "completed", "stopped", "failed", "canceled");
template <>
inline constexpr auto words_of<EndReason> =
    word_table("none", "budget_reached", "exited_early", "bar_reached", "evicted", "not_promoted",
               "diverged", "no_report", "exit_code", "signal", "told_failed", "cannot_start",
               "infeasible", "requeue_requested", "worker_lost", "retries_exhausted", "user_stop",
               "user_cancel", "user_kill", "time_limit", "disk_limit", "failure_limit");
template <>
inline constexpr auto words_of<Failure> = word_table("none", "oom", "infra", "preempted",
                                                     "infeasible", "diverged", "timed_out",
                                                     "user_error", "crash");
template <>
inline constexpr auto words_of<Verb> = word_table("pause", "resume", "stop", "cancel", "kill");
template <>
inline constexpr auto words_of<Order> = word_table("none", "cancel", "kill", "gone");
template <>
inline constexpr auto words_of<Action> = word_table("continue", "pause", "stop");
template <>
inline constexpr auto words_of<VerdictReason> = word_table(
    "no_rule", "last_phase", "diverged", "collecting", "good_enough", "evicted", "between_rungs",
    "promoted", "awaits_promotion", "awaits_seeds", "outraced", "no_checkpoint", "finishes",
    "replaced", "awaits_turn", "step_follows", "yields", "reached", "too_late");
template <>
inline constexpr auto words_of<RunClock> = word_table("seconds", "cpu_seconds", "steps");
template <>
inline constexpr auto words_of<TurnRule> = word_table("minimum", "share");
template <>
inline constexpr auto words_of<Aggregate> = word_table("mean", "median", "iqm", "lcb");
template <>
inline constexpr auto words_of<Normalize> = word_table("references", "ranks");
template <>
inline constexpr auto words_of<Told> = word_table("value", "failed", "infeasible");

template <>
inline constexpr auto words_of<FleetState> = word_table("running", "halted", "stopping", "stopped");
template <>
inline constexpr auto words_of<PilotState> = word_table("wanted", "unknown", "pending", "held",
                                                        "running", "absent", "ended");
template <>
inline constexpr auto words_of<FleetRule> = word_table("demand", "minimum", "probe", "enough",
                                                       "at_max", "backlog", "back_off", "halted",
                                                       "stopping", "over_max", "surplus", "adopted",
                                                       "completed", "failed", "vanished",
                                                       "never_seen", "rejected");

// Total: "unknown" is for values outside the enum, which only a cast could make.
template <HasWords E>
constexpr std::string_view word(E value) {
  const auto index = static_cast<std::size_t>(value);
  return index < words_of<E>.size() ? words_of<E>[index] : "unknown";
}

// nullopt for an unknown word.
template <HasWords E>
constexpr std::optional<E> parse_word(std::string_view text) {
  const auto found = std::find(words_of<E>.begin(), words_of<E>.end(), text);
  if (found == words_of<E>.end()) return std::nullopt;
  return static_cast<E>(found - words_of<E>.begin());
}
inline constexpr auto& parse_code = parse_word<Code>;
inline constexpr auto& parse_goal = parse_word<Goal>;
inline constexpr auto& parse_scale = parse_word<Scale>;
inline constexpr auto& parse_sweep_state = parse_word<SweepState>;
inline constexpr auto& parse_run_state = parse_word<RunState>;
inline constexpr auto& parse_end_reason = parse_word<EndReason>;
inline constexpr auto& parse_failure = parse_word<Failure>;
inline constexpr auto& parse_verb = parse_word<Verb>;
inline constexpr auto& parse_order = parse_word<Order>;
inline constexpr auto& parse_action = parse_word<Action>;
inline constexpr auto& parse_verdict_reason = parse_word<VerdictReason>;
inline constexpr auto& parse_fleet_state = parse_word<FleetState>;
inline constexpr auto& parse_pilot_state = parse_word<PilotState>;
inline constexpr auto& parse_fleet_rule = parse_word<FleetRule>;
inline constexpr auto& parse_scope = parse_word<Scope>;

// A set of scopes as text and back: "read submit". nullopt for a word that is none.
std::string words(Scopes scopes);
std::optional<Scopes> parse_scopes(std::string_view text);

}  // namespace hone
