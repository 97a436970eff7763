#include "worker/train/actor_critic/impala_processes.hpp"

#include <algorithm>
#include <utility>

#include "worker/train/actor_critic/rollout_slot.hpp"
#include "worker/train/actors/actor_process.hpp"

namespace hone::ac {

RolloutLayout::RolloutLayout(const Options& options) {
  const auto& spec = options.env.spec;
  const bool continuous = spec.action_kind == envs::ActionKind::continuous;
  shape = {options.envs_per_agent, options.agent.t_max, static_cast<int>(spec.row_floats()),
           continuous ? spec.actions : 0};
  floats = nn::NetLayout(options.net).size;
  slots = static_cast<std::size_t>(options.impala_slots);
  slot_bytes = rollout_bytes(shape);
  ipc::MemoryPlan plan;
  parameters = plan.place(ipc::SharedParameters::bytes(floats));
  first_slot = plan.place(slot_bytes);
  slot_stride = plan.bytes() - first_slot;
  bytes = first_slot + slots * static_cast<std::size_t>(options.counts.agents) * slot_stride;
}

Result<std::unique_ptr<ImpalaProcesses>> ImpalaProcesses::make(const Options& options,
                                                               const trainers::TrainingJob& job,
                                                               ParameterServer& server) {
  auto memory = ipc::SharedMemory::make(RolloutLayout(options).bytes);
  if (!memory) return std::move(memory).error();
  std::unique_ptr<ImpalaProcesses> actors(
      new ImpalaProcesses(options, job, server, *std::move(memory)));
  if (!job.invitation.file.empty())
    if (auto invited = actors->pool_.invite(job.invitation); !invited)
      return std::move(invited).error();
  return actors;
}

ImpalaProcesses::ImpalaProcesses(const Options& options, const trainers::TrainingJob& job,
                                 ParameterServer& server, ipc::SharedMemory memory)
    : options_(options),
      server_(server),
      layout_(options),
      memory_(std::move(memory)),
      pool_({"impala", job, memory_, options.counts.agents, options.impala_slots, layout_}),
      parameters_(memory_.bytes().subspan(layout_.parameters), layout_.floats),
      actors_(static_cast<std::size_t>(options.counts.agents)),
      pieces_(static_cast<std::size_t>(options.envs_per_agent)) {
  for (auto& actor : actors_) {
    actor.discounted.resize(pieces_.size());
    for (int slot = 0; slot < options.impala_slots; ++slot)
      actor.rollouts.push_back(std::make_unique<Rollout>(layout_.shape));
  }
}

// On the thread of the learner while it runs.
void ImpalaProcesses::publish() {
  const auto reading = server_.weights().read();
  if (reading.version() > parameters_.publications())
    parameters_.publish_as(reading.version(), reading.parameters());
}

void ImpalaProcesses::run(const Phase& phase) {
  publish();
  learner_.emplace(options_, server_, [this] { publish(); });
  actors::PoolPhase pool;
  pool.claim = [&] {
    return server_.diverged() ? 0 : phase.frames.claim(layout_.shape.columns, options_.agent.t_max);
  };
  pool.steps = [&] {
    return phase.frames.claimed() / (options_.counts.agents * layout_.shape.columns);
  };
  pool.played = [&](int process, const ipc::Message& message, int steps) {
    return train(process, message, steps, phase);
  };
  pool.lost = [&](int process) {
    auto& discounted = actors_[static_cast<std::size_t>(process)].discounted;
    std::fill(discounted.begin(), discounted.end(), 0.0);
  };
  pool.tick = phase.tick;
  pool_.run(pool);
  for (const auto& actor : actors_)
    for (const auto& rollout : actor.rollouts) rollout->wait_until_free();
  meter_ = take_meter();
  learner_.reset();
}

// False for what no actor plays.
bool ImpalaProcesses::train(int process, const ipc::Message& message, int steps,
                            const Phase& phase) {
  auto& actor = actors_[static_cast<std::size_t>(process)];
  auto& rollout = *actor.rollouts[message.slot];
  rollout.wait_until_free();
  const auto slot =
      layout_.slot(memory_.bytes(), static_cast<std::uint64_t>(process), message.slot);
  const RolloutBounds bounds{steps, options_.env.spec.actions, parameters_.publications()};
  if (!read_rollout(rollout, bounds, slot)) return false;
  const auto frames = std::int64_t{steps} * layout_.shape.columns;
  const auto episodes = actors::episodes_of(message.payload, frames);
  if (!episodes) return false;
  phase.episodes.finish(*episodes);
  queue(actor, rollout, phase.scale);
  return true;
}

void ImpalaProcesses::queue(Actor& actor, Rollout& rollout, rl::RewardScale& scale) {
  for (int i = 0; i < layout_.shape.columns; ++i) {
    const auto column = static_cast<std::size_t>(i);
    const auto outcomes = rollout.outcomes(i).first(static_cast<std::size_t>(rollout.steps));
    if (options_.agent.scale_rewards) scale.apply(outcomes, actor.discounted[column]);
    pieces_[column] = {&rollout, i};
  }
  rollout.hand_over(layout_.shape.columns);
  learner_->queue().push(pieces_, TrainingQueue::Wake::one);
}

rl::QueueMeter ImpalaProcesses::take_meter() {
  auto sum = std::exchange(meter_, {});
  if (!learner_) return sum;
  const auto newest = learner_->queue().take_meter();
  return {sum.batches + newest.batches, sum.queued + newest.queued, sum.weight + newest.weight};
}

std::vector<EnvGroup::State> ImpalaProcesses::states() const {
  auto states = pool_.groups();
  for (std::size_t i = 0; i < states.size(); ++i)
    if (!states[i].environments.empty()) states[i].discounted_returns = actors_[i].discounted;
  return states;
}

void ImpalaProcesses::restore(const std::vector<EnvGroup::State>& states) {
  pool_.restore(states);
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i].discounted_returns.size() == actors_[i].discounted.size())
      actors_[i].discounted = states[i].discounted_returns;
}

}  // namespace hone::ac
