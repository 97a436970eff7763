#include "server/cluster/rates.hpp"

#include <algorithm>
#include <cmath>

namespace hone::cluster {
namespace {

using Loads = std::array<double, 4>;

const JobType& type_of(const ClusterSetup& setup, const Job& job) {
  return setup.types[static_cast<std::size_t>(job.type)];
}

// What the tasks of all jobs ask of one server.
struct ServerLoad {
  Loads sum{};
  double traffic_mb_s = 0;
};

void add_loads(const ClusterSetup& setup, const Placed& placed, std::vector<ServerLoad>& loads) {
  const JobType& type = type_of(setup, *placed.job);
  const Tasks all = total_of(*placed.layout);
  const double scale = setup.interference.loads;
  const Loads of_server{0.06, 0, 0, 0.08};
  for (std::size_t m = 0; m < loads.size(); ++m) {
    const Tasks& here = (*placed.layout)[m];
    if (here.total() == 0) continue;
    for (std::size_t r = 0; r < loads[m].sum.size(); ++r)
      loads[m].sum[r] += scale * here.workers * type.loads[r] +
                         here.servers * of_server[r] * (1 + type.model_mb / 100);
    if (all.servers == 0) continue;
    const double pairs =
        here.workers * (all.servers - here.servers) + here.servers * (all.workers - here.workers);
    loads[m].traffic_mb_s += 2 * type.model_mb / all.servers * pairs / (type.compute_s + 0.2);
  }
}

double slow_compute(const ClusterSetup& setup, const JobType& type, const Loads& loads) {
  double own = 0, slow = 0;
  for (const double load : type.loads) own += load;
  if (own <= 0) return type.compute_s;
  for (std::size_t r = 0; r < loads.size(); ++r)
    slow += type.loads[r] / own * std::pow(std::max(1.0, loads[r]), setup.interference.exponent);
  const double sensitive = setup.interference.sensitive;
  return type.compute_s * (1 - sensitive + sensitive * slow);
}

double step_s(const ClusterSetup& setup, const Placed& placed,
              const std::vector<ServerLoad>& loads) {
  const JobType& type = type_of(setup, *placed.job);
  const Tasks all = total_of(*placed.layout);
  const double nic = setup.interference.nic_mb_s;
  const double pair_mb = all.servers > 0 ? 2 * type.model_mb / all.servers : 0;
  double slowest = 0;
  for (std::size_t m = 0; m < loads.size(); ++m) {
    const Tasks& here = (*placed.layout)[m];
    const double net_slow = std::max(1.0, loads[m].traffic_mb_s / nic);
    if (here.workers > 0) {
      const int remote = all.servers - here.servers;
      slowest = std::max(slowest, slow_compute(setup, type, loads[m].sum) +
                                      pair_mb * remote * net_slow / nic +
                                      setup.interference.remote_s * remote);
    }
    if (here.servers > 0)
      slowest = std::max(
          slowest, 0.75 * type.compute_s + pair_mb * (all.workers - here.workers) * net_slow / nic);
  }
  return slowest;
}

std::vector<double> step_times(const ClusterSetup& setup, std::span<const Placed> running) {
  std::vector<ServerLoad> loads(setup.servers.size());
  for (const Placed& placed : running) add_loads(setup, placed, loads);
  std::vector<double> times;
  for (const Placed& placed : running) times.push_back(step_s(setup, placed, loads));
  return times;
}

// The step of a job alone on an empty cluster, packed into as few servers as it fits.
double alone_s(const ClusterSetup& setup, const Job& job, const Tasks& tasks) {
  Layout layout(setup.servers.size());
  Tasks left = tasks;
  Room room = empty_room(setup);
  for (std::size_t m = 0; m < room.size(); ++m) {
    while (left.workers > 0 && fits(setup, room[m], {1, 0})) {
      take(setup, room[m], {1, 0});
      ++layout[m].workers;
      --left.workers;
    }
    while (left.servers > 0 && fits(setup, room[m], {0, 1})) {
      take(setup, room[m], {0, 1});
      ++layout[m].servers;
      --left.servers;
    }
  }
  const Placed alone{&job, &layout};
  return step_times(setup, std::span(&alone, 1)).front();
}

double measured_steps_per_s(const ClusterSetup& setup, const Placed& placed) {
  std::vector<int> placement;
  for (const Tasks& here : *placed.layout)
    if (here.workers > 0) placement.push_back(here.workers);
  return 1 / type_of(setup, *placed.job).profile->iteration_s(placement, placed.job->samples);
}

std::vector<double> pair_rates(const ClusterSetup& setup, std::span<const Placed> running) {
  std::vector<std::vector<int>> types(setup.servers.size());
  for (const Placed& placed : running) types[server_of(*placed.layout)].push_back(placed.job->type);
  std::vector<double> rates;
  for (const Placed& placed : running) {
    const std::size_t m = server_of(*placed.layout);
    const int kind = setup.servers[m].kind, own = placed.job->type;
    double rate = setup.pair_table->alone(kind, own);
    if (types[m].size() == 2)
      rate *= setup.pair_table->share({kind, own, types[m][0] == own ? types[m][1] : types[m][0]});
    rates.push_back(rate);
  }
  return rates;
}

}  // namespace

Room empty_room(const ClusterSetup& setup) { return setup.servers; }

bool fits(const ClusterSetup& setup, const ServerShape& room, const Tasks& tasks) {
  return room.cpus >= tasks.total() && (setup.gpus() == 0 || room.gpus >= tasks.workers);
}

void take(const ClusterSetup& setup, ServerShape& room, const Tasks& tasks, int sign) {
  room.cpus -= sign * tasks.total();
  if (setup.gpus() > 0) room.gpus -= sign * tasks.workers;
}

Tasks total_of(const Layout& layout) {
  Tasks sum;
  for (const Tasks& here : layout) {
    sum.workers += here.workers;
    sum.servers += here.servers;
  }
  return sum;
}

std::size_t server_of(const Layout& layout) {
  std::size_t m = 0;
  while (m + 1 < layout.size() && layout[m].workers == 0) ++m;
  return m;
}

std::vector<double> normalized_speeds(const ClusterSetup& setup, std::span<const Placed> running) {
  if (setup.rule != SpeedRule::interference) return std::vector<double>(running.size(), 1);
  auto speeds = step_times(setup, running);
  for (std::size_t i = 0; i < running.size(); ++i)
    speeds[i] = alone_s(setup, *running[i].job, total_of(*running[i].layout)) / speeds[i];
  return speeds;
}

double exchange_s(double model_mb, double bandwidth_mb_s, const Layout& layout) {
  const Tasks all = total_of(layout);
  if (all.servers == 0) return 0;
  double most = 0;
  for (const Tasks& here : layout) {
    const double part = model_mb / all.servers / bandwidth_mb_s;
    if (here.servers > 0) most = std::max(most, part * (all.workers - here.workers));
    if (here.workers > 0) most = std::max(most, part * (all.servers - here.servers));
  }
  return most;
}

double steps_per_s(const ClusterSetup& setup, const Job& job, const Tasks& tasks,
                   const Layout* layout) {
  if (tasks.workers < 1 || tasks.servers < 1) return 0;
  const JobType& type = type_of(setup, job);
  if (type.speed) return type.speed->steps_per_s(tasks.servers, tasks.workers);
  const ParameterServers& rule = setup.exchange;
  const double w = tasks.workers, p = tasks.servers;
  const double moved = layout != nullptr ? exchange_s(type.model_mb, rule.bandwidth_mb_s, *layout)
                                         : type.model_mb / p / rule.bandwidth_mb_s * std::max(w, p);
  const double rest = 2 * moved + rule.update_s_per_mb * type.model_mb * w / p + rule.worker_s * w +
                      rule.server_s * p;
  switch (job.mode) {
    case forecast::UpdateMode::sync:
      return 1 / (type.compute_s * rule.batches_per_step / w + rest);
    case forecast::UpdateMode::async:
      return w / (type.compute_s + rest) / rule.batches_per_step;
  }
  return 0;
}

double packed_steps_per_s(const ClusterSetup& setup, const Job& job, int workers) {
  int largest = 1;
  for (const ServerShape& server : setup.servers)
    largest = std::max(largest, setup.gpus() > 0 ? server.gpus : server.cpus);
  std::vector<int> placement;
  for (int left = workers; left > 0; left -= placement.back())
    placement.push_back(std::min(left, largest));
  if (placement.empty()) return 0;
  return 1 / type_of(setup, job).profile->iteration_s(placement, job.samples);
}

std::vector<double> rates_of(const ClusterSetup& setup, std::span<const Placed> running) {
  std::vector<double> rates;
  switch (setup.rule) {
    case SpeedRule::interference:
    case SpeedRule::fixed:
      return normalized_speeds(setup, running);
    case SpeedRule::parameter_servers:
      for (const Placed& placed : running)
        rates.push_back(steps_per_s(setup, *placed.job, total_of(*placed.layout), placed.layout));
      return rates;
    case SpeedRule::pairs:
      return pair_rates(setup, running);
    case SpeedRule::measured:
      for (const Placed& placed : running) rates.push_back(measured_steps_per_s(setup, placed));
      return rates;
  }
  return rates;
}

}  // namespace hone::cluster
