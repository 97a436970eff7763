#include "schemas/codec/words.hpp"

#include "schemas/codec/word_tables.hpp"

namespace hone {

std::string_view word(Code code) { return codec::word_of(code); }
std::string_view word(Goal goal) { return codec::word_of(goal); }
std::string_view word(Scale scale) { return codec::word_of(scale); }
std::string_view word(ParamStyle style) { return codec::word_of(style); }
std::string_view word(WorkFolder folder) { return codec::word_of(folder); }
std::string_view word(CollectFormat format) { return codec::word_of(format); }
std::string_view word(Summary summary) { return codec::word_of(summary); }
std::string_view word(Keep keep) { return codec::word_of(keep); }
std::string_view word(SweepState state) { return codec::word_of(state); }
std::string_view word(RunState state) { return codec::word_of(state); }
std::string_view word(EndReason reason) { return codec::word_of(reason); }
std::string_view word(Verb verb) { return codec::word_of(verb); }
std::string_view word(Order order) { return codec::word_of(order); }
std::string_view word(Action action) { return codec::word_of(action); }
std::string_view word(VerdictReason reason) { return codec::word_of(reason); }
std::string_view word(Told told) { return codec::word_of(told); }
std::string_view word(Failure failure) { return codec::word_of(failure); }
std::string_view word(Scope scope) { return codec::word_of(scope); }
std::string_view word(Aggregate aggregate) { return codec::word_of(aggregate); }

std::optional<Code> parse_code(std::string_view text) { return codec::parse_word<Code>(text); }
std::optional<Goal> parse_goal(std::string_view text) { return codec::parse_word<Goal>(text); }
std::optional<Scale> parse_scale(std::string_view text) { return codec::parse_word<Scale>(text); }
std::optional<SweepState> parse_sweep_state(std::string_view text) {
  return codec::parse_word<SweepState>(text);
}
std::optional<RunState> parse_run_state(std::string_view text) {
  return codec::parse_word<RunState>(text);
}
std::optional<EndReason> parse_end_reason(std::string_view text) {
  return codec::parse_word<EndReason>(text);
}
std::optional<Failure> parse_failure(std::string_view text) {
  return codec::parse_word<Failure>(text);
}
std::optional<Verb> parse_verb(std::string_view text) { return codec::parse_word<Verb>(text); }
std::optional<Order> parse_order(std::string_view text) { return codec::parse_word<Order>(text); }
std::optional<Action> parse_action(std::string_view text) {
  return codec::parse_word<Action>(text);
}
std::optional<VerdictReason> parse_verdict_reason(std::string_view text) {
  return codec::parse_word<VerdictReason>(text);
}

std::optional<Scope> parse_scope(std::string_view text) { return codec::parse_word<Scope>(text); }

std::string words(Scopes scopes) {
  std::string text;
  for (const auto& row : codec::words_of<Scope>)
    if (scopes.holds(row.value)) text.append(text.empty() ? "" : " ").append(row.text);
  return text;
}

std::optional<Scopes> parse_scopes(std::string_view text) {
  Scopes scopes;
  while (!text.empty()) {
    const auto end = text.find(' ');
    const auto scope = parse_scope(text.substr(0, end));
    if (!scope) return std::nullopt;
    scopes = scopes | *scope;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return scopes;
}

}  // namespace hone
