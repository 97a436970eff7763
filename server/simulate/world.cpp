#include "server/simulate/world.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "base/expect.hpp"
#include "base/rng.hpp"
#include "schemas/types/aggregate.hpp"
#include "schemas/types/submit.hpp"
#include "server/simulate/promise.hpp"
#include "server/sweep/decide.hpp"
#include "server/sweep/forks/rule_forks.hpp"
#include "server/sweep/state/rules.hpp"

namespace hone::simulate {
namespace {

Duration of_seconds(double seconds) {
  return Duration{static_cast<std::int64_t>(std::llround(seconds * 1e6))};
}

// The curve that a run replays; drawn when the run first starts.
struct Replay {
  const Curve* curve = nullptr;
  std::size_t configuration = 0;
};

struct Worker {
  WorkerId id;
  std::int64_t requests = 0;
  std::optional<LeaseGrant> grant;
  Duration busy{};
};

class World {
 public:
  World(const CurveTable& table, const Setting& setting)
      : table_(table),
        setting_(setting),
        rng_(setting.seed, Purpose::simulation, 0),
        length_(of_seconds(setting.deadline * table.full_run_seconds())) {
    // Long enough that no lease expires within the simulation.
    send(Start{"simulation", Duration{never.us / 4}});
  }

  // Plays a sweep until its time is over. Another one may follow after end().
  Result<Outcome> play(const SweepSpec& spec) {
    if (auto began = begin(spec); !began) return began.error();
    while (!due_.empty() && due_.begin()->first <= deadline_) {
      const auto [at, index] = *due_.begin();
      if (must_confirm(at)) {
        if (auto fits = end_tuning(); !fits) return fits.error();
        continue;
      }
      due_.erase(due_.begin());
      record_until(at);
      now_ = at;
      finish_phase(workers_[index]);
      if (auto fits = assign_runs(); !fits) return fits.error();
      if (setting_.counts) record_counts();
    }
    record_until(Instant{deadline_.us + 1});
    return outcome();
  }

  // Ends what still trains.
  SweepId end() {
    if (!is_end(sweep().state)) {
      now_ = deadline_;
      send(Steer{sweep_, {Verb::cancel}});
      release_workers();
      send(Tick{});
    }
    return sweep_;
  }

 private:
  Status begin(const SweepSpec& spec) {
    if (is_population(spec))
      return refuse(Code::invalid,
                    spec.search.method +
                        " cannot be simulated: its members continue from each other's checkpoints "
                        "with other parameters, and no recorded curve tells what such a fork would "
                        "reach. Submit it, or simulate another method",
                    "/search/method");
    if (starts_forks(spec))
      return refuse(
          Code::invalid,
          "forks cannot be simulated: no recorded curve tells what a run would reach with "
          "other parameters from its checkpoint on. Leave them out, or submit the sweep",
          "/terminator/forks");
    spec_ = &spec;
    began_ = now_;
    deadline_ = now_ + length_;
    const std::string name = "simulation" + std::to_string(book_.sweeps.size());
    auto submitted = try_send(Submit{{name, spec, {}}});
    if (!submitted) return submitted.error();
    sweep_ = std::get<Submitted>(*submitted).sweep;
    workers_.clear();
    for (int i = 0; i < setting_.workers; ++i) {
      const auto joined = send(Join{{name + "/" + std::to_string(i), "simulation", 0,
                                     spec.resources.cpus, spec.resources.gpus, "simulation"}});
      workers_.push_back({std::get<JoinReply>(joined).worker, 0, std::nullopt, {}});
    }
    outcome_ = {};
    replays_.clear();
    due_.clear();
    return assign_runs();
  }

