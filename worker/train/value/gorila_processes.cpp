#include "worker/train/value/gorila_processes.hpp"

#include <algorithm>

#include "worker/train/actor_critic/model.hpp"
#include "worker/train/value/actor_process.hpp"

namespace hone::dqn {
namespace {

// A node computes the next gradient while the training applies the one before.
constexpr std::uint32_t gradient_slots = 2;

// What a gradient in shared memory is, before its versions and its floats.
struct GradientHead {
  double rate = 0, loss = 0, value = 0, norm = 0;
  std::int64_t outlier = 0;
};

struct GorilaLayout {
  GorilaLayout(const Options& options, std::size_t shard_count)
      : floats(packed_floats(options.net)), shards(shard_count) {
    MemoryPlan plan;
    parameters = plan.place(parameter_bytes());
    first = plan.place(0);
    plan.place(sizeof(GradientHead));
    plan.place(shards * sizeof(std::int64_t));
    plan.place(floats * sizeof(float));
    slot_bytes = plan.bytes() - first;
    bytes = first + slot_bytes * gradient_slots * static_cast<std::size_t>(options.apex.actors);
  }

  struct Slot {
    GradientHead& head;
    std::span<std::int64_t> versions;
    std::span<float> gradient;
  };
  [[nodiscard]] std::size_t parameter_bytes() const {
    return SharedParameters::bytes(floats, shards);
  }
  [[nodiscard]] Slot slot(std::span<std::byte> memory, int process, std::uint32_t index) const {
    const auto place = static_cast<std::size_t>(process) * gradient_slots + index;
    auto* start = memory.data() + first + place * slot_bytes;
    MemoryPlan plan;
    plan.place(sizeof(GradientHead));
    const auto versions = plan.place(shards * sizeof(std::int64_t));
    const auto gradient = plan.place(floats * sizeof(float));
    return {*reinterpret_cast<GradientHead*>(start),
            {reinterpret_cast<std::int64_t*>(start + versions), shards},
            {reinterpret_cast<float*>(start + gradient), floats}};
  }

  std::size_t floats, shards, parameters = 0, first = 0, slot_bytes = 0, bytes = 0;
};

// In the process of the node.
class NodeProcessLink final : public GorilaLink {
 public:
  NodeProcessLink(ActorProcess& process, const GorilaLayout& layout, EpisodeBuffer& episodes)
      : process_(process),
        layout_(layout),
        episodes_(episodes),
        parameters_(process.memory().subspan(layout.parameters, layout.parameter_bytes()),
                    layout.floats, layout.shards) {}

  int claim(int, int) override {
    if (playing_) process_.send(MessageKind::played, process_.slot(), payload_of(episodes_.take()));
    const int steps = process_.claim();
    playing_ = steps > 0;
    return steps;
  }
  void pull(std::span<float> weights, std::span<std::int64_t> versions) override {
    parameters_.read(weights, versions);
  }
  void push(const NodeGradient& gradient) override {
    next_ = (next_ + 1) % gradient_slots;
    process_.wait_until_taken(next_);
    const auto slot = layout_.slot(process_.memory(), process_.task().index, next_);
    slot.head = {gradient.rate, gradient.loss, gradient.value, gradient.norm,
                 gradient.outlier ? 1 : 0};
    std::copy(gradient.versions.begin(), gradient.versions.end(), slot.versions.begin());
    std::copy(gradient.gradient.begin(), gradient.gradient.end(), slot.gradient.begin());
    process_.send_gradient(next_);
  }

 private:
  ActorProcess& process_;
  const GorilaLayout& layout_;
  EpisodeBuffer& episodes_;
  SharedParameters parameters_;
  std::uint32_t next_ = 0;
  bool playing_ = false;
};

}  // namespace

Result<std::unique_ptr<GorilaProcesses>> GorilaProcesses::make(const Options& options,
                                                               const trainers::TrainingJob& job,
                                                               GorilaServer& server) {
  const GorilaLayout layout(options, server.shards().count());
  auto pool =
      ProcessPool::make({"gorila", job, options.apex.actors, options.apex.slots, layout.bytes});
  if (!pool) return std::move(pool).error();
  return std::unique_ptr<GorilaProcesses>(new GorilaProcesses(options, *std::move(pool), server));
}

GorilaProcesses::GorilaProcesses(const Options& options, std::unique_ptr<ProcessPool> pool,
                                 GorilaServer& server)
    : options_(options),
      pool_(std::move(pool)),
      server_(server),
      parameters_(pool_->memory(), server.shards().size(), server.shards().count()),
      weights_(server.shards().size()),
      versions_(server.shards().count()) {}

void GorilaProcesses::publish() {
  server_.pull(weights_, versions_);
  parameters_.publish(weights_, versions_);
}

bool GorilaProcesses::apply(int process, std::uint32_t slot) {
  if (slot >= gradient_slots) return false;
  const GorilaLayout layout(options_, versions_.size());
  const auto in = layout.slot(pool_->memory(), process, slot);
  server_.push({in.gradient, in.versions, in.head.rate, in.head.loss, in.head.value, in.head.norm,
                in.head.outlier != 0});
  pool_->send_taken(process, slot);
  publish();
  return true;
}

void GorilaProcesses::run(ga3c::EpisodeLog& episodes, const std::function<void()>& tick) {
  publish();
  const int each = options_.envs / options_.apex.actors;
  PoolPhase phase;
  phase.claim = [&] { return server_.claim(each, options_.apex.steps); };
  phase.steps = [&] { return server_.frames().claimed() / options_.envs; };
  phase.played = [&](int, const Message& message) {
    episodes.finish(episodes_of(message.payload));
    return true;
  };
  phase.gradient = [&](int process, const Message& message) {
    return apply(process, message.slot);
  };
  phase.lost = [](int) {};
  phase.tick = tick;
  pool_->run(phase);
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
  auto env = (*process)->environments(*options);
  if (!env) return std::move(env).error();
  const auto shards = GorilaServer(*options).shards().count();
  GorilaNode node(*options, *std::move(env), task.index, shards);
  const GorilaLayout layout(*options, shards);
  if ((*process)->memory().size() < layout.bytes) return other_memory();
  EpisodeBuffer episodes;
  NodeProcessLink link(**process, layout, episodes);
  if (const auto state = state_of(task.state)) node.restore(*state);
  node.join(link, task.steps);
  for (;;) {
    node.run(link, episodes);
    (*process)->send(MessageKind::parked, 0, state_text(node.state()));
  }
}

}  // namespace hone::dqn
