#include "server/sweep/forks/forks.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/expect.hpp"
#include "schemas/trainers/trainers.hpp"
#include "schemas/types/event.hpp"
#include "schemas/types/reach.hpp"
#include "schemas/values/same.hpp"
#include "server/search/samplers/population/bandit.hpp"
#include "server/search/samplers/population/changes.hpp"
#include "server/sweep/forks/bandit_data.hpp"

namespace hone {
namespace {

bool is_free(const Parameter& parameter) {
  return !std::holds_alternative<FixedDomain>(parameter.domain) &&
         !std::holds_alternative<DerivedDomain>(parameter.domain);
}

// The newest kept checkpoint that the run saved for its report of the phase.
std::optional<ModelId> checkpoint_of(const Book& book, const Run& run, int phase) {
  const std::int64_t step = run.reports.at(static_cast<std::size_t>(phase)).step;
  const ModelRef* newest = nullptr;
  const auto first =
      book.models_by_content.lower_bound({run.id, std::numeric_limits<std::int64_t>::min(), {}});
  for (auto entry = first; entry != book.models_by_content.end(); ++entry) {
    if (std::get<RunId>(entry->first) != run.id) break;
    const auto kept = book.models.find(entry->second);
    if (kept == book.models.end()) continue;
    const ModelRef& model = kept->second;
    const bool fits = model.phase == phase && model.step <= step;
    if (fits && (newest == nullptr || model.step >= newest->step)) newest = &model;
  }
  return newest == nullptr ? std::nullopt : std::optional(newest->id);
}

// A fork that has not reached its own checkpoint yet starts where its origin did.
std::optional<ModelId> start_of(const Book& book, const Run& run, int phase) {
  if (const auto own = checkpoint_of(book, run, phase)) return own;
  const auto& origin = find_trial(book, run.id.trial)->origin;
  if (!origin || run.id.replicate != 0 || origin->phase != phase) return std::nullopt;
  return book.models.contains(origin->model) ? std::optional(origin->model) : std::nullopt;
}

std::string trainer_text(const SweepSpec& spec) {
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&spec.trainer))
    return "trainer '" + builtin->name + "'";
  return "the command (its may_change names those that may)";
}

}  // namespace

std::vector<std::string> changeable_parameters(const Sweep& sweep) {
  std::vector<std::string> names;
  for (const Parameter& parameter : sweep.space.parameters())
    if (may_change(sweep.spec, parameter.name)) names.push_back(parameter.name);
  return names;
}

bool is_explored(const SweepSpec& spec, const Parameter& parameter) {
  return is_free(parameter) && may_change(spec, parameter.name);
}

bool bandit_chooses(const SweepSpec& spec, const Parameter& parameter) {
  const auto* choice = std::get_if<ChoiceDomain>(&parameter.domain);
  const bool number = !std::holds_alternative<BoolDomain>(parameter.domain) &&
                      (choice == nullptr || choice->ordered);
  return number && is_explored(spec, parameter);
}

bool may_change(const SweepSpec& spec, std::string_view parameter) {
  if (const auto* command = std::get_if<CommandTrainer>(&spec.trainer))
    return std::ranges::find(command->may_change, parameter) != command->may_change.end();
  const auto* builtin = std::get_if<BuiltinTrainer>(&spec.trainer);
  const TrainerInfo* trainer = builtin == nullptr ? nullptr : find_trainer(builtin->name);
  const SettingInfo* setting = trainer == nullptr ? nullptr : find_setting(*trainer, parameter);
  return setting != nullptr && setting->may_change;
}

