#include "tests/sim/world.hpp"

#include <algorithm>

#include "tests/sim/network.hpp"

namespace hone::sim {
namespace {

constexpr Duration storm_length = seconds(60);  // faults
constexpr Duration calm = seconds(3600);        // then every sweep must have ended
// By then a call that was lost in the storm has timed out and was made again.
constexpr Duration settled = storm_length + seconds(45);
constexpr std::size_t user = 1'000'000;         // the sender of a user's commands
constexpr Duration call_timeout = seconds(10);  // of a worker's call without a reply

// Draws any of the rules, with different settings.
TerminatorSpec draw_rule(Rng& rng, int phases) {
  const auto rows = terminator_table();
  TerminatorSpec rule{std::string(rows[rng.below(rows.size())].rule), {}};
  const bool rungs = rule.rule == "asha" || rule.rule == "asha_stopping" || rule.rule == "sha" ||
                     rule.rule == "hyperband";
  if (rungs && rng.below(2) == 0) rule.settings.emplace_back("eta", 2);
  if (rule.rule == "threshold") {
    rule.settings.emplace_back("value", 0.5);
    const auto within = 1 + rng.below(static_cast<std::uint64_t>(phases));
    rule.settings.emplace_back("phases", static_cast<double>(within));
  }
  if (rule.rule == "patience") rule.settings.emplace_back("phases", 1);
  return rule;
}

// Trials of several seeds, in every shape that a sweep file can ask for.
void draw_replicates(Rng& rng, SweepSpec& spec) {
  ReplicatesSpec& replicates = spec.replicates;
  spec.search.trials = static_cast<std::int64_t>(2 + rng.below(6));
  spec.seeds = static_cast<int>(1 + rng.below(3));
  if (rng.below(2) == 0) replicates.max = spec.seeds + static_cast<int>(1 + rng.below(3));
  replicates.race = replicates.max > 0 || rng.below(4) == 0;
  replicates.aggregate = static_cast<Aggregate>(rng.below(spec.seeds > 1 ? 4 : 3));
  if (rng.below(4) == 0) {
    replicates.instances = InstancesSpec{"game", {std::string("a"), std::string("b")}};
    const auto way = rng.below(3);
    if (way == 0) replicates.instances->worst = {0, -5}, replicates.instances->best = {9, 3};
    if (way == 1) replicates.instances->normalize = Normalize::ranks;
  }
  if (rng.below(3) == 0)
    spec.confirm =
        ConfirmSpec{static_cast<int>(1 + rng.below(3)), static_cast<int>(2 + rng.below(2))};
}

// The rule `hone` that continues its best runs with other parameters.
void draw_rule_forks(Rng& rng, SweepSpec& spec) {
  spec.trainer = CommandTrainer{.argv = {"train"}, .may_change = {"x", "y"}};
  spec.search.trials = static_cast<std::int64_t>(6 + rng.below(14));
  spec.checkpoints.keep = Keep::all;
  spec.terminator = {"hone", {{"version", 4}, {"forks", rng.below(2) == 0 ? 0.5 : 1}}};
}

// Members that continue from each other's checkpoints.
void draw_population(Rng& rng, SweepSpec& spec) {
  const auto members = static_cast<std::int64_t>(2 + rng.below(7));
  const auto ready = static_cast<std::int64_t>(1 + rng.below(3));
  spec.trainer = CommandTrainer{.argv = {"train"}, .may_change = {"x", "y"}};
  spec.search = {"pbt", members};
  spec.search.settings = {
      {"population", members},
      {"ready", ready},
      {"exploit", rng.below(2) == 0 ? std::string("truncation") : std::string("t_test")},
      {"window", std::int64_t{2}},
      {"quantile", 0.5}};
  if (rng.below(3) == 0) {
    spec.search.method = "pb2";
    std::erase_if(spec.search.settings, [](const Param& setting) {
      return setting.name == "exploit" || setting.name == "window";
    });
  }
  if (rng.below(3) == 0) spec.confirm = ConfirmSpec{.top = 2, .seeds = 2};
  spec.terminator = {"pbt", {}};
  spec.budget.phases = static_cast<int>(ready) + static_cast<int>(1 + rng.below(8));
}

SweepSpec draw_spec(Rng& rng) {
  SweepSpec spec;
  spec.name = "simulated";
  spec.seed = rng.bits() >> 11;
  spec.objective = {"score", rng.below(2) == 0 ? Goal::maximize : Goal::minimize};
  spec.trainer = CommandTrainer{{"train"}};
  spec.parameters = {{"x", FloatDomain{0, 1, Scale::linear, {}}, ""},
                     {"y", IntDomain{1, 64, Scale::log, 1}, "x > 0.5"}};
  spec.search = {"random", static_cast<std::int64_t>(2 + rng.below(14))};
  spec.budget = {"steps", 1000, static_cast<int>(1 + rng.below(9))};
  spec.terminator = draw_rule(rng, spec.budget.phases);
  spec.limits.max_retries = static_cast<int>(rng.below(6));
  if (rng.below(8) == 0) spec.limits.duration = seconds(30);
  if (spec.terminator.rule == "dehb") {
    spec.search.method = "dehb";
    spec.budget.phases = std::max(spec.budget.phases, 3);
  }
  const bool population = spec.terminator.rule == "pbt";
  if (population || rng.below(6) == 0)
    draw_population(rng, spec);
  else if (spec.terminator.rule == "hone" && rng.below(2) == 0)
    draw_rule_forks(rng, spec);
  else if (rng.below(2) == 0)
    draw_replicates(rng, spec);
  return spec;
}

// Complete runs and one objective: they tell a later sweep how far early ranks can be trusted.
void prepare_for_successor(SweepSpec& spec, const SweepSpec& first) {
  spec.objective = first.objective;
  if (!is_population(spec) && spec.search.method != "dehb") spec.terminator = {"none", {}};
}

// A sweep that begins with what an earlier one of the same objective has shown.
SweepSpec draw_successor(Rng& rng, const SweepSpec& earlier) {
  SweepSpec spec = draw_spec(rng);
  spec.objective = earlier.objective;
  spec.trainer = CommandTrainer{{"train"}};
  spec.replicates = {};
  spec.seeds = 1;
  spec.search = {"random", static_cast<std::int64_t>(2 + rng.below(14))};
  spec.search.warm_start = {SweepId{1}};
  spec.terminator = {"hone", {{"version", rng.below(4) == 0 ? 3.0 : 4.0}}};
  spec.budget.phases = static_cast<int>(2 + rng.below(9));
  return spec;
}

// Some worker can hold the runs of every sweep.
ResourcesSpec draw_resources(Rng& rng, const worker::FreeSlots& most) {
  if (rng.below(3) == 0) return {};
  ResourcesSpec needs{static_cast<int>(1 + rng.below(static_cast<std::uint64_t>(most.cpus))),
                      static_cast<int>(rng.below(static_cast<std::uint64_t>(most.gpus) + 1))};
  if (needs.gpus > 0 && !most.gpu_free.empty() && rng.below(3) != 0)
    needs.gpu_memory =
        most.gpu_free.back() / static_cast<std::int64_t>(1 + rng.below(4));  // the least
  if (rng.below(2) == 0) needs.cpus_max = needs.cpus + 1 + static_cast<int>(rng.below(4));
  return needs;
}

// Where a sweep's runs may have several numbers of slots, limits of the sweep matter more.
void bound_range(Rng& rng, SweepSpec& spec) {
  if (spec.resources.cpus_max == 0) return;
  if (rng.below(4) == 0) spec.limits.concurrency = static_cast<int>(1 + rng.below(3));
  if (rng.below(4) == 0) spec.slots.max = spec.resources.cpus + static_cast<int>(rng.below(5));
}

worker::FreeSlots draw_slots(Rng& rng) {
  const int gpus = rng.below(2) == 0 ? 0 : static_cast<int>(1 + rng.below(2));
  worker::FreeSlots slots{static_cast<int>(1 + rng.below(rng.below(4) == 0 ? 8 : 3)), gpus};
  constexpr std::int64_t gib = 1LL << 30;
  if (rng.below(2) == 0)
    for (int gpu = 0; gpu < gpus; ++gpu) slots.gpu_free.push_back((gpu == 0 ? 24 : 16) * gib);
  return slots;
}

// The SHA-256 of a checkpoint whose bytes do not exist: equal for the same phase of the same lease.
std::string digest_of(const worker::StoreBlob& store, std::uint64_t phase) {
  Rng rng(static_cast<std::uint64_t>(store.lease.value), Purpose::simulation, phase);
  std::string digits;
  while (digits.size() < 64) digits += "0123456789abcdef"[rng.below(16)];
  return digits;
}

}  // namespace

World::World(std::uint64_t seed)
    : seed_(seed),
      rng_(seed, Purpose::simulation, 0),
      faults_(FaultPlan::draw(rng_)),
      reaches_the_server_(faults_.reaches_the_server()),
      server_(agenda_, faults_, rng_, seed) {
  const auto workers = 1 + rng_.below(5);
  partitions_.resize(workers);
  idle_since_.resize(workers);
  for (std::uint64_t i = 0; i < workers; ++i)
    workers_.push_back(std::make_unique<WorkerHost>(
        agenda_, faults_, rng_, [this, i](const auto& c, auto done) { call(c, i, done); },
        "worker-" + std::to_string(i), draw_slots(rng_),
        [this](WorkerId worker) { check_left(worker); }));
  const auto sweeps = 1 + rng_.below(3);
  Rng successor(seed, Purpose::simulation, 1);
  const bool has_successor = successor.below(3) == 0;
  for (std::uint64_t i = 0; i < sweeps; ++i) {
    submissions_.push_back({"submit-" + std::to_string(i), draw_spec(rng_), {}});
    submissions_.back().spec.resources =
        draw_resources(rng_, workers_[rng_.below(workers_.size())]->slots());
    bound_range(rng_, submissions_.back().spec);
    if (has_successor) prepare_for_successor(submissions_[i].spec, submissions_[0].spec);
    submit(i);
  }
  if (has_successor) add_successor(successor);
  meddle();
}

// It is refused until the earlier sweep, which a restart may delay, has been taken.
void World::add_successor(Rng& rng) {
  const auto ranked = [](const SubmitRequest& one) { return by_ranks(one.spec); };
  if (std::ranges::any_of(submissions_, ranked)) return;
  const std::uint64_t number = submissions_.size();
  submissions_.push_back(
      {"submit-" + std::to_string(number), draw_successor(rng, submissions_[0].spec), {}});
  agenda_.after(seconds(static_cast<std::int64_t>(20 + rng.below(100))),
                [this, number] { submit(number); });
}

std::string World::describe() const {
  return "seed " + std::to_string(seed_) + ", " + std::to_string(workers_.size()) + " workers, " +
         std::to_string(submissions_.size()) + " sweeps, " + text(faults_);
}

Duration World::delay() {
  return microseconds(
      1 + static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(faults_.delay_max.us))));
}

