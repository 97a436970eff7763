#include "worker/train/actor_critic/vtrace_thread.hpp"

#include <algorithm>
#include <utility>

namespace hone::ga3c {
namespace {

int pieces_max(const Options& options) {
  return options.counts.agents * options.impala_slots * options.envs_per_agent;
}

}  // namespace

VtraceThread::VtraceThread(const Options& options, ParameterServer& server,
                           std::function<void()> updated)
    : options_(options),
      server_(server),
      updated_(std::move(updated)),
      queue_({static_cast<std::size_t>(pieces_max(options)), 0, options.train_samples_max}) {
  queue_.add_consumer();
  thread_ = std::jthread([this] { learn(); });
}

void VtraceThread::learn() {
  const int samples_max = options_.train_samples_needed();
  VtraceLearner learner(options_.net, samples_max, std::min(samples_max, pieces_max(options_)),
                        options_.networks, server_, options_.vtrace);
  queue_.consume([&](const auto& batch) {
    learner.serve(batch);
    updated_();
  });
}

}  // namespace hone::ga3c
