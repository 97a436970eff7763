// A terminator judges reports, and says what a free worker should do next. Stateless, like a
// sampler: the history decides, and a verdict carries the numbers it followed from. Copy
// terminators/none.cpp first; add a row to terminators/table.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/verdict.hpp"
#include "server/search/history/history.hpp"

namespace hone {

// What a rule knows of its sweep from the start.
struct Plan {
  std::int64_t trials = 0;
  int seeds = 1;  // runs of every trial
  int phases = 1;
  bool timed = false;         // limits.duration: the sweep uses all the time it is given
  Replication replication{};  // joint: seeds and runs() are those of trials that are judged whole
  [[nodiscard]] std::int64_t runs() const { return trials * seeds; }
};

// Of a sweep: what its rule is made with.
Plan plan_of(const SweepSpec& spec);

// What a free worker should do.
struct Move {
  enum class Kind : std::uint8_t {
    propose,    // a new trial, if any is left; else nothing
    promote,    // go on with the paused run `index`
    replicate,  // one more run of trial `index`, with a new seed
    wait,       // nothing, until another report came in
  };
  Kind kind = Kind::propose;
  std::size_t index = 0;
};

class Terminator {
 public:
  virtual ~Terminator() = default;
  // The verdict on a report of `score` by run `run` at the end of `phase`. `history` does not hold
  // this report yet. Never called for a diverged report nor for the last phase: those need no rule.
  [[nodiscard]] virtual Verdict judge(const History& history, std::size_t run, int phase,
                                      Score score) const = 0;
  // What a free worker should do when no run is queued. `proposals_left` says whether a new trial
  // can be had. A rule that never pauses needs no override.
  [[nodiscard]] virtual Move next(const History& history, bool proposals_left) const;
  // Whether paused run `run` may still be promoted. Those that may not are closed. By default yes:
  // what is left when nothing else can happen is closed anyway.
  [[nodiscard]] virtual bool promotable(const History& history, std::size_t run) const;
  // The trial this method would name best; nullopt while nothing is known. By default the trial of
  // the best single report.
  [[nodiscard]] virtual std::optional<std::size_t> incumbent(const History& history) const;

  // Whether it ever pauses a run. One that does overrides next.
  [[nodiscard]] virtual bool pauses() const { return false; }

  // The same verdict from its recorded inputs alone: what `hone explain --recompute` proves.
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