namespace {

Status check_members(const SweepSpec& spec) {
  if (first_runs(spec) > 1 || most_runs(spec) > 1)
    return refuse(Code::invalid, "a member of a population is one run: leave replicates out",
                  "/replicates");
  if (std::holds_alternative<AskTrainer>(spec.trainer))
    return refuse(Code::invalid,
                  "a population needs checkpoints, and asked trials have none: name a trainer or a "
                  "command",
                  "/trainer/name");
  const auto changes = [&](const Parameter& one) { return is_explored(spec, one); };
  if (!std::ranges::any_of(spec.parameters, changes))
    return refuse(Code::invalid,
                  "none of these may change when a run resumes: a population has nothing to "
                  "explore with " +
                      trainer_text(spec),
                  "/parameters");
  return Done{};
}

// Every comparison may start a fork, and every fork begins with the reports of its origin.
Status check_inherited(const SweepSpec& spec, const Population& population) {
  const std::int64_t phases = spec.budget.phases;
  const std::int64_t comparisons = (phases + population.ready - 1) / population.ready;
  const std::int64_t most = population.size * comparisons * phases;
  if (most <= inherited_reports_max) return Done{};
  return refuse(Code::invalid,
                "forks of " + std::to_string(population.size) + " members, compared " +
                    std::to_string(comparisons) + " times in " + std::to_string(phases) +
                    " phases, may inherit " + std::to_string(most) + " reports, more than " +
                    std::to_string(inherited_reports_max) +
                    ": make ready larger, or budget.phases smaller",
                "/search/ready");
}

// A bandit reads the gains of all members for each fork, and chooses numbers.
Status check_bandit(const SweepSpec& spec, const Population& population) {
  if (!traits_of(spec.search.method).models_forks) return Done{};
  // Of the newest gains it reads bandit_changes_max: two of each member at least.
  constexpr auto members_max = static_cast<std::int64_t>(bandit_changes_max / 2);
  if (population.size > members_max)
    return refuse(Code::invalid,
                  "pb2 learns from the newest " + std::to_string(bandit_changes_max) +
                      " gains, two of each of at most " + std::to_string(members_max) +
                      " members: make the population smaller, or use pbt",
                  "/search/population");
  if (std::ranges::count_if(spec.parameters, is_free) > bandit_parameters_max)
    return refuse(Code::invalid,
                  "pb2 models at most " + std::to_string(bandit_parameters_max) +
                      " parameters: give some a fixed value, or use pbt",
                  "/parameters");
  const auto chosen = [&](const Parameter& one) { return bandit_chooses(spec, one); };
  if (std::ranges::any_of(spec.parameters, chosen)) return Done{};
  return refuse(Code::invalid,
                "pb2 chooses numbers and ordered choices, and none of these may change when a run "
                "resumes, with " +
                    trainer_text(spec) + ": use pbt",
                "/parameters");
}

}  // namespace

Status check_population(const SweepSpec& spec) {
  if (!is_population(spec)) return Done{};
  const auto population = read_population(spec.search);
  if (!population) return population.error();
  if (population->ready >= spec.budget.phases)
    return refuse(Code::invalid,
                  "members are compared after " + std::to_string(population->ready) +
                      " phases, and a run has " + std::to_string(spec.budget.phases) +
                      ": make budget.phases larger, or ready smaller",
                  "/search/ready");
  if (auto fits = check_inherited(spec, *population); !fits) return fits;
  if (auto fits = check_bandit(spec, *population); !fits) return fits;
  return check_members(spec);
}

bool reached_bar(const Sweep& sweep, const Run& run, int phase) {
  const auto& reach = sweep.spec.objective.reach;
  return reach && reaches(*reach, run.reports.at(static_cast<std::size_t>(phase)).score);
}

Result<Origin> find_origin(const Book& book, const Sweep& sweep, const ForkRequest& request) {
  const Run* run = find_run(book, request.run);
  if (run == nullptr) return refuse(Code::not_found, "no run " + text(request.run), "/fork/run");
  const SweepId own = book.trials.at(request.run.trial).first;
  if (own != sweep.id)
    return refuse(Code::invalid,
                  text(request.run) + " is of " + text(own) + ": a fork stays in its sweep",
                  "/fork/run");
  if (std::holds_alternative<PipelineTrainer>(sweep.spec.trainer))
    return refuse(Code::invalid, "runs of a pipeline cannot be forked", "/fork");
  if (first_runs(sweep.spec) > 1 || most_runs(sweep.spec) > 1 ||
      !sweep.spec.further_objectives.empty())
    return refuse(Code::invalid,
                  "a fork needs a sweep of one objective with one seed of every parameter set",
                  "/fork");
  const int reported = static_cast<int>(run->reports.size());
  const int phase = request.phase.value_or(reported - 1);
  if (phase < 0 || phase >= reported)
    return refuse(Code::conflict,
                  text(request.run) + " has reported " + std::to_string(reported) +
                      (reported == 1 ? " phase" : " phases") + ": a fork starts after one of them",
                  "/fork/phase");
  if (phase + 1 >= sweep.spec.budget.phases)
    return refuse(Code::conflict,
                  text(request.run) + " has used its whole budget: name an earlier phase",
                  "/fork/phase");
  if (reached_bar(sweep, *run, phase))
    return refuse(Code::conflict,
                  text(request.run) + " has reached its bar in phase " + std::to_string(phase + 1) +
                      ", where its training ends: name an earlier phase",
                  "/fork/phase");
  const auto model = start_of(book, *run, phase);
  if (!model)
    return refuse(Code::conflict,
                  text(request.run) + " keeps no checkpoint of phase " + std::to_string(phase + 1) +
                      ": name another phase; checkpoints: {keep: all} keeps every one",
                  "/fork/phase");
  return Origin{request.run, *model, phase, run->reports[static_cast<std::size_t>(phase)].step};
}

