#include "tests/sim/fleet/world.hpp"

#include <algorithm>

#include "schemas/types/submit.hpp"
#include "server/engine/book_archive.hpp"

namespace hone::sim {
namespace {

constexpr Duration storm = seconds(3 * 3600);  // faults happen so long
constexpr std::int64_t longest_outage = 3600;  // seconds
constexpr Duration last = seconds(8 * 3600);
constexpr SweepId sweep_id{1};
constexpr FleetId fleet_id{1};

SweepSpec swept() {
  SweepSpec spec;
  spec.name = "swept";
  spec.seed = 3;
  spec.objective = {"score", Goal::maximize};
  spec.trainer = CommandTrainer{{"train", "${x}"}};
  spec.parameters = {{"x", FloatDomain{0, 1, Scale::linear, {}}, ""}};
  spec.search = {"random", 40};
  spec.terminator = {"none", {}};
  spec.budget = {"steps", 30, 3};
  spec.limits.max_retries = 100;
  return spec;
}

}  // namespace

FleetWorld::FleetWorld(std::uint64_t seed) : rng_(seed, Purpose::simulation, 1), cluster_(seed) {
  spec_.name = "simulated";
  spec_.engine = "slurm";
  spec_.max = 1 + static_cast<int>(rng_.below(8));
  spec_.min = static_cast<int>(rng_.below(static_cast<std::uint64_t>(spec_.max) + 1)) / 2;
  spec_.backlog = 1 + static_cast<int>(rng_.below(3));
  spec_.idle = seconds(20 + static_cast<std::int64_t>(rng_.below(100)));
  spec_.wall = seconds(400 + static_cast<std::int64_t>(rng_.below(1000)));
  spec_.drain = seconds(60);
}

Result<Reply> FleetWorld::perform(const Command& command) {
  const auto events = decide(book_, command, now_);
  if (!events) return events.error();
  for (const EventBody& body : *events) {
    if (const auto* seen = std::get_if<PilotSeen>(&body)) note_adoption(*seen);
    ledger_.push_back({static_cast<std::int64_t>(ledger_.size()) + 1, now_, body});
    evolve(book_, ledger_.back());
  }
  return answer(book_, command);
}

// A pilot whose answer was lost, or that was given up, is found in a list.
void FleetWorld::note_adoption(const PilotSeen& seen) {
  const auto& pilots = book_.fleets.at(seen.fleet).pilots;
  const auto known = pilots.find(seen.pilot);
  const bool lost = known == pilots.end() || known->second.handle.empty();
  const bool was_wanted = known != pilots.end() && known->second.state == PilotState::wanted;
  if (lost && !was_wanted && !seen.handle.empty()) ++tally.adopted;
}

void FleetWorld::act(const Command& command) {
  [[maybe_unused]] const auto reply = perform(command);
}

void FleetWorld::begin() {
  act(Start{"test", seconds(15)});
  act(Submit{{"submit", swept(), {}}});
  act(SetFleet{{"fleet", {}, spec_}, "5eed"});
}

// As the thread of the engines does it, with a crash anywhere in between.
void FleetWorld::reconcile() {
  const auto reply = perform(Reconcile{std::exchange(news_, {})});
  const bool crashes = !cluster_.calm && rng_.uniform() < 0.002;
  if (crashes) ++tally.crashes;
  const bool before_submission = rng_.uniform() < 0.5;
  const bool queues = rng_.uniform() < 0.5;  // one submission in a turn
  for (const FleetOrder& order : std::get<std::vector<FleetOrder>>(*reply)) {
    FleetNews news{.fleet = order.fleet};
    for (const PilotOrder& pilot : order.submit) {
      if (crashes && before_submission) continue;
      if (!news.submitted.empty() && queues) {
        news.queued.insert(pilot.pilot);
        continue;
      }
      ++tally.submissions;
      news.submitted.push_back(cluster_.submit(pilot, order.spec, now_));
    }
    if (now_ >= list_at_) {
      cluster_.cancel(order.cancel, now_);
      if (auto listing = cluster_.list(now_)) news.listing = *std::move(listing);
      list_at_ = now_ + seconds(10);
    }
    if (!crashes) news_.push_back(std::move(news));
  }
  if (crashes) act(Start{"test", seconds(15)});
}

void FleetWorld::meddle() {
  if (rng_.uniform() < 0.0003) {
    const bool longest = rng_.uniform() < 0.2;
    const auto time = longest ? longest_outage : static_cast<std::int64_t>(rng_.below(1800));
    cluster_.away_until = std::max(now_ + seconds(time), cluster_.away_until.value_or(now_));
    ++tally.outages;
    if (longest) ++tally.hours;
  }
  for (Job& job : cluster_.jobs)
    if (job.started && !job.ended && rng_.uniform() < 0.001) {
      cluster_.end(job, now_, true);
      ++tally.preempted;
    }
}

void FleetWorld::start(Job& job) {
  job.started = true;
  const Command join = Join{{"job-" + job.handle, "node", 1, spec_.slots, 0, "test", job.token}};
  const auto reply = perform(join);
  const auto id = std::get<JoinReply>(*reply).worker;
  workers_[job.handle] = {id, now_ + job.wall, now_, now_};
}

void FleetWorld::acquire(Worker& worker) {
  AcquireRequest request{"acquire-" + std::to_string(++requests_), worker.id, 1, 0, {}};
  request.time_left = worker.ends_at - spec_.drain - now_;
  const auto reply = perform(Acquire{request});
  const auto& grant = std::get<std::optional<LeaseGrant>>(*reply);
  if (!grant) return;
  const auto takes = seconds(5 + static_cast<std::int64_t>(rng_.below(30)));
  worker.run = Busy{grant->lease, grant->next_phase, now_ + takes};
}

void FleetWorld::report(Worker& worker) {
  Busy& run = *worker.run;
  const auto reply =
      perform(Report{run.lease, {run.phase, 10 * (run.phase + 1), Score::of(rng_.uniform())}});
  const bool over = !reply || std::get<ReportReply>(*reply).verdict.action != Action::go_on;
  if (over) {
    worker.run.reset();
  } else if (now_ >= worker.ends_at - spec_.drain) {
    act(End{run.lease, {EndReason::requeue_requested, 0, "", "", Failure::preempted}});
    worker.run.reset();
  } else {
    ++run.phase;
    run.phase_ends_at = now_ + seconds(5 + static_cast<std::int64_t>(rng_.below(30)));
  }
  worker.idle_since = now_;
}

void FleetWorld::work(Job& job, Worker& worker) {
  if (now_ >= worker.ends_at) return cluster_.end(job, now_, true);
  if (worker.run && now_ >= worker.run->phase_ends_at) report(worker);
  if (worker.run && now_ >= worker.beat_at) {
    const auto reply = perform(Beat{worker.id, {{worker.run->lease}}});
    worker.beat_at = now_ + seconds(3);
    if (std::get<BeatReply>(*reply).leases.at(0).order == Order::gone) worker.run.reset();
  }
  const bool leaving = now_ >= worker.ends_at - spec_.drain;
  if (!worker.run && !leaving) acquire(worker);
  if (worker.run) return;
  const bool idle = !job.stays && now_ - worker.idle_since >= spec_.idle;
  if (leaving || idle) cluster_.end(job, now_, false);
}

void FleetWorld::serve_jobs() {
  for (Job& job : cluster_.jobs) {
    if (job.ended || now_ < job.starts_at) continue;
    if (!job.started) start(job);
    work(job, workers_.at(job.handle));
  }
}

void FleetWorld::check() {
  if (cluster_.alive() > spec_.max + spec_.backlog)
    broke(std::to_string(cluster_.alive()) + " jobs are alive, more than max and backlog");
  for (const auto& [token, times] : cluster_.submissions)
    if (times > 1) broke(token + " was submitted twice");
}

void FleetWorld::tick() {
  while (const auto deadline = next_deadline(book_)) {
    if (*deadline > now_) return;
    act(Tick{});
  }
}

bool FleetWorld::sweep_ended() const { return is_end(book_.sweeps.at(sweep_id).state); }

std::string FleetWorld::replayed() const {
  Book again;
  for (const Event& event : ledger_) evolve(again, event);
  return archive_book(again) == archive_book(book_) ? "" : "a replay gives another book";
}

std::string FleetWorld::run() {
  begin();
  const Instant calm_at = now_ + storm, give_up_at = now_ + last;
  bool stopped = false;
  while (broken_.empty() && now_ < give_up_at && !book_.fleets.empty()) {
    now_ = now_ + seconds(1);
    cluster_.calm = now_ >= calm_at;
    if (cluster_.calm)
      cluster_.away_until.reset();
    else
      meddle();
    tick();
    serve_jobs();
    reconcile();
    check();
    if (sweep_ended() && cluster_.calm && !stopped) {
      act(StopFleet{fleet_id});
      stopped = true;
    }
  }
  tally.events = static_cast<std::int64_t>(ledger_.size());
  if (!broken_.empty()) return broken_;
  if (!sweep_ended()) return "the sweep has not ended";
  if (!book_.fleets.empty()) return "the fleet has not stopped";
  if (cluster_.alive() > 0) return "a pilot is leaked";
  for (const auto& [id, entry] : book_.trials)
    for (const Run& run : entry.second.runs)
      if (run.state != RunState::completed) return text(run.id) + " is lost";
  return replayed();
}

}  // namespace hone::sim
