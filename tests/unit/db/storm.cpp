#include "tests/unit/db/storm.hpp"

#include <array>
#include <iterator>

#include "schemas/types/space.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/submit.hpp"

namespace hone {
namespace {

SweepSpec stormy_spec(int kind, int number) {
  SweepSpec spec;
  spec.name = "storm-" + std::to_string(number);
  // The largest that every language reads exactly.
  spec.seed = (1ULL << 53) - 1 - static_cast<std::uint64_t>(number);
  spec.objective = {"return", kind % 2 == 0 ? Goal::maximize : Goal::minimize};
  spec.trainer = CommandTrainer{{"train", "${x}"}};
  if (kind == 3) spec.trainer = BuiltinTrainer{"ga3c", {{"env", std::string("CartPole-v1")}}};
  spec.parameters = {
      {kind == 3 ? "learning_rate" : "x", FloatDomain{0.001, 1, Scale::log, {}}, ""}};
  spec.search = {"random", 6 + kind};
  if (kind == 3) {  // members that continue from each other's checkpoints
    spec.search = {"pbt", 9, {{"quantile", 0.5}}};
    spec.terminator = {"pbt", {}};
  }
  if (kind == 1) spec.terminator = {"hypertrick", {{"eviction_rate", 0.25}}};
  spec.budget = {"frames", 1000, 1 + kind};
  spec.seeds = kind == 2 ? 3 : 1;
  spec.limits.max_retries = kind % 3;
  if (number % 4 == 3 && kind != 3)  // a time, of runs of which a third or so reach the bar
    spec.objective = {"return", Goal::soonest,
                      Reach{50, kind == 1, kind == 0 ? RunClock::steps : RunClock::seconds}};
  if (number % 5 == 4) spec.limits.duration = seconds(90);
  return spec;
}

}  // namespace

void Storm::blow(int commands) {
  join();
  submit();
  for (int i = 0; i < commands; ++i) one();
}

void Storm::one() {
  now_ = now_ + milliseconds(below(300));
  const int roll = below(100);
  if (roll < 1)
    join();
  else if (roll < 3)
    submit();
  else if (roll < 25)
    acquire();
  else if (roll < 85)
    with_lease();
  else if (roll < 93)
    beat();
  else if (roll < 95)
    steer();
  else if (roll < 97)
    pass_time();
  else if (roll < 98)
    remark();
  else if (roll < 99)
    token();
  else
    static_cast<void>(ask(Start{"storm", seconds(15)}));
}

void Storm::submit() {
  const auto number = static_cast<int>(sweeps_.size());
  WorkflowInfo workflow;
  workflow.command = {"hone", "submit", "a \"b\".yaml"};
  workflow.git_commit = std::string(40, static_cast<char>('a' + number % 3));
  auto spec = stormy_spec(number % 4, number);
  spec.datasets = {{"digits", DatasetRole::train, std::to_string(number % 2)},
                   {"held-out", DatasetRole::validation}};
  if (number % 4 == 2) spec.search.warm_start = {sweeps_.front()};
  if (number % 8 == 6) {  // told of the ranks of a like one
    spec.search.warm_start = {sweeps_[2]};
    spec.terminator = {"hone", {{"version", 4}}};
  }
  const auto reply = ask(Submit{{fresh_request(), spec, workflow}});
  if (reply) sweeps_.push_back(std::get<Submitted>(*reply).sweep);
}

void Storm::token() {
  const auto name = fresh_request();
  CreateTokenRequest create;
  create.request_id = create.name = name;
  create.scopes = Scope::read | Scope::submit;
  create.sha256 = std::string(56, 'a') + std::to_string(10'000'000 + requests_);
  static_cast<void>(ask(CreateToken{create}));
  if (below(2) == 0) static_cast<void>(ask(RevokeToken{TokenId{1}}));
}

// Notes, tags and edits.
void Storm::remark() {
  const auto sweep = sweeps_[static_cast<std::size_t>(below(static_cast<int>(sweeps_.size())))];
  switch (below(4)) {
    case 0:
      return static_cast<void>(ask(AddNote{{fresh_request(), sweep, "it \"held\"", "ada"}}));
    case 1:
      return static_cast<void>(ask(ChangeTags{{sweep, {"paper/1", "keep"}, {"gone"}}}));
    case 2:
      return static_cast<void>(ask(Archive{sweep, {below(2) == 0}}));
    default:
      return static_cast<void>(ask(Edit{sweeps_.back(), {fresh_request(), 12, 3, {}}}));
  }
}

void Storm::join() {
  const auto reply =
      ask(Join{{fresh_request(), "host-" + std::to_string(workers_.size()), 4711, 4, 1, "test"}});
  if (reply) workers_.push_back(std::get<JoinReply>(*reply).worker);
}

void Storm::acquire() {
  const auto worker = workers_[static_cast<std::size_t>(below(static_cast<int>(workers_.size())))];
  const auto reply = ask(Acquire{{fresh_request(), worker, 4, 1, {}}});
  if (!reply) return;
  const auto& grant = std::get<std::optional<LeaseGrant>>(*reply);
  if (grant) leases_[grant->lease] = {*grant, grant->next_phase};
}

void Storm::with_lease() {
  if (leases_.empty()) return acquire();
  auto chosen = std::next(leases_.begin(), below(static_cast<int>(leases_.size())));
  const LeaseId lease = chosen->first;
  switch (below(10)) {
    case 0:
      return end(lease);
    case 1:
    case 2:
      return save_model(lease, chosen->second);
    case 3:
      return below(4) == 0 ? save_file(lease) : log_metrics(lease, chosen->second);
    default:
      return report(lease, chosen->second);
  }
}

void Storm::report(LeaseId lease, Held& held) {
  const int phase =
      held.next_phase - (held.next_phase > 0 && below(8) == 0 ? 1 : 0);  // some are sent twice
  const auto& budget = held.grant.budget;
  const Score score =
      below(15) == 0 ? Score::diverged() : Score::of(std::normal_distribution<>(0, 100)(random_));
  const auto reply =
      ask(Report{lease, {phase, budget.per_run * (phase + 1) / budget.phases, score}});
  if (!reply || std::get<ReportReply>(*reply).verdict.action == Action::stop)
    leases_.erase(lease);
  else
    held.next_phase = phase + 1;
}

void Storm::save_model(LeaseId lease, const Held& held) {
  const auto& budget = held.grant.budget;
  const int phase = std::min(held.next_phase, budget.phases - 1);
  const std::string digest(64, static_cast<char>('0' + below(10)));
  static_cast<void>(
      ask(SaveModel{lease, {digest, 1000, budget.per_run * (phase + 1) / budget.phases, phase}}));
}

void Storm::save_file(LeaseId lease) {
  const auto name = "plots/" + std::to_string(below(3)) + ".png";
  const std::string digest(64, static_cast<char>('a' + below(3)));
  static_cast<void>(ask(SaveArtifact{lease, {name, digest, 1000}}));
}

void Storm::log_metrics(LeaseId lease, const Held& held) {
  const MetricPoint loss{"loss", held.next_phase * 10 + below(10), 0.5};
  static_cast<void>(ask(LogMetrics{lease, {{loss, {"frames_per_s", loss.step, 1e4}}}}));
}

void Storm::beat() {
  const auto worker = workers_[static_cast<std::size_t>(below(static_cast<int>(workers_.size())))];
  BeatRequest request;
  for (const auto& [lease, held] : leases_) request.leases.push_back(lease);
  static_cast<void>(ask(Beat{worker, request}));
}

void Storm::end(LeaseId lease) {
  constexpr std::array reasons{EndReason::budget_reached, EndReason::exited_early,
                               EndReason::no_report,      EndReason::exit_code,
                               EndReason::signal,         EndReason::cannot_start,
                               EndReason::infeasible,     EndReason::requeue_requested};
  const auto reason = reasons[static_cast<std::size_t>(below(static_cast<int>(reasons.size())))];
  static_cast<void>(ask(End{lease, {reason, 3, "it said \"no\"", "line 1\nline \xc3\xa9 2\n"}}));
  leases_.erase(lease);
}

void Storm::steer() {
  constexpr std::array verbs{Verb::pause, Verb::resume, Verb::resume,
                             Verb::stop,  Verb::cancel, Verb::kill};
  const auto sweep = sweeps_[static_cast<std::size_t>(below(static_cast<int>(sweeps_.size())))];
  static_cast<void>(
      ask(Steer{sweep, {verbs[static_cast<std::size_t>(below(static_cast<int>(verbs.size())))]}}));
}

// Long enough, now and then, for every lease to expire.
void Storm::pass_time() {
  now_ = now_ + seconds(below(25));
  static_cast<void>(ask(Tick{}));
}

}  // namespace hone
