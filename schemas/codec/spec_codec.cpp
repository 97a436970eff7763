// The sweep file.
#include <array>
#include <cmath>

#include "schemas/codec/default_methods.hpp"
#include "schemas/codec/parts.hpp"

namespace hone::codec {
namespace {

constexpr Integer retries{0, 1000};
constexpr Line method_name{1, 64};
constexpr std::size_t warm_starts_max = 100;
constexpr std::size_t perturb_max = 16;
constexpr std::size_t constraints_max = 100;
constexpr std::size_t datasets_max = 100;
constexpr Line location_rule{0, 4096};
constexpr std::size_t constraint_bytes_max = 1000;
constexpr Length limit{Duration{1}, true};

Value read_trainer_setting(const std::string& name, const Spot& spot) {
  if (name == "command")
    spot.refuse("a command is not a trainer's setting: write command: [...] instead of trainer");
  return read_setting(spot);
}

constexpr ListOf step_names{read_step_name, std::size_t{steps_max}};

// Settings of a rule are numbers.
double read_rule_setting(const std::string& name, const Spot& spot) {
  static constexpr std::array<std::string_view, 1> keys{"rule"};
  if (!spot.json.is_number())
    spot.refuse("a setting of a rule must be a number, not " + described(spot.json) +
                did_you_mean(name, keys));
  return read_real(spot);
}

// A number of runs, or a share of them: 5, or 0.2.
double read_failure_limit(const Spot& spot) {
  const double most = read_real(spot);
  if (!(most >= 0 && most <= trials_max) || (most >= 1 && most != std::floor(most)))
    spot.refuse("must be a number of runs, such as 5, or a share of them below 1, such as 0.2");
  return most;
}

}  // namespace

// trainer: {name: ga3c, env: CartPole-v1, ...}: all but the name are settings.
void fields(auto& f, Of<BuiltinTrainer> auto& t) {
  f("name", t.name, method_name).rest(t.settings, read_trainer_setting);
}

template <class F>
void fields(F& f, Of<SearchSpec> auto& s) {
  f.maybe("method", s.method, method_name).some("trials", s.trials, Count{1, trials_max});
  if constexpr (!reads<F>) f.rest(s.settings);
  f.some("warm_start", s.warm_start, ListOf{OfType{}, warm_starts_max});
  f.some("command", s.command, read_command_words);
  f.some("perturb", s.perturb, ListOf{OfType{}, perturb_max});
  if constexpr (reads<F>)
    f.rest(s.settings, [&](const std::string& name, const Spot& spot) {
      static constexpr std::array<std::string_view, 1> needed{"trials"};
      const auto guess = did_you_mean(name, needed);
      if (s.trials == 0 && !guess.empty()) spot.refuse("unknown field " + in_quotes(name) + guess);
      return read_setting(spot);
    });
}

SearchSpec read_search(const Spot& spot) { return read_object(spot, SearchSpec{""}); }

// terminator: {rule: hypertrick, eviction_rate: 0.25}: all but the rule are its settings, by name.
void fields(auto& f, Of<TerminatorSpec> auto& t) {
  f("rule", t.rule, method_name).rest(t.settings, read_rule_setting);
}

void fields(auto& f, Of<LimitsSpec> auto& l) {
  f.maybe("duration", l.duration, limit).maybe("max_retries", l.max_retries, retries);
  f.some("run", l.run, limit).some("phase", l.phase, limit);
  f.some("concurrency", l.concurrency, Integer{1, concurrency_max});
  f.some("max_failed", l.max_failed, read_failure_limit);
}

void fields(auto& f, Of<StepSpec> auto& s) {
  f("name", s.name, read_step_name)("command", s.command).some("resources", s.resources);
  f.some("retries", s.retries, retries);
  f.some("needs", s.needs, step_names).some("phases", s.phases, Integer{1, phases_max});
}

void fields(auto& f, Of<DatasetSpec> auto& d) {
  f("name", d.name, name_rule).maybe("role", d.role).some("version", d.version, Line{0, name_max});
  f.some("digest", d.digest, Line{0, name_max}).some("location", d.location, location_rule);
}

void fields(auto& f, Of<CheckpointsSpec> auto& c) { f.maybe("keep", c.keep); }

void fields(auto& f, Of<ConfirmSpec> auto& c) {
  f.maybe("top", c.top, Integer{1, confirm_top_max}).maybe("seeds", c.seeds, Integer{2, seeds_max});
}

// seeds: 3, or seeds: {min: 2, max: 8}
struct SeedRange {
  int min = 1;
  int max = 0;
};
void fields(auto& f, Of<SeedRange> auto& r) {
  f("min", r.min, Integer{1, seeds_max})("max", r.max, Integer{1, seeds_max});
}
void check(Reader& reader, const SeedRange& range) {
  if (range.max < range.min)
    reader.refuse_rule("max", "must be at least min, which is " + std::to_string(range.min));
}
template <>
SeedRange read(const Spot& spot) {
  if (!spot.json.is_object()) return {read_by<int>(spot, Integer{1, seeds_max}), 0};
  auto range = read_object<SeedRange>(spot);
  if (range.max == range.min) range.max = 0;
  return range;
}
template <>
Json write(const SeedRange& range) {
  return range.max > range.min ? write_object(range) : Json(range.min);
}

// instances: {parameter: env, values: [a, b], worst: [0, -500], best: [500, -80]}, or with
// normalize: ranks instead of worst and best
void fields(auto& f, Of<InstancesSpec> auto& i) {
  constexpr ListOf references{OfType{}, instances_max};
  f("parameter", i.parameter, name_rule)("values", i.values,
                                         ListOf{read_setting, instances_max, "value"});
  f.some("worst", i.worst, references).some("best", i.best, references);
  f.some("normalize", i.normalize);
}
void check(Reader& reader, const InstancesSpec& spec) {
  const std::size_t count = spec.values.size();
  const bool given = !spec.worst.empty() || !spec.best.empty();
  if (given && spec.normalize == Normalize::ranks)
    return reader.refuse_rule("normalize",
                              "ranks need no worst and best: leave these out, or normalize");
  if (count < 2 && spec.normalize == Normalize::ranks)
    return reader.refuse_rule("normalize", "ranks compare problems: values has only one");
  if (!given) return;
  if (spec.worst.size() != count || spec.best.size() != count)
    return reader.refuse_rule("best", "worst and best have a number for each of the " +
                                          std::to_string(count) + " values, or are both left out");
  for (std::size_t i = 0; i < count; ++i)
    if (spec.worst[i] == spec.best[i])
      return reader.refuse_rule(
          "best", "worst and best of value " + std::to_string(i + 1) + " are the same number");
}

// What makes a result of several runs. seeds: SweepSpec::seeds.
struct Replicates {
  int seeds = 1;
  ReplicatesSpec spec{};
};
template <class F>
void fields(F& f, Of<Replicates> auto& r) {
  SeedRange seeds{r.seeds, r.spec.max};
  f.maybe("seeds", seeds).some("aggregate", r.spec.aggregate);
  if constexpr (reads<F>) {
    r.seeds = seeds.min;
    r.spec.max = seeds.max;
    r.spec.race = seeds.max > seeds.min;
  }
  f.some("race", r.spec.race).some("instances", r.spec.instances);
}
void check(Reader& reader, const Replicates& replicates) {
  const ReplicatesSpec& spec = replicates.spec;
  if (spec.max > 0 && !spec.race)
    reader.refuse_rule("race", "further seeds are added by racing: leave race out or make it true");
  if (spec.aggregate == Aggregate::lcb && replicates.seeds < 2)
    reader.refuse_rule("aggregate",
                       "lcb needs two seeds or more of every parameter set, as in seeds: {min: 2, "
                       "max: 8}: one run says nothing about its own error");
}

namespace {

// objective: {...}, or objectives: [...] where several are traded off.
void objectives(Reader& f, SweepSpec& spec) {
  std::optional<Objective> one;
  std::optional<std::vector<Objective>> several;
  f.some("objective", one)
      .some("objectives", several, ListOf{OfType{}, objectives_max, "objective"});
  if (one && several)
    f.refuse("objectives", "objective and objectives exclude each other: keep one");
  if (one) spec.objective = *one;
  if (!several || several->empty()) return;
  for (std::size_t i = 0; i < several->size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if ((*several)[i].metric == (*several)[j].metric)
        f.refuse_rule("objectives",
                      "the metric " + in_quotes((*several)[i].metric) + " appears twice");
  spec.objective = several->front();
  spec.further_objectives.assign(several->begin() + 1, several->end());
}

void objectives(Writer& f, const SweepSpec& spec) {
  if (spec.further_objectives.empty()) {
    f("objective", spec.objective);
    return;
  }
  std::vector<Objective> all{spec.objective};
  all.insert(all.end(), spec.further_objectives.begin(), spec.further_objectives.end());
  f("objectives", all);
}

constexpr std::string_view ask_trainer = "ask";

// Every name once, and only earlier steps are needed.
void check_steps(const Spot& spot, const std::vector<StepSpec>& steps) {
  std::vector<std::string_view> earlier;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Place place(spot.place, i);
    if (std::ranges::find(earlier, steps[i].name) != earlier.end())
      spot.fault.note_rule(Place(place, "name"),
                           "the step " + in_quotes(steps[i].name) + " appears twice");
    const Place at_needs(place, "needs");
    const std::size_t count = steps[i].needs ? steps[i].needs->size() : 0;
    for (std::size_t j = 0; j < count; ++j)
      if (const std::string& name = (*steps[i].needs)[j];
          std::ranges::find(earlier, name) == earlier.end())
        spot.fault.note_rule(Place(at_needs, j), "no earlier step is called " + in_quotes(name) +
                                                     did_you_mean(name, earlier) +
                                                     ": steps run in the order of the file");
    if (steps[i].resources && steps[i].resources->cpus_max > 0)
      spot.fault.note_rule(Place(Place(Place(spot.place, i), "resources"), "cpus"),
                           "is a number for a step of a pipeline, not {min, max}");
    earlier.emplace_back(steps[i].name);
  }
}

// Exactly one of trainer, command and steps.
void what_to_run(Reader& f, SweepSpec& spec) {
  std::optional<BuiltinTrainer> builtin;
  std::optional<CommandTrainer> command;
  std::optional<std::vector<StepSpec>> steps;
  f.some("trainer", builtin).some("command", command);
  f.some("steps", steps, ListOf{OfType{}, std::size_t{steps_max}, "step"});
  if (builtin && command) f.refuse("command", "trainer and command exclude each other: keep one");
  if (steps && (builtin || command))
    f.refuse("steps", "steps exclude trainer and command: each step has its command");
  if (steps && f.spot.fault.clear())
    f.at("steps", [&](const Spot& spot) { check_steps(spot, *steps); });
  const bool asks = builtin && builtin->name == ask_trainer;
  if (asks && !builtin->settings.empty())
    f.refuse("trainer", "trainer ask has no settings: the client evaluates the trials");
  if (asks)
    spec.trainer = AskTrainer{};
  else if (builtin)
    spec.trainer = std::move(*builtin);
  else if (command)
    spec.trainer = std::move(*command);
  else if (steps)
    spec.trainer = PipelineTrainer{std::move(*steps)};
}

void what_to_run(Writer& f, const SweepSpec& spec) {
  if (const auto* command = std::get_if<CommandTrainer>(&spec.trainer))
    f("command", *command);
  else if (const auto* builtin = std::get_if<BuiltinTrainer>(&spec.trainer))
    f("trainer", *builtin);
  else if (const auto* pipeline = std::get_if<PipelineTrainer>(&spec.trainer))
    f("steps", pipeline->steps);
  else
    f("trainer", BuiltinTrainer{std::string(ask_trainer), {}});
}

}  // namespace

// What the commands take from the rest of their sweep.
void settle_steps(const Spot& spot, SweepSpec& spec) {
  auto* pipeline = std::get_if<PipelineTrainer>(&spec.trainer);
  if (pipeline == nullptr) return;
  for (std::size_t i = 0; i < pipeline->steps.size() && spot.fault.clear(); ++i) {
    const Place place(spot.place, i);
    settle_command({spot.json.at(i).at("command"), Place(place, "command"), spot.fault}, spec,
                   pipeline->steps[i].command);
  }
}

void settle_commands(Reader& f, SweepSpec& spec) {
  auto* command = std::get_if<CommandTrainer>(&spec.trainer);
  if (!f.spot.fault.clear()) return;
  if (command) f.at("command", [&](const Spot& spot) { settle_command(spot, spec, *command); });
  if (!spec.evaluate.empty())
    f.at("evaluate", [&](const Spot& spot) { check_evaluate(spot, spec); });
  f.at("steps", [&](const Spot& spot) { settle_steps(spot, spec); });
}

// Settings of the user's program, which are often written next to `command`.
void refuse_settings_of_command(Reader& reader) {
  for (const char* key :
       {"run", "params", "env", "folder", "prepare", "collect", "artifacts", "disk", "may_change"})
    if (reader.find_foreign(key) != nullptr)
      reader.refuse(key, in_quotes(key) +
                             " is a setting of the program: write it under command, as " +
                             "command: {run: ..., " + key + ": ...}");
}

template <class F>
void fields(F& f, Of<SweepSpec> auto& s) {
  if constexpr (reads<F>) refuse_settings_of_command(f);
  f.maybe("name", s.name, name_rule).maybe("project", s.project, name_rule);
  f.maybe("seed", s.seed, seed_rule);
  objectives(f, s);
  what_to_run(f, s);
  f.some("evaluate", s.evaluate, read_command_words);
  f("parameters", s.parameters);
  if constexpr (reads<F>) settle_commands(f, s);
  f.some("constraints", s.constraints, ListOf{Text{constraint_bytes_max}, constraints_max});
  f.maybe("search", s.search, read_search).maybe("terminator", s.terminator);
  const bool asks = std::holds_alternative<AskTrainer>(s.trainer);
  if constexpr (reads<F>)
    if (asks) s.budget = {"trials", 1, 1};
  asks ? f.maybe("budget", s.budget) : f("budget", s.budget);
  Replicates replicates{s.seeds, s.replicates};
  f.maybe("replicates", replicates).maybe("resources", s.resources).maybe("limits", s.limits);
  f.some("share", s.share, Integer{1, share_max}).some("slots", s.slots).some("by", s.by);
  f.some("datasets", s.datasets, ListOf{OfType{}, datasets_max});
  f.maybe("checkpoints", s.checkpoints).some("confirm", s.confirm).some("confirms", s.confirms);
  if constexpr (reads<F>) {
    s.seeds = replicates.seeds;
    s.replicates = std::move(replicates.spec);
    if (s.by == Deadline{}) s.by.reset();
    choose_methods(s);
  }
}

void check(Reader& reader, const ResourcesSpec& resources) {
  if (resources.gpu_memory > 0 && resources.gpus == 0)
    reader.refuse("gpu_memory", "is the memory of each GPU that a run gets: write gpus: 1, too");
}

namespace {

// Refuses a range of slots that no program would use.
void check_cpus(Reader& reader, const SweepSpec& spec) {
  if (spec.resources.cpus_max == 0 || std::holds_alternative<CommandTrainer>(spec.trainer)) return;
  const auto* trainer = std::get_if<BuiltinTrainer>(&spec.trainer);
  reader.spot.fault.note_rule(
      Place(Place(reader.spot.place, "resources"), "cpus"),
      "is a number here; {min, max} is for a command that reads ${hone.cpus}" +
          (trainer == nullptr ? ""
                              : ": the settings of trainer " + trainer->name +
                                    " decide how many threads it starts"));
}

}  // namespace

void check(Reader& reader, const SweepSpec& spec) {
  if (reader.find("objective") == nullptr && reader.find("objectives") == nullptr)
    reader.refuse("objective", "is missing: 'objective' or 'objectives' is required here");
  if (reader.find("trainer") == nullptr && reader.find("command") == nullptr &&
      reader.find("steps") == nullptr)
    reader.refuse("trainer",
                  "is missing: say what to run, either trainer: {name: ...} or command: [...]");
  check_cpus(reader, spec);
  if (const int most = most_resources(spec).cpus; spec.slots.max && *spec.slots.max < most)
    reader.spot.fault.note_rule(
        Place(Place(reader.spot.place, "slots"), "max"),
        "is smaller than resources.cpus (" + std::to_string(most) + "): no " +
            (steps_of(spec) > 1 ? "run could execute all steps" : "run could start"));
  if (spec.search.trials == 0 && is_population(spec))
    reader.spot.fault.note_rule(
        Place(Place(reader.spot.place, "search"), "population"),
        "is missing: say how many members train at a time, as in population: 16");
  else if (spec.search.trials == 0)
    reader.spot.fault.note_rule(
        Place(Place(reader.spot.place, "search"), "trials"),
        "is missing: say how many parameter sets to try, as in search: {trials: 32}");
}

template <>
SweepSpec read(const Spot& spot) {
  SweepSpec spec;
  spec.name = "sweep";
  spec.search.method.clear();
  spec.terminator.rule.clear();
  return read_object(spot, std::move(spec));
}

template <>
Json write(const SweepSpec& spec) {
  return write_object(spec);
}

template struct Requests<SweepSpec>;

}  // namespace hone::codec

namespace hone {

template Result<SweepSpec> decode_recorded(const Json&);

}  // namespace hone
