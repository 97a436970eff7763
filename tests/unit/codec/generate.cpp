#include "tests/unit/codec/generate.hpp"

namespace hone {

std::optional<Prior> Generator::prior(double center) {
  if (coin()) return std::nullopt;
  return Prior{center, 1 / static_cast<double>(integer(1, 1000))};
}

Domain Generator::float_domain() {
  const double min = static_cast<double>(integer(1, 1000)) / 997;
  const double max = min * 1e3;
  const auto step = coin() ? std::optional(min / 7) : std::nullopt;
  const auto scale = word<Scale>();
  if (scale != Scale::logit) return FloatDomain{min, max, scale, step, prior(min * 3)};
  return FloatDomain{0.25, 1 - 1 / (max + 2), scale, std::nullopt, prior(0.3)};
}

Domain Generator::int_domain() {
  const auto min = integer(1, 1000);
  const auto max = min + integer(1, 1'000'000'000'000);
  return IntDomain{min, max, coin() ? Scale::linear : Scale::log, integer(1, max - min),
                   prior(static_cast<double>(max))};
}

Domain Generator::choice_domain() {
  std::vector<Value> values{coin(), std::string("relu"), 0.25, JsonText{"[64,{\"a\":null}]"},
                            JsonText{}};
  if (coin()) values.emplace_back(integer(2, 99));
  std::vector<double> weights;
  for (std::size_t i = 0; i < values.size() && (i > 0 || coin()); ++i)
    weights.push_back(static_cast<double>(integer(1, 1'000'000)) / 7);
  return ChoiceDomain{values, coin(), weights};
}

Domain Generator::domain() {
  switch (integer(0, 5)) {
    case 0:
      return float_domain();
    case 1:
      return int_domain();
    case 2:
      return choice_domain();
    case 3:
      return BoolDomain{};
    case 4:
      return DerivedDomain{"2 * a + b", coin()};
    default:
      return FixedDomain{setting()};
  }
}

FleetSpec Generator::fleet_spec() {
  FleetSpec spec;
  spec.name = name();
  spec.engine = "command";
  spec.min = small(0, 9);
  spec.max = small(9, 1000);
  spec.backlog = small(1, 9);
  spec.idle = seconds(integer(1, 999));
  spec.drain = seconds(integer(1, 999));
  spec.wall = seconds(integer(1000, 99'999));
  spec.slots = small(1, 64);
  spec.gpus = small(0, 8);
  if (coin()) spec.labels = {"gpu=a100", "short"};
  if (coin()) spec.url = "https://login:7777";
  if (coin()) spec.args = {"--partition=short", any_text()};
  spec.commands = {{"qsub", any_text()}, {"qstat"}, {"qdel", "{handle}"}};
  return spec;
}

SearchSpec Generator::search() {
  SearchSpec search;
  search.method = coin() ? "random" : "grid";
  search.trials = integer(1, 1'000'000);
  for (auto n = integer(0, 3); n > 0; --n) search.settings.push_back({numbered("s", n), setting()});
  for (auto n = integer(0, 2); n > 0; --n) search.warm_start.push_back(id<SweepTag>());
  if (coin()) search.command = {"picker", any_text()};
  return search;
}

CommandTrainer Generator::command() {
  CommandTrainer command{{"python3", plain_text(), plain_text()}};
  if (coin()) return command;
  command.params = word<ParamStyle>(), command.short_seeds = coin();
  command.env = {{"LR", plain_text()}, {"OMP_NUM_THREADS", "1"}};
  command.folder = word<WorkFolder>();
  if (coin()) command.prepare = {"make", plain_text()};
  if (coin()) command.artifacts = {"*.png", "logs/**"};
  if (coin()) command.disk = integer(1 << 20, 1LL << 40);
  if (coin()) command.python = "/opt/venv/bin/python3";
  if (coin()) command.submitter = {"/home/ada/rl", coin() ? "/usr/bin/python3" : ""};
  if (coin())
    command.code = CodeSnapshot{sha256(), integer(1, 1 << 20)};
  else if (coin())
    command.cwd = "/srv/rl";
  if (coin()) return command;
  CollectSpec& collect = command.collect.emplace();
  if (coin()) collect.file = "results.txt";
  collect.objectives = {"score"};
  if (coin()) {
    collect.format = CollectFormat::regex;
    collect.patterns = {"score: (?<score>\\d+)", "at (?P<at>\\d+)"};
    collect.step = "at";
  } else {
    collect.columns = {"at", "score", "loss"};
    collect.step = "at";
    collect.metrics = {"loss"};
  }
  collect.step_sum = coin();
  collect.step_restarts = !collect.step_sum && coin();
  if (collect.file.empty()) collect.stream = word<CollectStream>();
  if (coin()) collect.nan = word<NanRule>();
  collect.window = small(0, 1000);
  collect.summary = word<Summary>();
  return command;
}

PipelineTrainer Generator::pipeline() {
  StepSpec prepare{"prepare", command()};
  StepSpec train{"train-1", command(), ResourcesSpec{small(1, 8), small(0, 2)}, small(0, 9)};
  if (coin()) train.needs.emplace();
  if (coin()) train.needs = {"prepare"};
  if (coin()) train.phases = small(1, 9);
  return {{std::move(prepare), std::move(train)}};
}

TrainerSpec Generator::trainer() {
  switch (integer(0, 3)) {
    case 0:
      return BuiltinTrainer{name(), {{"env", setting()}, {"envs", setting()}}};
    case 1:
      return command();
    case 2:
      return pipeline();
    default:
      return AskTrainer{};
  }
}

Objective Generator::objective(std::string metric) {
  if (integer(0, 3) == 0)
    return {std::move(metric), Goal::soonest, Reach{real(), coin(), word<RunClock>()}};
  return {std::move(metric), coin() ? Goal::maximize : Goal::minimize};
}

ReportRecorded Generator::report_recorded() {
  ReportRecorded report{id<LeaseTag>(),        run(),   small(0, 9999),
                        integer(0, 1LL << 50), score(), scores()};
  if (coin()) report.spent = static_cast<double>(integer(0, 1'000'000)) / 8;
  if (coin()) report.phase_seconds = static_cast<double>(integer(0, 1'000'000)) / 8;
  return report;
}

SweepSpec Generator::spec() {
  SweepSpec spec;
  spec.name = name();
  spec.project = name();
  spec.seed = static_cast<std::uint64_t>(integer(0, (std::int64_t{1} << 53) - 1));
  spec.objective = objective(name());
  for (auto n = integer(0, 2); n > 0; --n)
    spec.further_objectives.push_back(objective(numbered("further", n)));
  spec.trainer = trainer();
  auto* const command = std::get_if<CommandTrainer>(&spec.trainer);
  if (command != nullptr && !spec.further_objectives.empty())
    command->collect.reset();  // what it collects is one objective
  if (auto* const steps = std::get_if<PipelineTrainer>(&spec.trainer);
      steps != nullptr && !spec.further_objectives.empty())
    for (StepSpec& step : steps->steps) step.command.collect.reset();
  for (auto n = integer(0, 6); n > 0; --n)
    spec.parameters.push_back({numbered("p.", n), domain(), coin() ? "a > 1" : ""});
  for (auto n = integer(0, 2); n > 0; --n) spec.constraints.push_back(numbered("a > ", n));
  spec.search = search();
  if (coin())
    spec.terminator = {"hypertrick", {{"eviction_rate", real()}, {"dcm_fraction", real()}}};
  spec.budget.unit = name();
  spec.budget.phases = small(1, 10'000);
  spec.budget.per_run = integer(spec.budget.phases, 100'000'000'000'000);
  spec.seeds = small(1, 1000);
  spec.resources = {small(1, 64), small(0, 8)};
  if (coin()) spec.resources.memory = integer(65'536, 1LL << 40);
  if (spec.resources.gpus > 0 && coin()) spec.resources.gpu_memory = integer(65'536, 1LL << 40);
  if (coin()) spec.resources.labels = {"zone=a", "fast"};
  if (coin()) spec.share = small(1, 1000);
  if (coin()) spec.slots = {small(0, 9), small(64, 99)};
  if (coin())
    spec.by = coin() ? Deadline{.after = seconds(small(1, 9999))}
                     : Deadline{.at = Instant{small(1, 99) * 1'000'000LL}};
  if (coin()) spec.limits.duration = duration() + Duration{1};
  if (spec.limits.duration > Duration{3650LL * 86'400 * 1'000'000}) spec.limits.duration.reset();
  spec.limits.max_retries = small(0, 1000);
  spec.checkpoints.keep = word<Keep>();
  for (auto n = integer(0, 2); n > 0; --n)
    spec.datasets.push_back(
        {name(), word<DatasetRole>(), coin() ? "2" : "", "", numbered("/d", n)});
  if (coin()) spec.limits.run = seconds(small(1, 9999));
  if (coin()) spec.limits.phase = seconds(small(1, 9999));
  if (coin()) spec.limits.concurrency = small(1, 9999);
  if (coin()) spec.limits.max_failed = coin() ? 0.25 : small(0, 9999);
  if (coin()) spec.replicates = replicates(spec.seeds);
  if (coin()) spec.confirm = ConfirmSpec{small(1, 100), small(2, 1000)};
  if (coin()) spec.confirms = id<SweepTag>();
  return spec;
}

ReplicatesSpec Generator::replicates(int seeds) {
  ReplicatesSpec spec;
  if (coin() && seeds < 1000) spec.max = small(seeds + 1, 1000);
  spec.race = spec.max > 0 || coin();
  do spec.aggregate = word<Aggregate>();
  while (spec.aggregate == Aggregate::lcb && seeds < 2);
  if (coin()) return spec;
  InstancesSpec instances{name(), {}, {}, {}};
  const bool references = coin();
  for (auto n = integer(1, 4); n > 0; --n) {
    instances.values.emplace_back(std::string(numbered("game", n)));
    if (references)
      instances.worst.push_back(-small(0, 99)), instances.best.push_back(small(1, 99));
  }
  if (!references && instances.values.size() > 1) instances.normalize = word<Normalize>();
  spec.instances = instances;
  return spec;
}

TellRequest Generator::tell() {
  TellRequest request;
  request.told = word<Told>();
  if (coin()) request.phase = small(0, 9999);
  request.step = integer(0, std::int64_t{1} << 52);
  if (request.told == Told::value) request.score = score();
  request.further = scores();
  request.detail = any_text();
  if (coin()) request.phase_seconds = static_cast<double>(integer(0, 1'000'000)) / 8;
  return request;
}

WorkflowInfo Generator::workflow() {
  WorkflowInfo info{{"hone", any_text()}, any_text(), any_text(), any_text(), "",
                    any_text(),           "",         "0.1.0"};
  if (coin()) info.git_commit = std::string(40, 'a');
  if (coin()) info.patch_sha256 = sha256();
  if (coin()) info.environment_sha256 = sha256();
  if (coin()) info.hone_commit = std::string(40, 'b') + "+";
  if (coin()) info.name = name(), info.version = "3", info.description = any_text();
  return info;
}

EvaluationInfo Generator::evaluation() {
  EvaluationInfo info{name(), {real(), real()}};
  if (coin()) info.environment = "CartPole-v1";
  info.seed = static_cast<std::uint64_t>(integer(0, (std::int64_t{1} << 53) - 1));
  info.sample = coin();
  if (coin()) info.author = "ada@node3";
  return info;
}

LeaseGrant Generator::grant() {
  const SweepSpec from = spec();
  LeaseGrant grant;
  grant.lease = id<LeaseTag>();
  grant.attempt = {run(), small(1, 9)};
  grant.sweep = id<SweepTag>();
  grant.sweep_name = from.name;
  grant.objective = from.objective;
  grant.trainer = from.trainer;
  if (std::holds_alternative<AskTrainer>(grant.trainer) ||
      std::holds_alternative<PipelineTrainer>(grant.trainer))
    grant.trainer = CommandTrainer{{"train"}};
  grant.params = params();
  grant.seed = from.seed;
  grant.budget = from.budget;
  grant.resources = from.resources;
  grant.next_phase = small(0, from.budget.phases);
  if (coin())
    grant.resume =
        ModelRef{id<ModelTag>(), sha256(), integer(0, 1 << 30), integer(0, 1 << 30), small(0, 9)};
  grant.expires_at = instant();
  if (coin()) grant.limits.run = seconds(small(1, 999));
  if (coin()) grant.limits.phase = seconds(small(1, 999));
  if (coin()) grant.step = StepRef{"train-1", small(0, 31), small(1, 32)};
  if (coin()) grant.inputs = {FileRef{"prepare/data.csv", sha256(), integer(0, 1 << 30)}};
  if (coin()) grant.further_objectives = {{"cost", Goal::minimize}};
  return grant;
}

namespace {

std::vector<Widening> widened() {
  return {{"x", -0.5, std::nullopt, {}}, {"y", {}, {}, {true, std::string("z")}}};
}

}  // namespace

WorkerJoined Generator::worker_joined() {
  WorkerJoined event{id<WorkerTag>(), any_text(),  any_text(), integer(0, 1 << 22),
                     small(0, 64),    small(0, 8), any_text(), coin() ? id<TokenTag>() : TokenId{}};
  if (coin()) event.memory = integer(1, 1LL << 40);
  if (coin()) event.gpu_memory = {integer(1, 1LL << 40), integer(1, 1LL << 40)};
  if (coin()) event.labels = {"zone=a"};
  return event;
}

Neighbours Generator::neighbours() {
  return {small(1, 63), real(), real(), real(), integer(1, 99), coin()};
}

LeaseGranted Generator::lease_granted() {
  LeaseGranted event{id<LeaseTag>(), {run(), small(1, 9)}, id<WorkerTag>(), any_text(), {}, {}};
  if (coin()) event.resume = id<ModelTag>();
  event.expires_at = instant();
  if (coin()) event.step = small(1, 3);
  if (coin()) event.devices = {0, small(1, 63)};
  if (coin())
    event.turn = Turn{word<TurnRule>(), 2, real(), 3, id<SweepTag>(), real(), small(0, 9), 4};
  if (coin()) event.neighbours = neighbours();
  if (coin()) event.width = Width{small(1, 64), word<WidthRule>(), small(0, 64), 5, real(), real()};
  return event;
}

std::optional<RankPrior> Generator::rank_prior() {
  if (coin()) return std::nullopt;
  return RankPrior{small(1, 200), {{real(), real()}, {real(), real()}}};
}

TakenIds Generator::taken_ids() { return {integer(0, 1LL << 62), integer(0, 99)}; }

SweepImported Generator::sweep_imported() {
  return {id<SweepTag>(),
          any_text(),
          {Event{0, instant(), RunStarted{id<LeaseTag>()}},
           Event{0, instant(), SweepArchived{id<SweepTag>(), true}}},
          coin() ? std::optional(id<SweepTag>()) : std::nullopt,
          coin() ? "7:0f" : "",
          word<ImportPart>(),
          coin() ? std::optional(ImportedIds{taken_ids(), taken_ids(), taken_ids(), taken_ids()})
                 : std::nullopt};
}

std::vector<Learned> Generator::learned() { return {{id<SweepTag>(), small(0, 9), small(9, 99)}}; }

std::vector<EventBody> Generator::sweep_events() {
  const auto maybe_instant = [&] { return coin() ? std::optional(instant()) : std::nullopt; };
  const auto maybe_model = [&] { return coin() ? std::optional(id<ModelTag>()) : std::nullopt; };
  return {
      ServerStarted{any_text(), duration()},
      WorkflowRecorded{id<WorkflowTag>(), workflow()},
      DatasetRecorded{id<DatasetTag>(), {any_text(), any_text(), any_text(), any_text()}},
      SweepSubmitted{id<SweepTag>(), any_text(), spec(), id<WorkflowTag>(),
                     coin() ? std::optional(id<DatasetTag>()) : std::nullopt, std::nullopt,
                     small(0, 1), rank_prior(), learned()},
      SweepSteered{id<SweepTag>(), word<Verb>(), word<EndReason>()},
      SweepEnded{id<SweepTag>(), word<SweepState>(), word<EndReason>(), any_text()},
      worker_joined(),
      TrialProposed{id<TrialTag>(), id<SweepTag>(), integer(0, 1'000'000), params(), std::nullopt,
                    origin(), stages(), coin() ? "alice" : "",
                    coin() ? std::optional(ProposalCost{12.5, 0.25}) : std::nullopt},
      lease_granted(),
      LeaseRenewed{id<LeaseTag>(), instant()},
      RunStarted{id<LeaseTag>()},
      report_recorded(),
      VerdictGiven{run(), small(0, 9999), verdict()},
      ModelSaved{id<ModelTag>(), id<LeaseTag>(), run(), sha256(), integer(0, 1LL << 50),
                 integer(0, 1LL << 50), small(0, 9999), maybe_model()},
      RunReturned{id<LeaseTag>(), run(), word<EndReason>(), any_text(), word<Failure>(),
                  maybe_instant(), coin() ? std::optional(id<WorkerTag>()) : std::nullopt, coin(),
                  maybe_kept_slots(), coin()},
      RunEnded{run(), word<RunState>(), word<EndReason>(), small(-255, 255), any_text(), any_text(),
               word<Failure>()},
      TrialEnqueued{id<SweepTag>(), any_text(), params(), std::nullopt, std::nullopt, stages(),
                    coin() ? "alice" : ""},
      RunAdded{run()},
      RunPaused{id<LeaseTag>(), run()},
      ModelDropped{id<ModelTag>(), run()},
      RunReady{run(), maybe_instant()},
      WorkerSeen{id<WorkerTag>(),
                 coin() ? std::optional(KeptFree{id<SweepTag>(), neighbours()}) : std::nullopt},
      WorkerSetAside{id<WorkerTag>(), instant(), any_text()},
      WorkerAllowed{id<WorkerTag>(), coin()},
      TokenCreated{id<TokenTag>(), any_text(), any_text(), Scope::read | Scope::worker, sha256(),
                   coin() ? std::optional(instant()) : std::nullopt,
                   coin() ? id<TokenTag>() : TokenId{}},
      TokenRevoked{id<TokenTag>(), coin() ? id<TokenTag>() : TokenId{}},
      ArtifactSaved{id<LeaseTag>(), run(), "plots/loss.png", sha256(), integer(0, 1LL << 50)},
      NoteAdded{any_text(), run(), any_text(), any_text()},
      TagsChanged{id<SweepTag>(), {"good"}, {"old", "bad"}},
      SweepArchived{id<SweepTag>(), coin()},
      TrialPinned{id<TrialTag>(), coin()},
      SweepEdited{id<SweepTag>(), any_text(), integer(1, 999), small(0, 9), widened(), small(1, 9),
                  SlotsSpec{small(0, 9), 99}, Deadline{},
                  coin() ? std::optional(command()) : std::nullopt},
      sweep_imported(),
      CodeRecorded{id<LeaseTag>(), run(), id<WorkflowTag>()},
      ModelEvaluated{id<EvaluationTag>(), any_text(), id<ModelTag>(), evaluation()},
      StepFinished{id<LeaseTag>(), run(), small(0, 31), {FileRef{"train/a", sha256(), 9}}},
      TrialsExpected{id<SweepTag>(), 0.25, {{id<TrialTag>(), 1.5, 1.25, 1.75}}},
  };
}

}  // namespace hone
