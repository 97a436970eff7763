#include "worker/train/value/gorila_processes.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "worker/train/actors/actor_process.hpp"
#include "worker/train/rl/model.hpp"

namespace hone::q {

using actors::ActorProcess;
using actors::EpisodeBuffer;
using actors::PoolPhase;

namespace {

// In the process of the node.
class ProcessLink : public GorilaLink {
 public:
  ProcessLink(ActorProcess& process, EpisodeBuffer& episodes)
      : process_(process), episodes_(episodes) {}

  int claim(int, int) override {
    if (playing_) process_.send_played(process_.slot(), 0, actors::payload_of(episodes_.take()));
    const int steps = process_.claim();
    playing_ = steps > 0;
    return steps;
  }

 protected:
  ActorProcess& process_;

 private:
  EpisodeBuffer& episodes_;
  bool playing_ = false;
};

// The parameter server is in memory that the process shares.
class SharedLink final : public ProcessLink {
 public:
  SharedLink(ActorProcess& process, EpisodeBuffer& episodes, GorilaServer& server)
      : ProcessLink(process, episodes), server_(server) {}

  void pull(std::span<float> weights, std::span<std::int64_t> versions) override {
    server_.pull(weights, versions);
  }
  void push(const NodeGradient& gradient) override { server_.push(gradient); }
  std::int64_t count(int frames) override { return server_.count(frames); }

 private:
  GorilaServer& server_;
};

// It is on another host.
class RemoteLink final : public ProcessLink {
 public:
  using ProcessLink::ProcessLink;

  void pull(std::span<float> weights, std::span<std::int64_t> versions) override {
    const auto answer = process_.ask(std::exchange(uncounted_, 0));
    counted_ = answer.number;
    if (read_parameters(answer.payload, weights, versions)) return;
    std::fputs("hone-train: gorila: the training sent parameters of another size\n", stderr);
    std::_Exit(EXIT_FAILURE);
  }
  void push(const NodeGradient& gradient) override { process_.tell(payload_of(gradient)); }
  // Of the others those until the last pull().
  std::int64_t count(int frames) override { return counted_ + (uncounted_ += frames); }

 private:
  std::int64_t counted_ = 0, uncounted_ = 0;  // frames: of all nodes, and of this one since then
};

}  // namespace

void GorilaProcesses::run(rl::EpisodeLog& episodes, const std::function<void()>& tick) {
  const int each = options_.envs / options_.apex.actors;
  PoolPhase phase;
  phase.claim = [&] { return server_.claim(each, options_.apex.steps); };
  phase.steps = [&] { return server_.frames().claimed() / options_.envs; };
  phase.played = [&](int process, const ipc::Message& message, int steps) {
    const auto ended = actors::episodes_of(message.payload, std::int64_t{steps} * each);
    if (!ended) return false;
    episodes.finish(*ended);
    guests_.begin_part(process);
    return true;
  };
  phase.hear = [&](int process, const ipc::Message& message) {
    return guests_.hear(process, message);
  };
  phase.lost = [&](int process) { guests_.begin_part(process); };
  phase.tick = tick;
  pool_.run(phase);
}

void GorilaProcesses::put_targets(const std::vector<float>& weights,
                                  trainers::TensorFile& file) const {
  for (int i = 0; i < options_.apex.actors; ++i)
    rl::put_parts(file, options_.net, weights, node_prefix("target", i));
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
  SharedLink shared(**process, episodes, server);
  RemoteLink remote(**process, episodes);
  GorilaLink& link = task.away ? static_cast<GorilaLink&>(remote) : shared;
  if (const auto state = actors::state_of(task.state)) node.restore(*state);
  node.join(link, task.steps);
  for (;;) {
    node.run(link, episodes);
    (*process)->send_parked(actors::state_text(node.state()));
  }
}

}  // namespace hone::q
