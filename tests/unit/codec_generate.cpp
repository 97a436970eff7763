#include "tests/unit/codec_generate.hpp"

namespace hone {

Domain Generator::domain() {
  switch (integer(0, 4)) {
    case 0: {
      const double min = static_cast<double>(integer(1, 1000)) / 997;
      const double max = min * 1e3;
      return FloatDomain{min, max, word<Scale>(), coin() ? std::optional(min / 7) : std::nullopt};
    }
    case 1: {
      const auto min = integer(1, 1000);
      const auto max = min + integer(0, 1'000'000'000'000);
      return IntDomain{min, max, word<Scale>(), integer(1, std::max(max - min, std::int64_t{1}))};
    }
    case 2: {
      std::vector<Value> values{coin(), std::string("relu"), 0.25};
      if (coin()) values.emplace_back(integer(2, 99));
      return ChoiceDomain{values};
    }
    case 3:
      return BoolDomain{};
    default:
      return FixedDomain{setting()};
  }
}

SweepSpec Generator::spec() {
  SweepSpec spec;
  spec.name = name();
  spec.project = name();
  spec.seed = static_cast<std::uint64_t>(integer(0, (std::int64_t{1} << 53) - 1));
  spec.objective = {name(), word<Goal>()};
  if (coin())
    spec.trainer = BuiltinTrainer{name(), {{"env", setting()}, {"envs", setting()}}};
  else
    spec.trainer = CommandTrainer{{"python3", any_text(), any_text()}};
  for (auto n = integer(0, 6); n > 0; --n)
    spec.parameters.push_back({numbered("p.", n), domain(), coin() ? "a > 1" : ""});
  spec.search = {coin() ? "random" : "grid", integer(1, 1'000'000)};
  if (coin())
    spec.terminator = {"hypertrick", {{"eviction_rate", real()}, {"dcm_fraction", real()}}};
  spec.budget.unit = name();
  spec.budget.phases = small(1, 10'000);
  spec.budget.per_run = integer(spec.budget.phases, 100'000'000'000'000);
  spec.seeds = small(1, 1000);
  spec.resources = {small(1, 64), small(0, 8)};
  if (coin()) spec.limits.duration = duration() + Duration{1};
  if (spec.limits.duration > Duration{3650LL * 86'400 * 1'000'000}) spec.limits.duration.reset();
  spec.limits.max_retries = small(0, 1000);
  return spec;
}

WorkflowInfo Generator::workflow() {
  WorkflowInfo info{{"hone", any_text()}, any_text(), any_text(), any_text(), "",
                    any_text(),           "",         "0.1.0"};
  if (coin()) info.git_commit = std::string(40, 'a');
  if (coin()) info.patch_sha256 = sha256();
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
  grant.params = params();
  grant.seed = from.seed;
  grant.budget = from.budget;
  grant.resources = from.resources;
  grant.next_phase = small(0, from.budget.phases);
  if (coin())
    grant.resume =
        ModelRef{id<ModelTag>(), sha256(), integer(0, 1 << 30), integer(0, 1 << 30), small(0, 9)};
  grant.expires_at = instant();
  return grant;
}

std::vector<EventBody> Generator::one_of_each_event() {
  const auto maybe_model = [&] { return coin() ? std::optional(id<ModelTag>()) : std::nullopt; };
  return {
      ServerStarted{any_text(), duration()},
      WorkflowRecorded{id<WorkflowTag>(), workflow()},
      DatasetRecorded{id<DatasetTag>(), {any_text(), any_text(), any_text()}},
      SweepSubmitted{id<SweepTag>(), any_text(), spec(), id<WorkflowTag>(),
                     coin() ? std::optional(id<DatasetTag>()) : std::nullopt},
      SweepSteered{id<SweepTag>(), word<Verb>(), word<EndReason>()},
      SweepEnded{id<SweepTag>(), word<SweepState>(), word<EndReason>()},
      WorkerJoined{id<WorkerTag>(), any_text(), any_text(), integer(0, 1 << 22), small(0, 64),
                   small(0, 8), any_text()},
      TrialProposed{id<TrialTag>(), id<SweepTag>(), integer(0, 1'000'000), params()},
      LeaseGranted{id<LeaseTag>(),
                   {run(), small(1, 9)},
                   id<WorkerTag>(),
                   any_text(),
                   maybe_model(),
                   instant()},
      LeaseRenewed{id<LeaseTag>(), instant()},
      RunStarted{id<LeaseTag>()},
      ReportRecorded{id<LeaseTag>(), run(), small(0, 9999), integer(0, 1LL << 50), score()},
      VerdictGiven{run(), small(0, 9999), verdict()},
      ModelSaved{id<ModelTag>(), id<LeaseTag>(), run(), sha256(), integer(0, 1LL << 50),
                 integer(0, 1LL << 50), small(0, 9999), maybe_model()},
      RunReturned{id<LeaseTag>(), run(), word<EndReason>(), any_text()},
      RunEnded{run(), word<RunState>(), word<EndReason>(), small(-255, 255), any_text(),
               any_text()},
  };
}

}  // namespace hone
