// A terminator judges a report. Stateless, like a sampler: the history and the report decide, and
// the verdict carries the numbers it followed from. Copy terminators/none.cpp first; add a row to
// terminators/table.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "schemas/types/result.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/verdict.hpp"
#include "server/search/history.hpp"

namespace hone {

// What a rule knows of its sweep from the start.
struct Plan {
  std::int64_t runs = 0;  // trials times seeds: W0
  int phases = 1;
};

class Terminator {
 public:
  virtual ~Terminator() = default;
  // The verdict on a report of `score` at the end of `phase`. `history` does not hold this report
  // yet. Never called for a diverged report nor for the last phase: those need no rule.
  [[nodiscard]] virtual Verdict judge(const History& history, int phase, Score score) const = 0;
  // The same verdict from its recorded inputs alone: what `hone explain` recomputes.
  [[nodiscard]] virtual Action recompute(const std::vector<VerdictInput>& inputs) const = 0;
  // One sentence for people: why this verdict.
  [[nodiscard]] virtual std::string explain(const Verdict& verdict) const = 0;
  // Phases the rule expects one run to train for, of plan.phases: for progress and plans, never for
  // decisions.
  [[nodiscard]] virtual double expected_phases() const = 0;
};

struct TerminatorRow {
  std::string_view rule;
  std::string_view summary;
  // Refuses unknown or senseless settings; error.at is relative to the spec
  // ("/terminator/eviction_rate").
  Result<std::unique_ptr<Terminator>> (*make)(const TerminatorSpec& spec, const Plan& plan);
};

std::span<const TerminatorRow> terminator_table();
Result<std::unique_ptr<Terminator>> make_terminator(const TerminatorSpec& spec, const Plan& plan);

}  // namespace hone
