// The words of every enum, one table each. Internal to schemas/codec; others use words.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "schemas/types/scopes.hpp"
#include "schemas/types/score.hpp"
#include "schemas/types/space.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/states.hpp"
#include "schemas/types/verdict.hpp"

namespace hone::codec {

template <class E>
struct Word {
  E value;
  std::string_view text;
};

template <class E>  // clang before 17 does not deduce aggregates
Word(E, std::string_view)->Word<E>;

// A row for each enumerator, in the order of the enum: tests/unit/codec/words_test.cpp holds the
// tables to it.
template <class E>
constexpr int words_of = 0;

template <>
inline constexpr std::array words_of<Code>{
    Word{Code::invalid, "invalid"},
    Word{Code::not_found, "not_found"},
    Word{Code::conflict, "conflict"},
    Word{Code::stale_lease, "stale_lease"},
    Word{Code::forbidden, "forbidden"},
    Word{Code::too_large, "too_large"},
    Word{Code::busy, "busy"},
    Word{Code::unavailable, "unavailable"},
    Word{Code::timed_out, "timed_out"},
    Word{Code::internal, "internal"},
    Word{Code::unauthenticated, "unauthenticated"},
    Word{Code::rate_limited, "rate_limited"},
};

template <>
inline constexpr std::array words_of<Scope>{
    Word{Scope::read, "read"},
    Word{Scope::submit, "submit"},
    Word{Scope::worker, "worker"},
    Word{Scope::admin, "admin"},
};

template <>
inline constexpr std::array words_of<Goal>{
    Word{Goal::maximize, "maximize"},
    Word{Goal::minimize, "minimize"},
};

template <>
inline constexpr std::array words_of<Scale>{
    Word{Scale::linear, "linear"},
    Word{Scale::log, "log"},
    Word{Scale::logit, "logit"},
};

template <>
inline constexpr std::array words_of<Keep>{
    Word{Keep::best, "best"},
    Word{Keep::all, "all"},
};

template <>
inline constexpr std::array words_of<ParamStyle>{
    Word{ParamStyle::none, "none"},           Word{ParamStyle::flags, "flags"},
    Word{ParamStyle::flags_equals, "flags="}, Word{ParamStyle::key_value, "key=value"},
    Word{ParamStyle::json, "json"},           Word{ParamStyle::env, "env"},
};

template <>
inline constexpr std::array words_of<WorkFolder>{
    Word{WorkFolder::shared, "shared"},
    Word{WorkFolder::fresh, "fresh"},
    Word{WorkFolder::copy, "copy"},
};

template <>
inline constexpr std::array words_of<CollectFormat>{
    Word{CollectFormat::csv, "csv"},
    Word{CollectFormat::jsonl, "jsonl"},
    Word{CollectFormat::regex, "regex"},
};

template <>
inline constexpr std::array words_of<Summary>{
    Word{Summary::last, "last"}, Word{Summary::mean, "mean"}, Word{Summary::median, "median"},
    Word{Summary::max, "max"},   Word{Summary::min, "min"},
};

template <>
inline constexpr std::array words_of<SweepState>{
    Word{SweepState::running, "running"},   Word{SweepState::paused, "paused"},
    Word{SweepState::stopping, "stopping"}, Word{SweepState::completed, "completed"},
    Word{SweepState::canceled, "canceled"}, Word{SweepState::failed, "failed"},
};

template <>
inline constexpr std::array words_of<RunState>{
    Word{RunState::queued, "queued"},       Word{RunState::leased, "leased"},
    Word{RunState::running, "running"},     Word{RunState::paused, "paused"},
    Word{RunState::completed, "completed"}, Word{RunState::stopped, "stopped"},
    Word{RunState::failed, "failed"},       Word{RunState::canceled, "canceled"},
};

template <>
inline constexpr std::array words_of<EndReason>{
    Word{EndReason::none, "none"},
    Word{EndReason::budget_reached, "budget_reached"},
    Word{EndReason::exited_early, "exited_early"},
    Word{EndReason::evicted, "evicted"},
    Word{EndReason::not_promoted, "not_promoted"},
    Word{EndReason::diverged, "diverged"},
    Word{EndReason::no_report, "no_report"},
    Word{EndReason::exit_code, "exit_code"},
    Word{EndReason::signal, "signal"},
    Word{EndReason::told_failed, "told_failed"},
    Word{EndReason::cannot_start, "cannot_start"},
    Word{EndReason::infeasible, "infeasible"},
    Word{EndReason::requeue_requested, "requeue_requested"},
    Word{EndReason::worker_lost, "worker_lost"},
    Word{EndReason::retries_exhausted, "retries_exhausted"},
    Word{EndReason::user_stop, "user_stop"},
    Word{EndReason::user_cancel, "user_cancel"},
    Word{EndReason::user_kill, "user_kill"},
    Word{EndReason::time_limit, "time_limit"},
    Word{EndReason::disk_limit, "disk_limit"},
};

template <>
inline constexpr std::array words_of<Failure>{
    Word{Failure::none, "none"},
    Word{Failure::oom, "oom"},
    Word{Failure::infra, "infra"},
    Word{Failure::preempted, "preempted"},
    Word{Failure::infeasible, "infeasible"},
    Word{Failure::diverged, "diverged"},
    Word{Failure::timed_out, "timed_out"},
    Word{Failure::user_error, "user_error"},
    Word{Failure::crash, "crash"},
};

template <>
inline constexpr std::array words_of<Verb>{
    Word{Verb::pause, "pause"},   Word{Verb::resume, "resume"}, Word{Verb::stop, "stop"},
    Word{Verb::cancel, "cancel"}, Word{Verb::kill, "kill"},
};

template <>
inline constexpr std::array words_of<Order>{
    Word{Order::none, "none"},
    Word{Order::cancel, "cancel"},
    Word{Order::kill, "kill"},
    Word{Order::gone, "gone"},
};

template <>
inline constexpr std::array words_of<Action>{
    Word{Action::go_on, "continue"},
    Word{Action::pause, "pause"},
    Word{Action::stop, "stop"},
};

template <>
inline constexpr std::array words_of<VerdictReason>{
    Word{VerdictReason::no_rule, "no_rule"},
    Word{VerdictReason::last_phase, "last_phase"},
    Word{VerdictReason::diverged, "diverged"},
    Word{VerdictReason::collecting, "collecting"},
    Word{VerdictReason::good_enough, "good_enough"},
    Word{VerdictReason::evicted, "evicted"},
    Word{VerdictReason::between_rungs, "between_rungs"},
    Word{VerdictReason::promoted, "promoted"},
    Word{VerdictReason::awaits_promotion, "awaits_promotion"},
    Word{VerdictReason::awaits_seeds, "awaits_seeds"},
    Word{VerdictReason::outraced, "outraced"},
};

template <>
inline constexpr std::array words_of<Aggregate>{
    Word{Aggregate::mean, "mean"},
    Word{Aggregate::median, "median"},
    Word{Aggregate::iqm, "iqm"},
    Word{Aggregate::lcb, "lcb"},
};

template <>
inline constexpr std::array words_of<Normalize>{
    Word{Normalize::references, "references"},
    Word{Normalize::ranks, "ranks"},
};

template <>
inline constexpr std::array words_of<Told>{
    Word{Told::value, "value"},
    Word{Told::failed, "failed"},
    Word{Told::infeasible, "infeasible"},
};

// "unknown" is for values outside the enum, which only a cast could make.
template <class E>
constexpr std::string_view word_of(E value) {
  for (const auto& row : words_of<E>)
    if (row.value == value) return row.text;
  return "unknown";
}

template <class E>
constexpr std::optional<E> parse_word(std::string_view text) {
  for (const auto& row : words_of<E>)
    if (row.text == text) return row.value;
  return std::nullopt;
}

// The texts alone, for did-you-mean.
template <class E>
constexpr auto texts_of() {
  std::array<std::string_view, words_of<E>.size()> texts{};
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = words_of<E>[i].text;
  return texts;
}

}  // namespace hone::codec