  // Without a confirmation, the deadline ends the simulation.
  [[nodiscard]] bool must_confirm(Instant at) const {
    const auto limit = time_limit(sweep());
    return spec_->confirm && limit && *limit <= at;
  }
  // Handles the time limit of the tuning: cancels its runs and starts the confirmation.
  Status end_tuning() {
    now_ = *time_limit(sweep());
    record_until(now_);
    send(Tick{});
    release_workers();
    due_.clear();
    return assign_runs();
  }
  // Of the sweep's runs, which are ordered to end.
  void release_workers() {
    for (Worker& worker : workers_) {
      if (!worker.grant || worker.grant->sweep != sweep_) continue;
      send(End{worker.grant->lease, {EndReason::signal, 0, "ordered to end", {}}});
      worker.grant.reset();
    }
  }

  Result<Reply> try_send(const Command& command) {
    auto events = decide(book_, command, now_);
    if (!events) return events.error();
    for (EventBody& body : *events) {
      if (auto* e = std::get_if<SweepSubmitted>(&body)) e->rules = rules_by_value;
      evolve(book_, Event{++seq_, now_, std::move(body)});
    }
    return answer(book_, command);
  }
  Reply send(const Command& command) {
    auto reply = try_send(command);
    expect(reply.ok(), "the rules accept what a simulated worker sends");
    return *std::move(reply);
  }

  [[nodiscard]] const Sweep& sweep() const { return book_.sweeps.at(sweep_); }

  // Every idle worker asks for work.
  Status assign_runs() {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      Worker& worker = workers_[i];
      if (worker.grant || book_.open_sweeps.empty()) continue;
      const std::string request =
          text(sweep_) + "/" + std::to_string(i) + "/" + std::to_string(worker.requests++);
      auto grant = std::get<std::optional<LeaseGrant>>(
          send(Acquire{{request, worker.id, spec_->resources.cpus, spec_->resources.gpus, {}}}));
      if (!grant) continue;
      worker.grant = std::move(grant);
      if (auto fits = start_phase(i); !fits) return fits;
    }
    return Done{};
  }

  Status start_phase(std::size_t index) {
    Worker& worker = workers_[index];
    const auto replay = replay_of(*worker.grant);
    if (!replay) return replay.error();
    const Duration took =
        of_seconds(phase_seconds(*replay->curve, worker.grant->next_phase, spec_->budget.phases));
    const std::int64_t inside = std::min(now_.us + took.us, deadline_.us) - now_.us;
    worker.busy = worker.busy + Duration{std::max<std::int64_t>(inside, 0)};
    due_.emplace(now_ + took, index);
    return Done{};
  }

  void finish_phase(Worker& worker) {
    const LeaseGrant& grant = *worker.grant;
    const int phase = grant.next_phase;
    const Curve& curve = *replays_.at(grant.attempt.run).curve;
    const auto& value = curve.values[checkpoint_of(curve, phase, spec_->budget.phases)];
    const Score score = value ? Score::of(*value) : Score::diverged();
    const std::int64_t step = grant.budget.per_run * (phase + 1) / grant.budget.phases;
    ReportRequest request{phase, step, score, {}};
    request.spent = end_of_phase(curve, phase, spec_->budget.phases);
    const auto reply = send(Report{grant.lease, std::move(request)});
    ++outcome_.reports;
    if (std::get<ReportReply>(reply).verdict.action != Action::go_on) {
      worker.grant.reset();
      return;
    }
    ++worker.grant->next_phase;
    const auto started = start_phase(static_cast<std::size_t>(&worker - workers_.data()));
    expect(started.ok(), "a run that started continues");
  }

  Result<Replay> replay_of(const LeaseGrant& grant) {
    const auto found = replays_.find(grant.attempt.run);
    if (found != replays_.end()) return found->second;
    const auto nearest = table_.nearest(grant.params);
    if (!nearest) return nearest.error();
    const Replay replay{&draw(grant, *nearest), *nearest};
    replays_.emplace(grant.attempt.run, replay);
    return replay;
  }

