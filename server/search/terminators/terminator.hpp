// A terminator judges reports, and decides what a free worker does next. It is stateless, like a
// sampler: everything it may use is in its arguments, and a verdict carries the numbers it followed
// from. To add a rule, copy terminators/none.cpp and list it in terminators/table.cpp; the contract
// test covers it from then on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/types/method_setting.hpp"
#include "schemas/types/origin.hpp"
#include "schemas/types/rank_prior.hpp"
#include "schemas/types/verdict.hpp"
#include "server/search/history/history.hpp"
#include "server/search/samplers/population/population.hpp"

namespace hone {

struct TerminatorSpec;

// What a rule knows about its sweep from the start.
struct SweepShape {
  std::int64_t trials = 0;
  int seeds = 1;  // runs of every trial
  int phases = 1;
  bool timed = false;         // limits.duration is set: the rule may use all of that time
  Replication replication{};  // multi-seed: `seeds` and runs() count the first runs of each trial
  Population population{};    // of the search method pbt
  std::uint64_t seed = 0;     // of the sweep: a rule that draws addresses its randomness with it
  bool until_bar = false;     // values are times until a bar
  std::optional<RankPrior> rank_prior{};  // what the sweeps of search.warm_start have shown
  bool second_looks = true;  // the rule may start further seeds of a leader; off where racing does
  [[nodiscard]] std::int64_t runs() const { return trials * seeds; }
};

// A run that a new trial may continue after so many of its reports, with other parameters, and the
// place of that run among all of the sweep.
struct Donor {
  std::size_t run = 0;
  int reports = 1;
  OriginRank rank{};
};

// What a free worker does next.
struct NextAction {
  enum class Kind : std::uint8_t {
    propose,    // start a new trial, if any is left
    promote,    // continue the paused run `index`
    replicate,  // start one more run of trial `index`, with a new seed
    wait,       // nothing, until another report arrives
  };
  Kind kind = Kind::propose;
  std::size_t index = 0;
  // propose: what the new trial continues if the checkpoint is kept; else it starts from nothing.
  std::optional<Donor> donor{};
};

class Terminator {
 public:
  virtual ~Terminator() = default;
  // Returns the verdict on a report of `score` by run `run` at the end of `phase`. `history` does
  // not hold this report yet. Never called for a diverged report or for the last phase: those need
  // no rule.
  [[nodiscard]] virtual Verdict judge(const History& history, std::size_t run, int phase,
                                      Score score) const = 0;
  // Returns what a free worker does when no run is queued. `proposals_left`: a new trial may be
  // started. A rule that never pauses runs needs no override.
  [[nodiscard]] virtual NextAction next(const History& history, bool proposals_left) const;
  // Returns whether paused run `run` may still be promoted; if not, it is closed. True by default:
  // paused runs are closed anyway when nothing else can happen.
  [[nodiscard]] virtual bool promotable(const History& history, std::size_t run) const;
  // Returns the best trial by this method, or nullopt while nothing is known. By default the trial
  // of the best single report; ties go to the lower number.
  [[nodiscard]] virtual std::optional<std::size_t> incumbent(const History& history) const;

  // Returns the run whose latest checkpoint a fork continues in place of `run`, which ends with
  // `verdict` on its report of `phase`; nullopt: its place stays empty. Only of populations.
  [[nodiscard]] virtual std::optional<std::size_t> donor(const History& history, std::size_t run,
                                                         int phase, const Verdict& verdict) const;

  // Returns whether the rule ever pauses a run. A rule that does overrides next().
  [[nodiscard]] virtual bool pauses() const { return false; }
  // Returns whether the rule starts further seeds of a leader itself.
  [[nodiscard]] virtual bool takes_second_looks() const { return false; }

  // Returns the action that follows from the recorded inputs of a verdict alone. `hone explain
  // --recompute` compares it with the recorded action.
  [[nodiscard]] virtual Action recompute(const std::vector<VerdictInput>& inputs) const = 0;
  // Explains a verdict in one sentence.
  [[nodiscard]] virtual std::string explain(const Verdict& verdict) const = 0;
  // Returns the number of phases that the rule expects one run to train for, at most shape.phases.
  // Used for progress and plans, never for decisions.
  [[nodiscard]] virtual double expected_phases() const = 0;
};

// Makes a rule. Refuses unknown or invalid settings; error.at is relative to the spec
// ("/terminator/eviction_rate").
using TerminatorMaker = Result<std::unique_ptr<Terminator>>(const TerminatorSpec& spec,
                                                            const SweepShape& shape);

// How much three times count in the time that a sweep has left (server/forecast/sweep_end.hpp):
// that of the proposals to come, that of the runs that train now, and that of one complete run,
// which some run usually still needs; and the quantiles of 10 and 90 % of what was true, relative
// to their sum.
struct EndWeights {
  double proposals = 0, training = 0, complete_run = 0;
  double low = 0, high = 0;
};

// Refuses a new sweep whose shape the rule cannot judge well, or in bounded time; error.at is
// relative to the spec.
using TerminatorCheck = Status(const TerminatorSpec& spec, const SweepShape& shape);

struct TerminatorRow {
  std::string_view rule;
  std::string_view summary;
  TerminatorMaker* make;
  std::span<const MethodSetting> settings{};
  TerminatorCheck* check = nullptr;
  // promotable() may become false before the end of the sweep.
  bool closes_early = false;
  // It compares values with numbers instead of with each other: which runs it stops depends on what
  // the objective measures.
  bool judges_values = false;
  // Its setting that says by how much a value must improve, which has no meaning for times.
  std::string_view least_gain{};
  // judge() reads all reports of a run: the time of a sweep grows with the square of its phases.
  bool judges_whole_curves = false;
  // The rule that judges runs which cannot be resumed; empty if this rule never pauses.
  std::string_view without_pauses{};
  // While runs are to be proposed, and afterwards; fitted by sweep_end_bench to simulated sweeps of
  // the rule, or of all rules together.
  EndWeights proposing{0.83, 0.17, 0.75, 0.43, 1.54};
  EndWeights finishing{0.00, 0.43, 0.75, 0.32, 2.49};
};

std::span<const TerminatorRow> terminator_table();
// Returns the rule that judges runs without a checkpoint, with the settings that it shares with
// `spec`; nullopt if the rule of `spec` pauses no run.
std::optional<TerminatorSpec> without_pauses(const TerminatorSpec& spec);
// Makes the rule that `spec` names; for a multi-seed sweep it judges trials instead of single runs.
Result<std::unique_ptr<Terminator>> make_terminator(const TerminatorSpec& spec,
                                                    const SweepShape& shape);

// Makes the rule of `row` for a sweep whose trials have several runs
// (seeds/multi_seed_terminator.cpp).
Result<std::unique_ptr<Terminator>> make_multi_seed(const TerminatorSpec& spec,
                                                    const SweepShape& shape,
                                                    const TerminatorRow& row);

}  // namespace hone
