#include "worker/train/cluster/sizes.hpp"

#include <algorithm>
#include <cmath>

#include "server/cluster/harmony/harmony.hpp"

namespace hone::trainers {
namespace {

// Of a checkpoint as text. Inputs are mostly 0, 1 and short fractions, "0.0,": 5.8 bytes on average
// in a training of the default settings. A weight has all its digits: 21, and 23 in Adam's moments.
constexpr double input_bytes = 6, weight_bytes = 23;
constexpr double records_bytes_max = 1024.0 * 1024 * 1024;  // in memory

std::string mebibytes(double bytes) { return std::to_string(std::llround(bytes / (1U << 20U))); }

// Every decision has the inputs of at most two actions a server: a worker and a parameter server.
double replay_bytes(const Settings& settings, const cluster::ClusterSetup& setup) {
  const double episode = 2.0 * setup.workload.jobs * setup.workload.workers_max;
  const auto kept = static_cast<double>(settings.integer("replay"));
  const double actions = 2.0 * static_cast<double>(setup.servers.size());
  return (kept > 0 ? kept : episode) * actions *
         static_cast<double>(cluster::action_inputs(setup.types.size())) * input_bytes;
}

// Three networks, and two moments of each weight of actor and critic.
double network_bytes(const cluster::HarmonyModel& model) {
  const auto weights = model.reward.net().weights() +
                       3 * (model.agent.actor().weights() + model.agent.critic().weights());
  return static_cast<double>(weights) * weight_bytes;
}

// A record has the running jobs, of a GPU each at least, and their tasks on every server.
double records_bytes(const Settings& settings, const cluster::ClusterSetup& setup) {
  const double running = std::min(setup.workload.jobs, setup.gpus());
  const double job = sizeof(cluster::Job) + sizeof(cluster::Layout) + sizeof(double) +
                     static_cast<double>(setup.servers.size() * sizeof(cluster::Tasks));
  return static_cast<double>(settings.integer("samples")) * running * job;
}

}  // namespace

Status check_sizes(const Settings& settings, const cluster::ClusterSetup& setup) {
  constexpr auto most = static_cast<double>(cluster::harmony_bytes_max);
  const double replay = replay_bytes(settings, setup);
  const double networks =
      network_bytes(cluster::empty_harmony(setup, settings.small_integer("hidden")));
  if (replay + networks > most) {
    const char* held = settings.integer("replay") > 0 ? "replay or servers"
                                                      : "episode_jobs or servers, or set replay";
    return refuse(Code::invalid, "a checkpoint could have " + mebibytes(replay + networks) +
                                     " MiB, more than " + mebibytes(most) + ": lower " +
                                     (networks > replay ? "hidden" : held));
  }
  const double records = records_bytes(settings, setup);
  if (records > records_bytes_max)
    return refuse(Code::invalid, "the samples could take " + mebibytes(records) +
                                     " MiB of memory, more than " + mebibytes(records_bytes_max) +
                                     ": lower samples");
  return Done{};
}

}  // namespace hone::trainers