  // Draws a curve. Runs of one trial use different seeds while the set has seeds left; runs of a
  // confirmation also avoid the seeds that tuned the same set.
  const Curve& draw(const LeaseGrant& grant, std::size_t configuration) {
    const auto& curves = table_.configurations()[configuration].curves;
    const bool confirms = grant.sweep != sweep_;
    std::vector<const Curve*> left;
    for (const Curve& curve : curves) left.push_back(&curve);
    if (confirms || sweep().history.replication().multi_seed())
      for (const auto& [run, replay] : replays_)
        if (run.trial == grant.attempt.run.trial ||
            (confirms && replay.configuration == configuration && !is_confirming(run)))
          std::erase(left, replay.curve);
    if (left.empty()) return curves[rng_.below(curves.size())];
    return *left[rng_.below(left.size())];
  }
  [[nodiscard]] bool is_confirming(RunId run) const { return sweep_of(book_, run).id != sweep_; }

  void record_counts() {
    Counts counts;
    counts.seconds = static_cast<double>(now_.us - began_.us) / 1e6;
    counts.started = static_cast<std::int64_t>(sweep().trials.size());
    for (const RunRecord& run : sweep().history.runs()) {
      if (run.state == RunRecord::State::ended) ++counts.ended;
      if (run.state == RunRecord::State::paused) ++counts.paused;
    }
    for (const Worker& worker : workers_)
      if (worker.grant) ++counts.training;
    counts.phases = outcome_.reports;
    outcome_.counts.push_back(counts);
  }

  // Records the regret at every point in time before `at` that is due.
  void record_until(Instant at) {
    while (outcome_.anytime.size() < anytime_points) {
      const auto looks = static_cast<std::int64_t>(outcome_.anytime.size()) + 1;
      if (began_.us + length_.us * looks / anytime_points >= at.us) return;
      outcome_.anytime.push_back(incumbent_regret());
      if (outcome_.to_target < 0 && outcome_.anytime.back().named <= setting_.target)
        outcome_.to_target = setting_.deadline * static_cast<double>(looks) / anytime_points;
    }
  }

  [[nodiscard]] IncumbentRegret incumbent_regret() {
    const auto named = sweep().terminator->incumbent(sweep().history);
    const auto single = sweep().terminator->Terminator::incumbent(sweep().history);
    return {regret_of(named), regret_of(single)};
  }
  // The configuration that a trial replays, by its number in the history. Precondition: it is one
  // of this sweep and has a report.
  [[nodiscard]] std::size_t configuration_of(std::size_t trial) const {
    const std::size_t number = trial - sweep().history.foreign();
    return replays_.at(RunId{sweep().trials.at(number), 0}).configuration;
  }
  [[nodiscard]] double regret_of(std::optional<std::size_t> trial) const {
    return trial ? table_.regret(configuration_of(*trial)) : table_.blind_regret();
  }

  [[nodiscard]] bool lost_best() const {
    const History& history = sweep().history;
    std::optional<std::size_t> best;
    for (const RunRecord& run : history.runs()) {
      if (run.merits.empty()) continue;
      const double regret = table_.regret(configuration_of(run.trial));
      if (!best || regret < table_.regret(configuration_of(*best))) best = run.trial;
    }
    if (!best) return false;
    const double least = table_.regret(configuration_of(*best));
    return std::none_of(history.runs().begin(), history.runs().end(), [&](const RunRecord& run) {
      const auto trained = static_cast<int>(run.merits.size());
      return trained > 0 && table_.regret(configuration_of(run.trial)) == least &&
             (trained == spec_->budget.phases || run.state == RunRecord::State::active);
    });
  }

  // Sets the results of the best set by the confirmation so far.
  void rank_confirmed() {
    outcome_.confirmed = incumbent_regret().named;
    outcome_.confirmed_gap = outcome_.expected_gap;
    if (sweep().confirmed_by.empty()) return;
    const Sweep& confirmation = book_.sweeps.at(sweep().confirmed_by.front());
    std::optional<double> most;
    for (const TrialRecord& trial : confirmation.history.trials()) {
      std::vector<double> merits;
      std::size_t configuration = 0;
      for (const std::size_t run : trial.runs) {
        if (!confirmation.history.runs()[run].completed) continue;
        merits.push_back(confirmation.history.runs()[run].merits.back());
        configuration = replays_.at(confirmation.runs.at(run)).configuration;
      }
      if (merits.empty()) continue;
      const double iqm = iqm_of(merits);
      if (most && iqm <= *most) continue;
      most = iqm;
      outcome_.confirmed = table_.regret(configuration);
      outcome_.confirmed_gap = table_.excess(configuration, iqm);
    }
  }

