#include <algorithm>
#include <array>
#include <string>

#include "schemas/types/expect.hpp"
#include "schemas/types/nearest.hpp"
#include "server/search/terminators/rows.hpp"

namespace hone {
namespace {

constexpr std::array table{
    TerminatorRow{"none", "every run trains to the end of its budget", make_none},
    TerminatorRow{"hypertrick", "evicts the poorest of each phase without waiting for the others",
                  make_hypertrick},
};

}  // namespace

std::span<const TerminatorRow> terminator_table() { return table; }

Result<std::unique_ptr<Terminator>> make_terminator(const TerminatorSpec& spec, const Plan& plan) {
  for (const TerminatorRow& row : table)
    if (row.rule == spec.rule) return row.make(spec, plan);
  return refuse(Code::invalid, "no terminator '" + spec.rule + "'", "/terminator/rule");
}

std::optional<double> setting(const TerminatorSpec& spec, std::string_view name) {
  for (const auto& [key, value] : spec.settings)
    if (key == name) return value;
  return std::nullopt;
}

Status only_settings(const TerminatorSpec& spec, std::span<const std::string_view> known) {
  for (const auto& [key, value] : spec.settings) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string detail =
        "terminator '" + spec.rule + "' has no setting '" + key + "'" + did_you_mean(key, known);
    for (const auto& one : known)
      detail += (&one == &known.front() ? "; it has " : ", ") + std::string(one);
    return refuse(Code::invalid, detail, "/terminator/" + key);
  }
  return Done{};
}

double input(const std::vector<VerdictInput>& inputs, std::string_view name) {
  for (const VerdictInput& one : inputs)
    if (one.name == name) return one.value;
  expect(false, "a verdict holds the inputs of its own rule");
  return 0;
}

}  // namespace hone
