// What Harmony's networks see of a cluster (Bao et al., "Deep Learning-based Job Placement in
// Distributed Machine Learning Clusters", INFOCOM 2019, section 4).
//
// The paper gives one network the state (x, r, w, p, v, d) of all servers and job slots at once.
// Placements are the same under renamed servers and jobs, so here one network with shared weights
// sees one server at a time, and jobs are counted by type. That needs no augmentation by
// permutations, and serves clusters of any number of servers.
#pragma once

#include <span>
#include <vector>

#include "server/cluster/policies.hpp"

namespace hone::cluster {

// d: the tasks on each server. A remote pair is a worker and a parameter server of a job on
// different servers, one of them on this one, divided by the job's number of parameter servers:
// what the traffic grows with.
struct Occupancy {
  std::size_t types = 0;
  std::vector<double> counts;  // [server][workers, parameter servers, remote pairs][type]
  [[nodiscard]] std::span<const double> of(std::size_t server) const {
    return std::span(counts).subspan(server * 3 * types, 3 * types);
  }
};
Occupancy occupancy_of(const ClusterSetup& setup, std::span<const Placed> running);
void add_job(Occupancy& occupancy, const Job& job, const Layout& layout);

// Input of the reward-prediction network for one job on one server where it has tasks; the
// occupancy includes the job. Harmony's x, w, p and d.
std::size_t speed_inputs(std::size_t types);
std::vector<double> speed_input(const Occupancy& occupancy, const Placed& placed,
                                std::size_t server);

// An action puts a task of the job on a server. Harmony's (n, kind, m); the new jobs of an interval
// are placed one after the other, by arrival, so that n is given.
enum class TaskKind { worker, server };
struct Action {
  TaskKind kind = TaskKind::worker;
  std::size_t server = 0;
  friend bool operator==(const Action&, const Action&) = default;
};

// A job while it is placed.
struct Partial {
  const Job* job = nullptr;
  Tasks left;     // tasks without a place
  Layout layout;  // of the others
  Room free;      // without them
};
Partial partial_of(const View& view, const Grant& grant);
void apply(const ClusterSetup& setup, Partial& partial, const Action& action);
// Those that are not masked: a task of the kind is left, and the server has room for it.
std::vector<Action> open_actions(const ClusterSetup& setup, const Partial& partial);

// Input of the policy for one action; the occupancy is without the job. x, r, w, p, v and d.
std::size_t action_inputs(std::size_t types);
std::vector<double> action_input(const ClusterSetup& setup, const Occupancy& occupancy,
                                 const Partial& partial, const Action& action);

// Input of the value network: tasks by type of the jobs that run and that wait, what is free, and
// the predicted mean speed of the running jobs.
std::size_t value_inputs(std::size_t types);
std::vector<double> value_input(const View& view, double running_speed);

}  // namespace hone::cluster