bool World::cut(std::size_t worker, bool request) const {
  if (worker >= partitions_.size()) return false;  // a user is never cut off
  const Partition& partition = partitions_[worker];
  return agenda_.now() < partition.until && (request ? partition.requests : partition.replies);
}

// A request may be lost, late or doubled, and so may its reply. Each copy has its own delay, so one
// may overtake another.
void World::send(const Message& message, std::size_t worker, const ServerHost::Answer& done) {
  const int copies = rng_.uniform() < faults_.duplicate ? 2 : 1;
  for (int copy = 0; copy < copies; ++copy) {
    if (rng_.uniform() < faults_.drop || cut(worker, true)) continue;
    agenda_.after(delay(), [this, message, worker, done] {
      const bool taken = server_.push(message, [this, worker, done](const api::Response& answer) {
        if (rng_.uniform() < faults_.drop || cut(worker, false)) return;
        agenda_.after(delay(), [done, answer] { done(answer); });
      });
      if (taken) return;
      const auto refused = api::problem(refuse(Code::unavailable, "connection refused"));
      agenda_.after(delay(), [done, refused] { done(refused); });
    });
  }
}

void World::store(const worker::StoreBlob& call, const Done& answer) {
  if (!server_.up())
    return agenda_.after(delay(), [answer] { answer(refuse(Code::unavailable, "down")); });
  const std::string digest = digest_of(call, std::stoull(call.path));
  agenda_.after(delay(), [answer, digest] {
    answer(worker::CallReply{worker::StoredBlob{digest, 10}});
  });
}

