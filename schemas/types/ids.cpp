#include "schemas/types/ids.hpp"

#include <charconv>

#include "base/ascii.hpp"

namespace hone {
namespace {

// Digits only, no sign, no leading zero but "0" itself where zero is allowed.
template <class Int>
std::optional<Int> parse_number(std::string_view digits, Int min) {
  if (digits.empty() || !is_digit(digits.front())) return std::nullopt;
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  Int number{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < min)
    return std::nullopt;
  return number;
}

template <class Tag>
std::optional<Id<Tag>> parse_tagged(std::string_view words) {
  if (!words.starts_with(Tag::prefix)) return std::nullopt;
  const auto number = parse_number<std::int64_t>(words.substr(Tag::prefix.size()), 1);
  if (!number) return std::nullopt;
  return Id<Tag>{*number};
}

constexpr std::string_view run_prefix = "rn_";

std::optional<RunId> parse_run(std::string_view words) {
  if (!words.starts_with(run_prefix)) return std::nullopt;
  words.remove_prefix(run_prefix.size());
  const auto dot = words.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto trial = parse_number<std::int64_t>(words.substr(0, dot), 1);
  const auto replicate = parse_number<int>(words.substr(dot + 1), 0);
  if (!trial || !replicate) return std::nullopt;
  return RunId{TrialId{*trial}, *replicate};
}

std::optional<AttemptId> parse_attempt(std::string_view words) {
  const auto hash = words.find('#');
  if (hash == std::string_view::npos) return std::nullopt;
  const auto run = parse_run(words.substr(0, hash));
  const auto number = parse_number<int>(words.substr(hash + 1), 1);
  if (!run || !number) return std::nullopt;
  return AttemptId{*run, *number};
}

}  // namespace

std::string text(RunId id) {
  return std::string(run_prefix) + std::to_string(id.trial.value) + "." +
         std::to_string(id.replicate);
}

std::string text(AttemptId id) { return text(id.run) + "#" + std::to_string(id.number); }

std::string text(const ObjectId& id) {
  return std::visit([](const auto& one) { return text(one); }, id);
}

std::optional<ObjectId> parse_object_id(std::string_view words) {
  if (const auto id = parse_tagged<SweepTag>(words)) return *id;
  if (const auto id = parse_tagged<TrialTag>(words)) return *id;
  if (const auto id = parse_attempt(words)) return *id;
  if (const auto id = parse_run(words)) return *id;
  if (const auto id = parse_tagged<ModelTag>(words)) return *id;
  if (const auto id = parse_tagged<DatasetTag>(words)) return *id;
  if (const auto id = parse_tagged<WorkflowTag>(words)) return *id;
  if (const auto id = parse_tagged<WorkerTag>(words)) return *id;
  if (const auto id = parse_tagged<EvaluationTag>(words)) return *id;
  return std::nullopt;
}

std::optional<LeaseId> parse_lease_id(std::string_view words) {
  return parse_tagged<LeaseTag>(words);
}

std::optional<TokenId> parse_token_id(std::string_view words) {
  return parse_tagged<TokenTag>(words);
}

std::optional<FleetId> parse_fleet_id(std::string_view words) {
  return parse_tagged<FleetTag>(words);
}

std::optional<PilotId> parse_pilot_id(std::string_view words) {
  return parse_tagged<PilotTag>(words);
}

}  // namespace hone
