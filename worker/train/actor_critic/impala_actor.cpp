// The process of an actor of IMPALA.
#include "worker/train/actor_critic/agents/rollout_recorder.hpp"
#include "worker/train/actor_critic/impala_processes.hpp"
#include "worker/train/actor_critic/rollout_slot.hpp"
#include "worker/train/actors/actor_process.hpp"

namespace hone::ac {
namespace {

// Predicts by the weights in the shared memory, and trains nothing.
class SharedClient final : public NetworkClient {
 public:
  SharedClient(const Options& options, ipc::SharedParameters parameters, std::size_t floats)
      : predictor_(options.net, options.predict_rows_needed(), options.networks),
        parameters_(parameters),
        weights_(floats) {}

  void fetch() { version_ = parameters_.read(weights_); }
  void predict(PredictRequest& request) override {
    PredictRequest* const item = &request;
    predictor_.serve({&item, 1}, {weights_, version_});
  }
  void train(std::span<const Piece>, TrainingQueue::Wake) override {}
  void wait_until_trained(Rollout&) override {}
  [[nodiscard]] bool diverged() const override { return false; }

 private:
  Predictor predictor_;
  ipc::SharedParameters parameters_;
  dense::Floats weights_;
  std::uint64_t version_ = 0;
};

// Plays a phase to its end.
void play(actors::ActorProcess& process, const RolloutLayout& layout, EnvGroup& group,
          RolloutRecorder& recorder, SharedClient& client) {
  const auto index = static_cast<std::uint64_t>(process.task().index);
  actors::EpisodeBuffer episodes;
  Rollout rollout(layout.shape);
  bool begins = true;
  while (const int steps = process.claim()) {
    client.fetch();
    if (std::exchange(begins, false)) group.predict(group.latest().data(), client);
    recorder.record(group, steps, rollout, episodes, client);
    const auto slot = process.slot();
    const auto bytes = write_rollout(rollout, layout.slot(process.memory(), index, slot));
    process.send_played(slot, bytes, actors::payload_of(episodes.take()));
  }
}

}  // namespace

Status serve_impala(int socket, int memory) {
  auto process = actors::ActorProcess::make("impala", socket, memory);
  if (!process) return std::move(process).error();
  const auto& task = (*process)->task();
  const auto options = options_of(Scheme::impala, task.job);
  if (!options) return options.error();
  const RolloutLayout layout(*options);
  if ((*process)->memory().size() < layout.bytes) return actors::other_memory();
  const int each = options->envs_per_agent;
  const auto first = (*process)->first_environment(each, options->counts.agents * each);
  auto env = options->env.make({each, options->seed, first, options->sticky});
  if (!env) return std::move(env).error();
  EnvGroup group(*std::move(env), options->seed, first);
  if (const auto state = actors::state_of(task.state)) group.restore(*state);
  RolloutRecorder recorder(options->agent);
  const auto parameters = (*process)->memory().subspan(layout.parameters);
  SharedClient client(*options, ipc::SharedParameters(parameters, layout.floats), layout.floats);
  for (;;) {
    play(**process, layout, group, recorder, client);
    (*process)->send_parked(actors::state_text(group.state()));
  }
}

}  // namespace hone::ac
