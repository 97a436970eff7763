#include "server/sweep/forks/rule_forks.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "server/search/samplers/population/bandit.hpp"
#include "server/search/terminators/hone/smoothed_curves.hpp"
#include "server/search/terminators/rule_helpers.hpp"
#include "server/sweep/forks/bandit_data.hpp"
#include "server/sweep/forks/forks.hpp"

namespace hone {

bool starts_forks(const SweepSpec& spec) {
  return setting(spec.terminator, "forks").value_or(0) > 0;
}

Status check_rule_forks(const SweepSpec& spec) {
  if (!starts_forks(spec)) return Done{};
  const auto no = [](const std::string& why) {
    return refuse(Code::invalid, why, "/terminator/forks");
  };
  if (first_runs(spec) > 1 || most_runs(spec) > 1 || !spec.further_objectives.empty())
    return no("forks need a sweep of one objective with one seed of every parameter set");
  if (spec.checkpoints.keep != Keep::all)
    return no(
        "forks continue earlier checkpoints of the best runs: keep them with "
        "checkpoints: {keep: all}");
  if (spec.objective.reach)
    return no("a time until a bar has no meaning for forks, which take over another's training");
  if (std::holds_alternative<AskTrainer>(spec.trainer) ||
      std::holds_alternative<PipelineTrainer>(spec.trainer))
    return no("forks need checkpoints of one program: name a trainer or a command");
  if (!std::ranges::any_of(spec.parameters,
                           [&](const Parameter& one) { return is_explored(spec, one); }))
    return no(
        "none of the parameters may change when a run resumes (`hone train NAME --help` and the "
        "command's may_change name those that may): leave forks out");
  const std::int64_t most = spec.search.trials * spec.budget.phases;
  if (most > inherited_reports_max)
    return no("forks may inherit " + std::to_string(most) + " reports, more than " +
              std::to_string(inherited_reports_max) + ": make budget.phases or trials smaller");
  return Done{};
}

namespace {

bool bandit_fits(const SweepSpec& spec) {
  return std::cmp_less_equal(spec.parameters.size(), bandit_parameters_max) &&
         std::ranges::any_of(spec.parameters,
                             [&](const Parameter& one) { return bandit_chooses(spec, one); });
}

Params fork_params(const Book& book, const Sweep& sweep, const Origin& origin,
                   std::uint64_t number) {
  const SweepSpec& spec = sweep.spec;
  const Params& of = find_trial(book, origin.run.trial)->params;
  const auto names = changeable_parameters(sweep);
  const bool by_bandit = Rng(spec.seed, Purpose::mixture, number).below(2) == 1;
  if (by_bandit && bandit_fits(spec)) {
    Params params = explore_by_bandit(
        sweep.space, of, names, bandit_data(book, sweep, origin, tenth_of(spec.budget.phases)),
        {spec.seed, Purpose::explore, number});
    if (params != of) return params;  // equal until it knows two gains
  }
  // A number that is multiplied at its bound stays there: such a draw is made again.
  constexpr std::uint64_t draws = 8, stride = 1ULL << 32;
  Params params;
  for (std::uint64_t draw = 0; draw < draws && (draw == 0 || params == of); ++draw)
    params = explore(sweep.space, of, names, Population{},
                     {spec.seed, Purpose::explore, number + draw * stride});
  return params;
}

// The run that trained the phase which the run reported or inherited.
const Run& trained_by(const Book& book, RunId id, int phase) {
  for (const Trial* trial = find_trial(book, id.trial);
       trial->origin && trial->origin->phase >= phase; trial = find_trial(book, id.trial))
    id = trial->origin->run;
  return *find_run(book, id);
}

}  // namespace

std::optional<Origin> fork_origin(const Book& book, const Sweep& sweep, const Donor& donor) {
  const int phase = donor.reports - 1;
  auto origin = origin_after(book, trained_by(book, sweep.runs.at(donor.run), phase), phase);
  if (origin) origin->rank = donor.rank;
  return origin;
}

std::optional<LeaseCandidate> propose_fork(const Book& book, const Sweep& sweep,
                                           const Donor& donor) {
  const auto origin = fork_origin(book, sweep, donor);
  if (!origin) return std::nullopt;
  const TrialId trial{book.last_trial + 1};
  const auto number = static_cast<std::int64_t>(sweep.trials.size());
  Params params = fork_params(book, sweep, *origin, static_cast<std::uint64_t>(number));
  return LeaseCandidate{
      {trial, 0},
      0,
      origin->model,
      {TrialProposed{trial, sweep.id, number, std::move(params), std::nullopt, *origin}}};
}

}  // namespace hone