Params forked_params(const Book& book, const Sweep& sweep, const Origin& origin,
                     const Params& given) {
  const Params& before = find_trial(book, origin.run.trial)->params;
  auto point = sweep.space.point_of(before);
  if (!point) return before;
  const SearchSpace& space = sweep.space;
  space.place(given, *point);
  space.settle(*point);
  Params params = space.params_at(*point);
  const auto now = space.values_of(given), then = space.values_of(before);
  std::size_t index = 0;  // both are in the order of the file
  for (Param& param : params) {
    while (space.parameters()[index].name != param.name) ++index;
    keep_unchanged(then[index], param.value);
    const Value* exact = now[index];
    if (exact == nullptr && is_free(space.parameters()[index])) exact = then[index];
    if (exact != nullptr && exact->index() == param.value.index()) param.value = *exact;
    ++index;
  }
  return params;
}

namespace {

// Refuses values from which a change of another parameter follows that may not change: a derived
// one, or one whose condition they make true or false.
Status check_following(const Book& book, const Sweep& sweep, const Origin& origin,
                       const Params& given) {
  const Params& before = find_trial(book, origin.run.trial)->params;
  const auto names = changeable_parameters(sweep);
  const auto other = change_beyond(before, forked_params(book, sweep, origin, given), names);
  if (!other) return Done{};
  // The first value that causes it alone, of so many as users write; else it follows from several.
  constexpr std::size_t tried = 20;
  const auto causes = [&](const Param& param) {
    return change_beyond(before, forked_params(book, sweep, origin, {param}), names) == other;
  };
  const auto first = std::span(given).first(std::min(tried, given.size()));
  const auto cause = std::ranges::find_if(first, causes);
  const bool alone = cause != first.end();
  return refuse(Code::invalid,
                "'" + *other + "' may not change when a run resumes, with " +
                    trainer_text(sweep.spec) + ", and its change follows from " +
                    (alone ? "'" + cause->name + "'" : "these values"),
                alone ? "/params/" + cause->name : "/params");
}

}  // namespace

Status check_forked(const Book& book, const Sweep& sweep, const Origin& origin,
                    const Params& given) {
  const Params& before = find_trial(book, origin.run.trial)->params;
  for (const Param& param : given) {
    const Value* value = find(before, param.name);
    const bool same = value != nullptr && same_value(*value, param.value);
    if (same || may_change(sweep.spec, param.name)) continue;
    return refuse(
        Code::invalid,
        "'" + param.name + "' may not change when a run resumes, with " + trainer_text(sweep.spec),
        "/params/" + param.name);
  }
  return check_following(book, sweep, origin, given);
}

std::optional<Origin> origin_after(const Book& book, const Run& run, int phase) {
  if (phase < 0 || std::cmp_greater_equal(phase, run.reports.size())) return std::nullopt;
  const auto model = start_of(book, run, phase);
  if (!model) return std::nullopt;
  return Origin{run.id, *model, phase, run.reports[static_cast<std::size_t>(phase)].step};
}

std::optional<Origin> find_successor(const Book& book, const Sweep& sweep, const Run& run,
                                     int phase, const Verdict& verdict) {
  if (sweep.state == SweepState::stopping) return std::nullopt;
  const auto donor = sweep.terminator->donor(sweep.history, run.record, phase, verdict);
  if (!donor) return std::nullopt;
  const Run& followed = *find_run(book, sweep.runs.at(*donor));
  auto origin = origin_after(book, followed, static_cast<int>(followed.reports.size()) - 1);
  if (origin) origin->replaces = run.id;
  return origin;
}

