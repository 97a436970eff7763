// A simulated cluster: its servers, its jobs and the rule by which placements change their speed.
// Everything here is a model, with its sources; no number of it is a measurement of a cluster.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/cluster/pairs.hpp"
#include "server/cluster/profile.hpp"
#include "server/forecast/curves.hpp"
#include "server/forecast/speed.hpp"

namespace hone::cluster {

// How the speed of a job follows from its placement (rates.hpp).
enum class SpeedRule {
  interference,       // jobs on a server slow each other down (Harmony's problem)
  parameter_servers,  // workers and parameter servers exchange the model (Optimus' problem)
  fixed,              // placement does not matter: traces
  pairs,              // a server is a GPU that two jobs may share, at measured speeds
  measured,           // seconds of an iteration by placement: traces with profiles
};

// Bounds of what a file may ask for: a simulation is a few times their product in work.
inline constexpr int servers_max = 1000;
inline constexpr int slots_max = 64;  // of a server, of each kind
inline constexpr int jobs_max = 10'000;
inline constexpr int types_max = 64;
inline constexpr int tasks_max = 64;  // workers or parameter servers of a job

struct JobType {
  std::string name;
  double compute_s = 1;  // of a worker for a batch
  double model_mb = 0;   // exchanged in every step
  double batches = 100;  // of an epoch
  // Share of a server's CPU, PCIe, disk and memory bandwidth that a worker uses.
  std::array<double, 4> loads{};
  // parameter_servers: in place of its formula; placement does not matter then.
  std::optional<forecast::SpeedModel> speed = std::nullopt;
  std::shared_ptr<const Profile> profile = nullptr;  // measured only, and never nullptr then
};

// Eight training jobs: compute time, size and epochs as in the public job table of DL2 (Peng et
// al., 2019); the loads are an assumption of the interference model.
std::vector<JobType> usual_types();

struct ServerShape {
  int gpus = 0;  // slots for workers
  int cpus = 0;  // slots for tasks of any kind
  int kind = 0;  // pairs: of ClusterSetup::kinds
};

struct Workload {
  int jobs = 40;
  double per_interval = 0;  // Poisson arrivals; 0: uniformly over `over_s`
  double over_s = 12'000;
  int workers_min = 1, workers_max = 3;
  // Parameter servers of a job: 1 to its workers; none if false.
  bool has_servers = true;
  double length_median_s = 2'400, length_sigma = 0.6;  // alone; not for parameter_servers
};

struct Interference {
  double loads = 1.5;       // all loads of types are multiplied by it
  double exponent = 1.3;    // of the overload of a resource
  double sensitive = 0.55;  // share of a worker's time that overload stretches
  double nic_mb_s = 3'000;
  double remote_s = 0.006;  // of a worker for each parameter server elsewhere
};

struct ParameterServers {
  double bandwidth_mb_s = 125;      // 1 GbE
  double batches_per_step = 8;      // M: shared by the workers of a synchronous job
  double update_s_per_mb = 0.0004;  // of a parameter server, for each worker's gradient
  double worker_s = 0.05;           // of a step for each worker, and for each parameter server:
  double server_s = 0.02;           // coordination
  double noise = 0.05;              // of measured speeds
  double loss_noise = 0.01;
  int samples = 5;           // speeds measured before a job is scheduled
  double converged = 0.01;   // an epoch that lowers the loss by less than this share ...
  int converged_epochs = 3;  // ... so often in a row ends a job
  double epoch_s = 240;      // data are cut down, so that one worker needs at most this long
};

// A file of recorded jobs, instead of drawn ones.
enum class TraceFormat { gavel, philly, pollux };
struct TraceSource {
  TraceFormat format = TraceFormat::philly;
  std::string file;
  std::string throughputs;   // gavel: the table of speeds
  std::string gpu = "v100";  // gavel: the kind of GPU whose speeds count
  std::string profiles;      // pollux: the folder of the profiles, one folder for each application
  std::map<std::string, ProfileLimits> limits;  // pollux: by application
  int jobs = 1'000;                             // at most
};

// pairs: where its speeds come from.
struct PairSource {
  std::string throughputs;         // the file of Gavel's table
  std::string reference = "v100";  // the kind of GPU on which a job alone has the speed 1
};

// A row of policy_table(), or of learned_table() with the file of its model.
struct PolicyChoice {
  std::string name;
  std::string model;
  friend bool operator==(const PolicyChoice&, const PolicyChoice&) = default;
};

struct ClusterSetup {
  std::string name = "cluster";
  std::string source;  // what the numbers are taken from
  SpeedRule rule = SpeedRule::interference;
  double interval_s = 300;
  bool preempts = false;  // running jobs may be stopped and moved at the end of an interval
  double restart_s = 0;   // what such a move costs the job; under measured each start as well
  double las_threshold = 3'600;  // slot-seconds after which las puts a job into its second queue
  std::vector<ServerShape> servers;
  std::vector<JobType> types;
  Workload workload;
  std::optional<TraceSource> trace;
  std::optional<PairSource> pair_source;
  std::vector<std::string> kinds;               // of GPUs
  std::shared_ptr<const PairTable> pair_table;  // pairs only, and never nullptr then
  Interference interference;
  ParameterServers exchange;
  std::vector<PolicyChoice> policies;
  std::string oracle = "oracle";  // the policy to which the others are compared

  [[nodiscard]] int gpus() const;
  [[nodiscard]] int cpus() const;
};

// Workers and parameter servers of a job or a server.
struct Tasks {
  int workers = 0;
  int servers = 0;
  [[nodiscard]] int total() const { return workers + servers; }
  friend bool operator==(const Tasks&, const Tasks&) = default;
};

struct Job {
  int type = 0;
  Tasks wanted;  // by its owner
  double arrival_s = 0;
  double work = 0;  // seconds alone on the cluster; steps for parameter_servers and measured
  int samples = 0;  // measured: of a step
  // parameter_servers only:
  forecast::UpdateMode mode = forecast::UpdateMode::sync;
  forecast::CurveFit loss{};  // by epoch
  double steps_per_epoch = 1;
};

// The jobs of a seed, by arrival.
std::vector<Job> draw_jobs(const ClusterSetup& setup, std::uint64_t seed);

}  // namespace hone::cluster
