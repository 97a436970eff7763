#include "worker/train/actor_critic/vtrace_training.hpp"

#include <algorithm>
#include <utility>

namespace hone::ac {
namespace {

int pieces_max(const Options& options) {
  return options.counts.agents * options.impala_slots * options.envs_per_agent;
}

}  // namespace

VtraceTraining::VtraceTraining(const Options& options, ParameterServer& server,
                               std::function<void()> updated)
    : options_(options),
      server_(server),
      updated_(std::move(updated)),
      queue_({static_cast<std::size_t>(pieces_max(options)),
              options.actors_serve ? options.counts.agents : 0, options.train_samples_max}) {
  if (options.actors_serve) return;
  queue_.add_consumer();
  thread_ = std::jthread([this] { learn(); });
}

std::optional<VtraceLearner> VtraceTraining::learner_of_actor() const {
  return options_.actors_serve ? std::optional(make_learner()) : std::nullopt;
}

VtraceLearner VtraceTraining::make_learner() const {
  const int samples_max = options_.train_samples_needed();
  return {options_.net,      samples_max, std::min(samples_max, pieces_max(options_)),
          options_.networks, server_,     options_.vtrace};
}

void VtraceTraining::learn() {
  auto learner = make_learner();
  queue_.consume([&](const auto& batch) {
    learner.serve(batch);
    updated_();
  });
}

}  // namespace hone::ac
