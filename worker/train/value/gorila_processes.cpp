#include "worker/train/value/gorila_processes.hpp"

#include "worker/train/actor_critic/model.hpp"
#include "worker/train/actors/actor_process.hpp"

namespace hone::dqn {

using actors::ActorProcess;
using actors::EpisodeBuffer;
using actors::PoolPhase;

namespace {

// In the process of the node.
class NodeProcessLink final : public GorilaLink {
 public:
  NodeProcessLink(ActorProcess& process, GorilaServer& server, EpisodeBuffer& episodes)
      : process_(process), server_(server), episodes_(episodes) {}

  int claim(int, int) override {
    if (playing_) process_.send_played(process_.slot(), 0, actors::payload_of(episodes_.take()));
    const int steps = process_.claim();
    playing_ = steps > 0;
    return steps;
  }
  void pull(std::span<float> weights, std::span<std::int64_t> versions) override {
    server_.pull(weights, versions);
  }
  void push(const NodeGradient& gradient) override { server_.push(gradient); }
  std::int64_t count(int frames) override { return server_.count(frames); }

 private:
  ActorProcess& process_;
  GorilaServer& server_;
  EpisodeBuffer& episodes_;
  bool playing_ = false;
};

}  // namespace

void GorilaProcesses::run(ga3c::EpisodeLog& episodes, const std::function<void()>& tick) {
  const int each = options_.envs / options_.apex.actors;
  PoolPhase phase;
  phase.claim = [&] { return server_.claim(each, options_.apex.steps); };
  phase.steps = [&] { return server_.frames().claimed() / options_.envs; };
  phase.played = [&](int, const ipc::Message& message, int steps) {
    const auto ended = actors::episodes_of(message.payload, std::int64_t{steps} * each);
    if (ended) episodes.finish(*ended);
    return ended.has_value();
  };
  phase.lost = [](int) {};
  phase.tick = tick;
  pool_.run(phase);
}

void GorilaProcesses::put_targets(const std::vector<float>& weights,
                                  trainers::TensorFile& file) const {
  for (int i = 0; i < options_.apex.actors; ++i)
    put_parts(file, options_.net, weights, node_prefix("target", i));
}

Status serve_gorila(int socket, int memory) {
  auto process = ActorProcess::make("gorila", socket, memory);
  if (!process) return std::move(process).error();
  const auto& task = (*process)->task();
  const auto options = gorila_options_of(task.job);
  if (!options) return options.error();
  const int each = options->envs / options->apex.actors;
  auto env = options->env.make(
      {each, options->seed, (*process)->first_environment(each, options->envs), options->sticky});
  if (!env) return std::move(env).error();
  if ((*process)->memory().size() < GorilaServer::bytes(*options)) return actors::other_memory();
  GorilaServer server(*options, (*process)->memory());
  GorilaNode node(*options, *std::move(env), task.index, server.shards().count());
  EpisodeBuffer episodes;
  NodeProcessLink link(**process, server, episodes);
  if (const auto state = actors::state_of(task.state)) node.restore(*state);
  node.join(link, task.steps);
  for (;;) {
    node.run(link, episodes);
    (*process)->send_parked(actors::state_text(node.state()));
  }
}

}  // namespace hone::dqn