std::optional<VerdictReason> why_member_continues(const Book& book, const Sweep& sweep,
                                                  const Run& run, int phase,
                                                  const Verdict& verdict) {
  if (!is_population(sweep.spec) || verdict.action == Action::go_on) return std::nullopt;
  if (sweep.state == SweepState::stopping) return VerdictReason::finishes;
  if (verdict.reason == VerdictReason::replaced &&
      !find_successor(book, sweep, run, phase, verdict))
    return VerdictReason::no_checkpoint;
  return std::nullopt;
}

void propose_successor(const Book& book, const Sweep& sweep, const Origin& origin, Events& events) {
  const auto population = read_population(sweep.spec.search);
  expect(population.ok(), "a submitted population was checked");
  const auto number = static_cast<std::int64_t>(sweep.trials.size());
  const Rng rng(sweep.spec.seed, Purpose::explore, static_cast<std::uint64_t>(number));
  const auto names = changeable_parameters(sweep);
  const Params& of = find_trial(book, origin.run.trial)->params;
  Params params = traits_of(sweep.spec.search.method).models_forks
                      ? explore_by_bandit(sweep.space, of, names,
                                          bandit_data(book, sweep, origin, population->ready), rng)
                      : explore(sweep.space, of, names, *population, rng);
  events.emplace_back(TrialProposed{TrialId{book.last_trial + 1}, sweep.id, number,
                                    std::move(params), std::nullopt, origin});
}

void ForkStarts::add(const EventBody& body) {
  if (const auto* ended = std::get_if<RunEnded>(&body)) over(ended->run);
  if (const auto* saved = std::get_if<ModelSaved>(&body)) {
    const Run* run = find_run(book_, saved->run);
    const bool own = run != nullptr && run->checkpoint && saved->step >= run->checkpoint->step;
    if (own) over(saved->run);
  }
  const auto* proposed = std::get_if<TrialProposed>(&body);
  const auto* enqueued = std::get_if<TrialEnqueued>(&body);
  if (proposed != nullptr && proposed->origin) started_.insert(proposed->origin->model);
  if (enqueued != nullptr && enqueued->origin) started_.insert(enqueued->origin->model);
}

void ForkStarts::over(RunId id) {
  const Run* run = find_run(book_, id);
  if (run == nullptr || !run->checkpoint) return;
  const ModelId model = run->checkpoint->id;
  if (sweep_of(book_, id).forks.contains({model, id}) && over_.insert(id).second)
    --counted(sweep_of(book_, id), model);
}

// The forks that start from it and are not over, before the events.
std::int64_t& ForkStarts::counted(const Sweep& sweep, ModelId model) {
  const auto [count, is_new] = counts_.try_emplace(model, 0);
  if (is_new)
    for (auto at = sweep.forks.lower_bound({model, RunId{}}); at != sweep.forks.end(); ++at) {
      if (at->first != model) break;
      ++count->second;
    }
  return count->second;
}

bool ForkStarts::contains(const Sweep& sweep, ModelId model) {
  if (started_.contains(model) || counted(sweep, model) > 0) return true;
  const auto [waiting, is_new] = waiting_.try_emplace(sweep.id);
  if (is_new)
    for (const Enqueued& enqueued : sweep.enqueued)
      if (enqueued.origin) waiting->second.insert(enqueued.origin->model);
  return waiting->second.contains(model);
}

void begin_as(const Book& book, Sweep& sweep, Run& run, const Origin& origin) {
  const Run& from = *find_run(book, origin.run);
  sweep.inherited += origin.phase + 1;
  const bool timed = measures_time(sweep.spec.objective);
  std::vector<Score> scores;
  for (int phase = 0; phase <= origin.phase; ++phase) {
    const RecordedReport& report = from.reports.at(static_cast<std::size_t>(phase));
    run.reports.push_back({report.step, report.score, std::nullopt, report.spent});
    const double time = timed ? report.spent : static_cast<double>(report.step);
    scores.push_back(counted(sweep.spec.objective, report.score, time));
  }
  sweep.history.inherit(run.record, scores);
  run.checkpoint = book.models.at(origin.model);
  sweep.forks.emplace(origin.model, run.id);
}

void forget_start(Sweep& sweep, const Run& run) {
  if (run.checkpoint) sweep.forks.erase({run.checkpoint->id, run.id});
}

}  // namespace hone
