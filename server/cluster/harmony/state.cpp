#include "server/cluster/harmony/state.hpp"

#include <algorithm>

namespace hone::cluster {
namespace {

constexpr double task_scale = 4;  // counts of tasks are divided by it

void push_type(std::vector<double>& input, std::size_t types, int type) {
  input.resize(input.size() + types, 0);
  input[input.size() - types + static_cast<std::size_t>(type)] = 1;
}

void push_counts(std::vector<double>& input, std::span<const double> counts) {
  for (const double count : counts) input.push_back(count / task_scale);
}

double remote_pairs(const Tasks& here, const Tasks& all) {
  if (all.servers == 0) return 0;
  return static_cast<double>(here.workers * (all.servers - here.servers) +
                             here.servers * (all.workers - here.workers)) /
         all.servers;
}

double share(int part, int whole) { return whole > 0 ? static_cast<double>(part) / whole : 0; }

}  // namespace

void add_job(Occupancy& occupancy, const Job& job, const Layout& layout) {
  const Tasks all = total_of(layout);
  const auto type = static_cast<std::size_t>(job.type);
  for (std::size_t m = 0; m < layout.size(); ++m) {
    if (layout[m].total() == 0) continue;
    double* counts = &occupancy.counts[m * 3 * occupancy.types];
    counts[type] += layout[m].workers;
    counts[occupancy.types + type] += layout[m].servers;
    counts[2 * occupancy.types + type] += remote_pairs(layout[m], all);
  }
}

Occupancy occupancy_of(const ClusterSetup& setup, std::span<const Placed> running) {
  Occupancy out{setup.types.size(),
                std::vector<double>(setup.servers.size() * 3 * setup.types.size(), 0)};
  for (const Placed& placed : running) add_job(out, *placed.job, *placed.layout);
  return out;
}

std::size_t speed_inputs(std::size_t types) { return 4 * types + 7; }

std::vector<double> speed_input(const Occupancy& occupancy, const Placed& placed,
                                std::size_t server) {
  const Tasks all = total_of(*placed.layout);
  const Tasks& here = (*placed.layout)[server];
  std::vector<double> input;
  input.reserve(speed_inputs(occupancy.types));
  push_type(input, occupancy.types, placed.job->type);
  push_counts(input, occupancy.of(server));
  const double elsewhere = all.servers - here.servers;
  for (const double count :
       {static_cast<double>(here.workers), static_cast<double>(here.servers),
        static_cast<double>(all.workers), static_cast<double>(all.servers), elsewhere})
    input.push_back(count / task_scale);
  input.push_back(here.workers > 0 && all.servers > 0 ? elsewhere / all.servers : 0);
  input.push_back(here.servers > 0 ? share(all.workers - here.workers, all.servers) / task_scale
                                   : 0);
  return input;
}

Partial partial_of(const View& view, const Grant& grant) {
  return {view.active[grant.index].job, grant.tasks, Layout(view.free.size()), view.free};
}

void apply(const ClusterSetup& setup, Partial& partial, const Action& action) {
  const Tasks task = action.kind == TaskKind::worker ? Tasks{1, 0} : Tasks{0, 1};
  take(setup, partial.free[action.server], task);
  Tasks& here = partial.layout[action.server];
  here.workers += task.workers;
  here.servers += task.servers;
  partial.left.workers -= task.workers;
  partial.left.servers -= task.servers;
}

std::vector<Action> open_actions(const ClusterSetup& setup, const Partial& partial) {
  std::vector<Action> open;
  for (std::size_t m = 0; m < partial.free.size(); ++m) {
    if (partial.left.workers > 0 && fits(setup, partial.free[m], {1, 0}))
      open.push_back({TaskKind::worker, m});
    if (partial.left.servers > 0 && fits(setup, partial.free[m], {0, 1}))
      open.push_back({TaskKind::server, m});
  }
  return open;
}

std::size_t action_inputs(std::size_t types) { return 4 * types + 15; }

std::vector<double> action_input(const ClusterSetup& setup, const Occupancy& occupancy,
                                 const Partial& partial, const Action& action) {
  const std::size_t m = action.server;
  const Tasks placed = total_of(partial.layout);
  const Tasks& here = partial.layout[m];
  const ServerShape& room = partial.free[m];
  const ServerShape& whole = setup.servers[m];
  int roomier = 0, used = 0;  // servers with more GPUs free; servers that the job uses
  for (std::size_t other = 0; other < partial.free.size(); ++other) {
    roomier += partial.free[other].gpus > room.gpus ? 1 : 0;
    used += partial.layout[other].total() > 0 ? 1 : 0;
  }
  const auto servers = static_cast<int>(partial.free.size());
  std::vector<double> input;
  input.reserve(action_inputs(occupancy.types));
  push_type(input, occupancy.types, partial.job->type);
  push_counts(input, occupancy.of(m));
  const bool worker = action.kind == TaskKind::worker;
  input.push_back(worker ? 1 : 0);
  input.push_back(worker ? 0 : 1);
  for (const int count : {partial.left.workers, partial.left.servers, here.workers, here.servers,
                          placed.workers - here.workers, placed.servers - here.servers})
    input.push_back(count / task_scale);
  input.push_back(share(room.gpus, whole.gpus));
  input.push_back(share(room.cpus, whole.cpus));
  // Whether all that is left would fit here, each kind alone.
  input.push_back(fits(setup, room, {partial.left.workers, 0}) ? 1 : 0);
  input.push_back(fits(setup, room, {0, partial.left.servers}) ? 1 : 0);
  input.push_back(room.gpus == whole.gpus && room.cpus == whole.cpus ? 1 : 0);
  input.push_back(share(roomier, servers));
  input.push_back(share(used, servers));
  return input;
}

std::size_t value_inputs(std::size_t types) { return 3 * types + 4; }

std::vector<double> value_input(const View& view, double running_speed) {
  const std::size_t types = view.setup->types.size();
  const double scale = view.setup->cpus();
  std::vector<double> input(3 * types, 0);
  int jobs = 0;
  for (const ActiveJob& active : view.active) {
    const bool runs = !active.layout.empty();
    const auto type = static_cast<std::size_t>(active.job->type);
    const Tasks tasks = runs ? total_of(active.layout) : active.job->wanted;
    input[(runs ? 0 : types) + type] += tasks.workers * 4 / scale;
    input[2 * types + type] += tasks.servers * 4 / scale;
    jobs += runs ? 1 : 0;
  }
  ServerShape free;
  for (const ServerShape& room : view.free) {
    free.gpus += room.gpus;
    free.cpus += room.cpus;
  }
  input.push_back(share(free.gpus, view.setup->gpus()));
  input.push_back(share(free.cpus, view.setup->cpus()));
  input.push_back(share(jobs, static_cast<int>(view.free.size())));
  input.push_back(running_speed);
  return input;
}

}  // namespace hone::cluster