  Outcome outcome() {
    double busy = 0;
    for (const Worker& worker : workers_) busy += static_cast<double>(worker.busy.us);
    if (const auto named = sweep().terminator->incumbent(sweep().history)) {
      outcome_.true_value = table_.true_value(configuration_of(*named));
      outcome_.diverged = table_.diverged(configuration_of(*named));
    }
    if (const auto shown = promised_by(sweep().history)) {
      const std::size_t configuration = configuration_of(shown->trial);
      outcome_.gap = table_.excess(configuration, shown->merit);
      outcome_.expected_gap = table_.excess(configuration, shown->expected);
    }
    outcome_.lost_best = lost_best();
    rank_confirmed();
    outcome_.phases = static_cast<double>(outcome_.reports) / spec_->budget.phases;
    outcome_.trials = static_cast<std::int64_t>(sweep().trials.size());
    outcome_.runs = static_cast<std::int64_t>(replays_.size());
    outcome_.busy = busy / (static_cast<double>(length_.us) * static_cast<double>(workers_.size()));
    outcome_.work_per_run = outcome_.runs == 0
                                ? 0
                                : static_cast<double>(outcome_.reports) /
                                      (static_cast<double>(outcome_.runs) * spec_->budget.phases);
    const Instant end = is_end(sweep().state) ? now_ : deadline_;
    outcome_.ended = static_cast<double>(end.us - began_.us) / 1e6 / table_.full_run_seconds();
    return outcome_;
  }

  const SweepSpec* spec_ = nullptr;
  const CurveTable& table_;
  const Setting& setting_;
  Rng rng_;
  Duration length_;  // of each sweep
  Instant began_{}, deadline_{};
  Book book_;
  SweepId sweep_;
  Instant now_{};
  std::int64_t seq_ = 0;
  std::vector<Worker> workers_;
  std::set<std::pair<Instant, std::size_t>> due_;  // when each training worker reports next
  std::map<RunId, Replay> replays_;
  Outcome outcome_;
};

// The time, in full runs, that the confirmation of the sweep file takes with all workers.
double confirmation_time(const SweepSpec& spec, const Setting& setting) {
  if (!spec.confirm) return 0;
  return std::ceil(static_cast<double>(spec.confirm->top) * spec.confirm->seeds / setting.workers);
}

Result<SweepSpec> repetition_of(const SweepSpec& spec, const CurveTable& table,
                                const Setting& setting, std::uint64_t stream) {
  SweepSpec repetition = spec;
  repetition.seed = Rng(setting.seed, Purpose::simulation, stream).bits() >> 11U;
  repetition.trainer = CommandTrainer{{"simulated"}};  // not used by a simulation
  // The deadline is the sweep's time limit: a method may use all of it.
  repetition.limits.duration =
      of_seconds((setting.deadline - confirmation_time(spec, setting)) * table.full_run_seconds());
  if (repetition.limits.duration->us <= 0)
    return refuse(Code::invalid, "the deadline leaves no time to tune: confirmation alone takes " +
                                     std::to_string(confirmation_time(spec, setting)) +
                                     " times a complete run");
  repetition.objective.goal = table.goal();
  return repetition;
}

}  // namespace

Result<Outcome> simulate(const SweepSpec& spec, const CurveTable& table, const Setting& setting) {
  auto repetition = repetition_of(spec, table, setting, 1);
  if (!repetition) return repetition.error();
  World world(table, setting);
  if (setting.before != nullptr) {
    auto before = repetition_of(*setting.before, table, setting, 2);
    if (!before) return before.error();
    before->confirm.reset();
    if (auto played = world.play(*before); !played) return played.error();
    repetition->search.warm_start = {world.end()};
  }
  return world.play(*repetition);
}

}  // namespace hone::simulate
