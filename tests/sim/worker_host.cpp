#include "tests/sim/worker_host.hpp"

#include <cmath>
#include <iterator>

namespace hone::sim {
namespace {

std::int64_t step_at_end_of(const LeaseGrant& grant, int phase) {
  return grant.budget.per_run * (phase + 1) / grant.budget.phases;
}

struct LastWords {
  int status = 1;
  const char* log = "";
};

// The end of a program that would fail again: by its own error, for parameters that it rejects, or
// for lack of memory.
LastWords broken_end(Rng& rng) {
  static constexpr LastWords all[] = {{1, ""}, {86, ""}, {1, "CUDA out of memory"}};
  return all[rng.below(std::size(all))];
}

}  // namespace

Score score_of(const LeaseGrant& grant, int phase, double diverged_share) {
  Rng rng(grant.seed, Purpose::simulation, static_cast<std::uint64_t>(phase));
  if (rng.uniform() < diverged_share) return Score::diverged();
  const double x = std::get<double>(grant.params.at(0).value);
  const Value* game = find(grant.params, "game");
  const double harder = game != nullptr && std::get<std::string>(*game) == "b" ? 5 : 0;
  return Score::of(x * (phase + 1) + 0.1 * rng.normal() - harder);
}

WorkerHost::WorkerHost(Agenda& agenda, const FaultPlan& faults, Rng& rng, Network network,
                       std::string name, worker::FreeSlots slots,
                       std::function<void(WorkerId)> left)
    : agenda_(agenda),
      faults_(faults),
      rng_(rng),
      network_(std::move(network)),
      name_(std::move(name)),
      slots_(std::move(slots)),
      left_(std::move(left)) {
  boot();
}

void WorkerHost::boot() {
  worker::AgentConfig config;
  config.join.request_id = name_ + "-" + std::to_string(life_);
  config.join.host = name_;
  config.join.cpus = slots_.cpus;
  config.join.gpus = slots_.gpus;
  config.join.gpu_memory = slots_.gpu_free;
  config.seed = rng_.bits();
  config.records_code = true;
  agent_ = std::make_unique<worker::Agent>(config);
  wake_at_.reset();
  feed(worker::Tick{});
}

void WorkerHost::kill() {
  agent_.reset();
  boot_again();
}

void WorkerHost::end() {
  if (agent_ != nullptr) feed(worker::Drain{});
}

void WorkerHost::boot_again() {
  ++life_;
  processes_.clear();
  agenda_.after(milliseconds(static_cast<std::int64_t>(rng_.below(5'000))), [this, life = life_] {
    if (life == life_) boot();
  });
}

void WorkerHost::later(Duration wait, std::function<void()> what) {
  agenda_.after(wait, [this, life = life_, what = std::move(what)] {
    if (life == life_ && agent_ != nullptr) what();
  });
}

void WorkerHost::feed(const worker::Input& input) {
  for (const worker::AgentAction& action : agent_->resume(agenda_.now(), input)) perform(action);
  if (agent_->done()) return leave();
  wake();
}

void WorkerHost::leave() {
  const WorkerId worker = agent_->worker();
  agent_.reset();
  boot_again();
  left_(worker);
}

void WorkerHost::wake() {
  const auto due = agent_->next_deadline();
  if (!due || (wake_at_ && *wake_at_ <= *due && *wake_at_ >= agenda_.now())) return;
  wake_at_ = due;
  later(*due - agenda_.now(), [this, planned = *due] {
    if (wake_at_ != planned) return;
    wake_at_.reset();
    feed(worker::Tick{});
  });
}

void WorkerHost::perform(const worker::AgentAction& action) {
  std::visit([this](const auto& one) { do_action(one); }, action);
}

void WorkerHost::do_action(const worker::Send& action) {
  network_(action.call, [this, life = life_, id = action.id](Result<worker::CallReply> reply) {
    if (life == life_ && agent_ != nullptr) feed(worker::Replied{id, std::move(reply)});
  });
}

void WorkerHost::do_action(const worker::Spawn& action) {
  Process process{action.grant, action.grant.next_phase, rng_.uniform() < faults_.deaf, false};
  processes_.emplace(action.grant.lease, process);
  later(milliseconds(50), [this, lease = action.grant.lease] { train_phase(lease); });
}

void WorkerHost::train_phase(LeaseId lease) {
  const Process* process = find(lease);
  if (process == nullptr) return;
  const auto work = 200 + static_cast<std::int64_t>(rng_.below(3'000));
  const auto others = static_cast<double>(processes_.size() - 1);
  const double slower = 1 + faults_.contention * others;
  const std::int64_t alone = work / 3 + work * 2 / 3 / process->grant.resources.cpus;
  const auto took = milliseconds(static_cast<std::int64_t>(slower * static_cast<double>(alone)));
  if (rng_.uniform() < faults_.process_death) return exit(lease, true, 9, took);
  if (rng_.uniform() < faults_.broken) {
    const LastWords last = broken_end(rng_);
    return exit(lease, false, last.status, took, last.log);
  }
  later(took, [this, lease] { finish_phase(lease); });
}

void WorkerHost::finish_phase(LeaseId lease) {
  const Process* process = find(lease);
  if (process == nullptr) return;
  const std::int64_t step = step_at_end_of(process->grant, process->phase);
  feed(worker::LineReceived{lease, worker::TrialLine{MetricPoint{"loss", step, 0.5}},
                            worker::Origin::socket});
  if (find(lease) == nullptr) return;
  feed(worker::LineReceived{lease,
                            worker::TrialLine{worker::CheckpointLine{std::to_string(process->phase),
                                                                     step, process->phase}},
                            worker::Origin::socket});
}

// A saved checkpoint is followed by the report, a verdict by the next phase or by the end.
void WorkerHost::do_action(const worker::AnswerTrial& action) {
  later(milliseconds(1), [this, lease = action.lease, answer = action.answer] {
    Process* process = find(lease);
    if (process == nullptr) return;
    if (std::holds_alternative<worker::Saved>(answer)) {
      const worker::ReportLine line{process->phase, step_at_end_of(process->grant, process->phase),
                                    score_of(process->grant, process->phase, faults_.diverged)};
      feed(worker::LineReceived{lease, worker::TrialLine{line}, worker::Origin::socket});
    } else if (const auto* verdict = std::get_if<Verdict>(&answer)) {
      if (verdict->action != Action::go_on) return exit(lease, false, 0, milliseconds(20));
      ++process->phase;
      train_phase(lease);
    } else {
      exit(lease, false, 1, milliseconds(20));
    }
  });
}

void WorkerHost::do_action(const worker::Terminate& action) {
  const Process* process = find(action.lease);
  if (process != nullptr && !process->deaf) exit(action.lease, false, 143, milliseconds(100));
}

void WorkerHost::do_action(const worker::Kill& action) {
  exit(action.lease, true, 9, milliseconds(1));
}

void WorkerHost::do_action(const worker::Forget& action) { processes_.erase(action.lease); }

void WorkerHost::exit(LeaseId lease, bool by_signal, int number, Duration wait, const char* log) {
  later(wait, [this, lease, by_signal, number, log] {
    if (processes_.erase(lease) != 0) feed(worker::Exited{lease, by_signal, number, log});
  });
}

WorkerHost::Process* WorkerHost::find(LeaseId lease) {
  const auto found = processes_.find(lease);
  return found == processes_.end() ? nullptr : &found->second;
}

}  // namespace hone::sim
