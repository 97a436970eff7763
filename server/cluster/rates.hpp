// How fast placed jobs run.
//
// interference: a worker's compute time is Tc (0.45 + 0.55 sum_r share_r slow_r), slow_r =
// max(1, load_r)^1.3 over the four resources of its server, share_r the resource's part of the
// worker's load; each parameter server adds some load. A pair of worker and parameter server on
// different servers exchanges 2 MB/p a step; a server's network slows all of its traffic when the
// sum of rates exceeds it. A step ends when the slowest task has ended. The rate is relative to the
// job alone on an empty cluster, on as few servers as hold it.
//
// parameter_servers: seconds of a step as in Optimus, section 3.2: computation, update, work to
// coordinate
// and the exchange, which is the most of (S/p)(w - w_k) and (S/p)(p - p_k) over its servers k,
// twice (gradients and parameters), at the bandwidth of a server.
//
// pairs: alone as fast as the kind of GPU allows, and next to another job a share of that
// (pairs.hpp).
//
// measured: iterations by the profile of the job's type (profile.hpp).
#pragma once

#include <span>
#include <vector>

#include "server/cluster/setup.hpp"

namespace hone::cluster {

// The tasks of a job on each server; empty: not running.
using Layout = std::vector<Tasks>;

struct Placed {
  const Job* job = nullptr;
  const Layout* layout = nullptr;
};

// What is free on each server.
using Room = std::vector<ServerShape>;
Room empty_room(const ClusterSetup& setup);
// Whether the tasks fit, and what is left then. A worker takes a slot of each kind (of CPUs alone
// if the cluster has no GPUs), a parameter server a CPU slot.
bool fits(const ClusterSetup& setup, const ServerShape& room, const Tasks& tasks);
void take(const ClusterSetup& setup, ServerShape& room, const Tasks& tasks, int sign = 1);

Tasks total_of(const Layout& layout);
// The server of a job of one worker that runs.
std::size_t server_of(const Layout& layout);

// Units of work a second of each job: seconds alone, or steps.
std::vector<double> rates_of(const ClusterSetup& setup, std::span<const Placed> running);

// The speeds of a job relative to its speed alone: what Harmony's reward model learns. 1 for
// other rules than interference.
std::vector<double> normalized_speeds(const ClusterSetup& setup, std::span<const Placed> running);

// Steps a second of a job of parameter servers; layout nullptr: every task on its own server.
double steps_per_s(const ClusterSetup& setup, const Job& job, const Tasks& tasks,
                   const Layout* layout);

// Steps a second of a job with a profile on as few of the largest servers as hold its workers.
double packed_steps_per_s(const ClusterSetup& setup, const Job& job, int workers);

// Seconds of a step that a job of parameter servers spends on its exchange.
double exchange_s(double model_mb, double bandwidth_mb_s, const Layout& layout);

}  // namespace hone::cluster
