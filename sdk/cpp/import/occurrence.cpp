#include "sdk/cpp/import/occurrence.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace hone {
namespace {

constexpr std::size_t condition_values_max = 20;  // of one condition, so that people can read it

using Values = std::vector<const Json*>;

// Values of a candidate in trials with and without the parameter.
struct Sides {
  Values with, without;
};

// Multiples of the golden ratio: spread evenly, without the period that trials in turns have.
std::size_t spread(std::size_t i, std::size_t size) {
  const std::uint32_t share = static_cast<std::uint32_t>(i) * 2'654'435'769U;
  return static_cast<std::size_t>((std::uint64_t{share} * size) >> 32);
}

// What each trial that is looked at was asked for, by parameter.
class TrialTable {
 public:
  explicit TrialTable(std::span<const AskedParams> trials) {
    if (trials.size() <= occurrence_trials_max)
      for (const AskedParams& asked : trials) add(asked);
    else
      for (std::size_t i = 0; i < occurrence_trials_max; ++i) add(trials[spread(i, trials.size())]);
    for (Row& row : rows_) row.resize(names_.size());
  }

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] bool is_everywhere(std::size_t name) const {
    return std::ranges::all_of(rows_, [&](const Row& row) { return row[name].value != nullptr; });
  }
  // nullopt if a trial has the parameter without the candidate, or asked for the candidate later.
  [[nodiscard]] std::optional<Sides> sides(std::size_t name, std::size_t candidate) const {
    Sides sides;
    for (const Row& row : rows_) {
      const Cell own = row[name], other = row[candidate];
      const bool occurs = own.value != nullptr;
      if (occurs && (other.value == nullptr || other.place > own.place)) return std::nullopt;
      if (other.value != nullptr) (occurs ? sides.with : sides.without).push_back(other.value);
    }
    return sides;
  }

 private:
  struct Cell {
    const Json* value = nullptr;  // absent
    std::size_t place = 0;
  };
  using Row = std::vector<Cell>;

  void add(const AskedParams& asked) {
    Row& row = rows_.emplace_back();
    for (std::size_t place = 0; place < asked.size(); ++place) {
      const auto [known, fresh] = ids_.emplace(asked[place].first, names_.size());
      if (fresh) names_.push_back(asked[place].first);
      if (row.size() < names_.size()) row.resize(names_.size());
      row[known->second] = {&asked[place].second, place};
    }
  }

  std::vector<Row> rows_;
  std::vector<std::string> names_;  // in the order in which they were first asked for
  std::map<std::string, std::size_t> ids_;
};

std::string quoted_name(const std::string& name) {
  const bool plain = name.find_first_of("-.") == std::string::npos;
  return plain ? name : "`" + name + "`";
}

// Texts and truth values can be written in an expression, but for characters that need escapes.
bool is_writable(const Json* value) {
  return value->is_boolean() ||
         (value->is_string() &&
          value->get_ref<const std::string&>().find_first_of("\"\\\n\r\t") == std::string::npos);
}

void make_unique(Values& values) {
  std::ranges::sort(values, [](const Json* a, const Json* b) { return *a < *b; });
  const auto same = [](const Json* a, const Json* b) { return *a == *b; };
  const auto rest = std::ranges::unique(values, same);
  values.erase(rest.begin(), rest.end());
}

std::optional<std::string> by_choice(const std::string& candidate, Sides sides) {
  if (sides.without.empty() || !std::ranges::all_of(sides.with, is_writable)) return std::nullopt;
  make_unique(sides.with);
  make_unique(sides.without);
  const auto is_shared = [&](const Json* one) {
    return std::ranges::any_of(sides.without, [&](const Json* other) { return *one == *other; });
  };
  if (sides.with.size() > condition_values_max || std::ranges::any_of(sides.with, is_shared))
    return std::nullopt;
  const std::string left = quoted_name(candidate);
  if (sides.with.size() == 1) return left + " == " + to_text(*sides.with.front());
  std::string all;
  for (const Json* one : sides.with) all += (all.empty() ? "" : ", ") + to_text(*one);
  return left + " in [" + all + "]";
}

std::optional<std::string> by_threshold(const std::string& candidate, const Sides& sides) {
  if (std::min(sides.with.size(), sides.without.size()) < threshold_trials) return std::nullopt;
  const auto is_number = [](const Json* one) { return one->is_number(); };
  if (!std::ranges::all_of(sides.with, is_number) || !std::ranges::all_of(sides.without, is_number))
    return std::nullopt;
  const auto less = [](const Json* a, const Json* b) { return *a < *b; };
  const auto [with_min, with_max] = std::ranges::minmax(sides.with, less);
  const auto [without_min, without_max] = std::ranges::minmax(sides.without, less);
  const std::string left = quoted_name(candidate);
  if (*with_min > *without_max) return left + " >= " + to_text(*with_min);
  if (*with_max < *without_min) return left + " <= " + to_text(*with_max);
  return std::nullopt;
}

std::optional<std::string> explanation(const TrialTable& seen, std::size_t name) {
  std::optional<std::string> number;
  for (std::size_t candidate = 0; candidate < seen.names().size(); ++candidate) {
    if (candidate == name) continue;
    auto sides = seen.sides(name, candidate);
    if (!sides) continue;
    if (!number) number = by_threshold(seen.names()[candidate], *sides);
    if (auto choice = by_choice(seen.names()[candidate], *std::move(sides))) return choice;
  }
  return number;
}

}  // namespace

Occurrences infer_occurrences(std::span<const AskedParams> trials) {
  Occurrences result;
  if (trials.empty()) return result;
  const TrialTable seen(trials);
  const bool is_small = seen.names().size() <= occurrence_names_max;
  for (std::size_t name = 0; name < seen.names().size(); ++name) {
    if (seen.is_everywhere(name)) continue;
    if (auto when = is_small ? explanation(seen, name) : std::nullopt)
      result.when[seen.names()[name]] = *std::move(when);
    else
      result.unexplained.push_back(seen.names()[name]);
  }
  return result;
}

}  // namespace hone