void World::call(const worker::Call& call, std::size_t worker, const Done& done) {
  // Answered once: by the first reply or by the time-out.
  auto open = std::make_shared<bool>(true);
  const auto answer = [open, done](Result<worker::CallReply> reply) {
    if (std::exchange(*open, false)) done(std::move(reply));
  };
  const auto patience =
      std::holds_alternative<AcquireRequest>(call) ? call_timeout + seconds(20) : call_timeout;
  agenda_.after(patience, [answer] { answer(refuse(Code::timed_out, "no answer in time")); });
  if (const auto* blob = std::get_if<worker::StoreBlob>(&call)) return store(*blob, answer);
  if (std::holds_alternative<worker::FetchBlob>(call))
    return agenda_.after(delay(),
                         [answer] { answer(worker::CallReply{worker::FetchedBlob{"/model"}}); });
  send(*message_of(call), worker, [this, call, answer](const api::Response& response) {
    auto reply = call_reply_of(call, response);
    if (const auto* report = std::get_if<worker::ReportCall>(&call)) note(*report, reply);
    answer(std::move(reply));
  });
}

void World::note(const worker::ReportCall& call, const Result<worker::CallReply>& reply) {
  if (!reply) return;
  const Verdict& verdict = std::get<ReportReply>(*reply).verdict;
  const auto [known, fresh] =
      acknowledged_.emplace(std::pair{call.lease, call.request.phase}, verdict);
  ++tally_.verdicts[static_cast<std::size_t>(verdict.action)];
  if (!fresh && known->second != verdict)
    broken_ = "verdicts are immutable: one changed after it was given";
}

