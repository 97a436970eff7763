// Whether the parts of a cluster file suit each other.
#include <string>

#include "base/text.hpp"
#include "server/cluster/policies.hpp"
#include "server/cluster/read.hpp"

namespace hone::cluster {
namespace {

// A GPU with room for two, jobs of one worker, and a table.
Status check_pairs(const ClusterSetup& setup) {
  if (!setup.pair_source)
    return refuse(Code::invalid, "the rule pairs needs the field pairs, with a table", "/rule");
  if (setup.workload.workers_max != 1 || setup.workload.has_servers)
    return refuse(Code::invalid,
                  "the rule pairs needs jobs of one worker: workers: 1, parameter_servers: false",
                  "/jobs");
  for (const ServerShape& server : setup.servers)
    if (server.gpus != 0 || server.cpus > 2)
      return refuse(
          Code::invalid,
          "under the rule pairs a server is a GPU: cpus says how many jobs share it (1 or "
          "2), and there is no field gpus",
          "/servers");
  return Done{};
}

Status check_policies(const ClusterSetup& setup) {
  const auto suiting = [&](const std::string& name) {
    const PolicyRow* row = find_policy(name);
    return row != nullptr ? suits(*row, setup.rule) : setup.rule == SpeedRule::interference;
  };
  for (const PolicyChoice& choice : setup.policies)
    if (!suiting(choice.name))
      return refuse(Code::invalid, "policy '" + choice.name + "' is not for this rule",
                    "/policies");
  if (!suiting(setup.oracle))
    return refuse(Code::invalid, "policy '" + setup.oracle + "' is not for this rule", "/oracle");
  return Done{};
}

// Every drawn job must fit into the empty cluster, or it would wait permanently. Those of a trace
// are judged by check_fits().
Status check_size(const ClusterSetup& setup) {
  if (setup.rule == SpeedRule::measured && !setup.trace)
    return refuse(Code::invalid, "the rule measured needs a trace in the format pollux", "/rule");
  const int workers = setup.workload.workers_max;
  const int servers = setup.workload.has_servers ? workers : 0;
  if (!setup.trace &&
      (setup.cpus() < workers + servers || (setup.gpus() > 0 && setup.gpus() < workers)))
    return refuse(Code::invalid,
                  "the cluster is too small for a job of " + counted(workers, "worker"),
                  "/jobs/workers");
  if (setup.rule == SpeedRule::parameter_servers && servers == 0)
    return refuse(Code::invalid, "the rule parameter_servers needs jobs with parameter servers",
                  "/jobs/parameter_servers");
  return Done{};
}

}  // namespace

Status check_fits(const ClusterSetup& setup, const std::vector<Job>& jobs) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Tasks& wanted = jobs[i].wanted;
    if (setup.cpus() < wanted.total() || (setup.gpus() > 0 && setup.gpus() < wanted.workers))
      return refuse(Code::invalid,
                    "the cluster is too small for job " + std::to_string(i) +
                        " of the trace: " + counted(wanted.workers, "worker"),
                    "/servers");
  }
  return Done{};
}

Status check_setup(const ClusterSetup& setup) {
  if (auto sized = check_size(setup); !sized) return sized;
  if (setup.rule == SpeedRule::pairs)
    if (auto checked = check_pairs(setup); !checked) return checked;
  return check_policies(setup);
}

}  // namespace hone::cluster