// Sends until there is a reply, as the command line does.
void World::submit(std::uint64_t number) {
  auto open = std::make_shared<bool>(true);
  send(message_of(submissions_[number]), user, [this, number, open](const api::Response& reply) {
    *open = *open && reply.status >= 400;
    // No trial of the earlier sweeps can be used: the user does without, as the refusal advises.
    if (reply.status == 400 && reply.body.find("warm_start") != std::string::npos)
      submissions_[number].spec.search.warm_start.clear();
  });
  agenda_.after(seconds(3), [this, number, open] {
    if (*open) submit(number);
  });
}

void World::meddle() {
  agenda_.after(seconds(1), [this] { meddle(); });
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (rng_.uniform() < faults_.worker_death) workers_[i]->kill();
    if (rng_.uniform() < faults_.worker_end) workers_[i]->end();
    if (rng_.uniform() < faults_.partition) cut_off(i);
  }
  if (rng_.uniform() < faults_.clock_step)
    server_.step_clock(seconds(static_cast<std::int64_t>(rng_.below(14'400)) - 7'200));
  if (!storm_ || rng_.below(20) != 0) return;
  static constexpr Verb verbs[] = {Verb::pause, Verb::resume, Verb::resume,
                                   Verb::stop,  Verb::cancel, Verb::kill};
  // Confirmations are sweeps, too.
  const SweepId sweep{1 + static_cast<std::int64_t>(rng_.below(2 * submissions_.size()))};
  if (rng_.below(8) == 0) {
    const ConfirmRequest request{"confirm-" + std::to_string(++confirms_), 2, 2};
    return send(message_of(sweep, request), user, [](const api::Response&) {});
  }
  const Verb verb = verbs[rng_.below(rng_.below(4) == 0 ? 6 : 3)];
  send(message_of(sweep, SteerRequest{verb}), user, [](const api::Response&) {});
}

void World::cut_off(std::size_t worker) {
  const auto ways = rng_.below(3);
  const Duration lasts = seconds(1 + static_cast<std::int64_t>(rng_.below(40)));
  partitions_[worker] = {agenda_.now() + lasts, ways != 0, ways != 1};
}

// A grant that crosses the worker's exit would be lost with it.
void World::check_left(WorkerId worker) {
  if (worker == WorkerId{} || !reaches_the_server_ || !server_.up()) return;
  ++tally_.left;
  const auto& leases = server_.book().leases;
  const bool holds =
      std::ranges::any_of(leases, [&](const auto& one) { return one.second.worker == worker; });
  if (holds) broken_ = text(worker) + " exited after TERM and still holds a lease";
}

bool World::all_ended() const {
  if (!server_.up() || !server_.book().open_sweeps.empty()) return false;
  return std::all_of(submissions_.begin(), submissions_.end(), [&](const SubmitRequest& one) {
    return server_.book().sweeps_by_request.contains(one.request_id);
  });
}

// Why sweeps have not ended, for the message of the failure.
std::string World::unfinished() const {
  if (!server_.up()) return ": the server is down";
  std::string text;
  for (const SweepId id : server_.book().open_sweeps) {
    const Sweep& sweep = server_.book().sweeps.at(id);
    text += ": " + hone::text(id) + " by " + sweep.spec.terminator.rule + " in state " +
            std::to_string(static_cast<int>(sweep.state)) + " has " +
            std::to_string(sweep.trials.size()) + " of " +
            std::to_string(sweep.spec.search.trials) + " trials, " +
            std::to_string(sweep.live_leases) + " leases, " + std::to_string(sweep.queue.size()) +
            " queued and " + std::to_string(sweep.paused.size()) + " paused runs";
  }
  return text;
}

std::string World::run() {
  const Instant begin = agenda_.now();
  const auto play = [&](Instant until) {
    while (broken_.empty() && !all_ended() && agenda_.step(until)) {
      ++tally_.steps;
      if (broken_.empty()) broken_ = server_.broken();
      if (server_.up() && broken_.empty()) broken_ = check_leases();
      if (server_.up() && broken_.empty() && agenda_.now() >= begin + settled) check_idle_slots();
    }
  };
  play(begin + storm_length);
  storm_ = false;
  faults_ = FaultPlan::none();
  server_.heal();
  for (Partition& partition : partitions_) partition = {};
  agenda_.after(seconds(25), [this] {  // users resume what they paused
    if (!server_.up()) return;
    for (const auto& [id, sweep] : server_.whole_book().sweeps)
      send(message_of(id, SteerRequest{Verb::resume}), user, [](const api::Response&) {});
  });
  play(begin + storm_length + calm);
  tally_.crashes = server_.crashes();
  tally_.simulated = agenda_.now() - begin;
  tally_.acknowledged = static_cast<std::int64_t>(acknowledged_.size());
  if (!broken_.empty()) return broken_;
  tally_.snapshots = server_.snapshots_used();
  tally_.told_of_ranks = std::ranges::count_if(server_.whole_book().sweeps, [](const auto& one) {
    return one.second.rank_prior.has_value();
  });
  for (const auto& [id, entry] : server_.whole_book().trials)
    tally_.rule_forks += entry.second.origin && entry.second.origin->rank ? 1 : 0;
  tally_.reads = server_.reads();
  if (!all_ended()) return "every sweep ends once the faults are over" + unfinished();
  for (const Promise& promise : promises()) {
    if (promise.at_end == nullptr) continue;
    const std::string what = (this->*promise.at_end)();
    if (!what.empty()) return std::string(promise.name) + ": " + what;
  }
  return {};
}

}  // namespace hone::sim
