// The rows of placement_table() and policy_table().
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "server/cluster/policies.hpp"

namespace hone::cluster {
namespace {

// Adds tasks one by one, each to the server with the highest score of those where it fits.
template <class Score>
std::optional<Layout> task_by_task(const View& view, const Tasks& tasks, const Score& score) {
  Layout layout(view.free.size());
  Room room = view.free;
  for (int i = 0; i < tasks.total(); ++i) {
    const Tasks task = i < tasks.workers ? Tasks{1, 0} : Tasks{0, 1};
    std::size_t best = room.size();
    double most = 0;
    for (std::size_t m = 0; m < room.size(); ++m) {
      if (!fits(*view.setup, room[m], task)) continue;
      const double here = score(m, room, layout, task);
      if (best == room.size() || here > most) {
        best = m;
        most = here;
      }
    }
    if (best == room.size()) return std::nullopt;
    take(*view.setup, room[best], task);
    layout[best].workers += task.workers;
    layout[best].servers += task.servers;
  }
  return layout;
}

// The share of a server that is free, of the resource of which least is.
double free_share(const View& view, std::size_t m, const ServerShape& room) {
  const ServerShape& whole = view.setup->servers[m];
  const double cpus = whole.cpus > 0 ? static_cast<double>(room.cpus) / whole.cpus : 0;
  return whole.gpus > 0 ? (static_cast<double>(room.gpus) / whole.gpus + cpus) / 2 : cpus;
}

std::optional<Layout> balanced(const View& view, const Grant& grant, Rng&) {
  return task_by_task(view, grant.tasks,
                      [&](std::size_t m, const Room& room, const Layout&, const Tasks&) {
                        return free_share(view, m, room[m]);
                      });
}

std::optional<Layout> packed(const View& view, const Grant& grant, Rng&) {
  return task_by_task(view, grant.tasks,
                      [&](std::size_t m, const Room& room, const Layout&, const Tasks&) {
                        return -free_share(view, m, room[m]);
                      });
}

std::optional<Layout> anywhere(const View& view, const Grant& grant, Rng& rng) {
  return task_by_task(
      view, grant.tasks,
      [&](std::size_t, const Room&, const Layout&, const Tasks&) { return rng.uniform(); });
}

// `count` tasks over `over` servers as evenly as possible: how many the i-th gets.
int even_share(int count, std::size_t over, std::size_t i) {
  const auto n = static_cast<int>(over);
  return count / n + (static_cast<int>(i) < count % n ? 1 : 0);
}

// Optimus, section 4.2: servers by free CPU, the fewest of them that hold the job spread evenly.
// The remainders of workers go to the first servers, those of parameter servers to the last, so
// that both are level. Servers of different sizes may hold no even layout at all: then the job is
// packed, as it would wait permanently.
std::optional<Layout> even(const View& view, const Grant& grant, Rng& rng) {
  std::vector<std::size_t> order(view.free.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return view.free[a].cpus > view.free[b].cpus;
  });
  for (std::size_t k = 1; k <= order.size(); ++k) {
    Layout layout(view.free.size());
    bool fitting = true;
    for (std::size_t i = 0; i < k && fitting; ++i) {
      const Tasks here{even_share(grant.tasks.workers, k, i),
                       even_share(grant.tasks.servers, k, k - 1 - i)};
      fitting = fits(*view.setup, view.free[order[i]], here);
      layout[order[i]] = here;
    }
    if (fitting) return layout;
  }
  return packed(view, grant, rng);
}

// Pollux's simulator: the emptiest server first, as many tasks as fit.
std::optional<Layout> filled(const View& view, const Grant& grant, Rng&) {
  return task_by_task(view, grant.tasks,
                      [](std::size_t m, const Room& room, const Layout& layout, const Tasks&) {
                        return layout[m].total() > 0 ? 2.0 * slots_max : room[m].cpus;
                      });
}

// Least interference first with a linear model: a worker goes where it and its neighbours slow each
// other down the least; a parameter server next to the job's workers.
std::optional<Layout> least_interference(const View& view, const Grant& grant, Rng&) {
  const auto slow = pair_slowdowns(*view.setup);
  const auto own = static_cast<std::size_t>(view.active[grant.index].job->type);
  return task_by_task(
      view, grant.tasks,
      [&](std::size_t m, const Room& room, const Layout& layout, const Tasks& task) {
        const double tie = 1e-6 * free_share(view, m, room[m]);
        if (task.servers > 0) return layout[m].workers + tie;
        double added = 2 * layout[m].workers * slow[own][own];
        for (const ActiveJob& other : view.active) {
          if (other.layout.empty()) continue;
          const auto type = static_cast<std::size_t>(other.job->type);
          added += other.layout[m].workers * (slow[own][type] + slow[type][own]);
        }
        return tie - added;
      });
}

// The sum of the relative speeds of all running jobs, this one included.
double total_speed(const View& view, const Grant& grant, const Layout& layout) {
  std::vector<Placed> running;
  for (const ActiveJob& active : view.active)
    if (!active.layout.empty()) running.push_back({active.job, &active.layout});
  running.push_back({view.active[grant.index].job, &layout});
  if (view.setup->rule == SpeedRule::parameter_servers || view.setup->rule == SpeedRule::measured)
    return rates_of(*view.setup, running).back();
  const auto speeds = normalized_speeds(*view.setup, running);
  return std::accumulate(speeds.begin(), speeds.end(), 0.0);
}

// By the true model.
std::optional<Layout> best_known(const View& view, const Grant& grant, Rng& rng) {
  return best_of_candidates(view, grant, rng,
                            [&](const Layout& layout) { return total_speed(view, grant, layout); });
}

constexpr std::array<PlacementRow, 10> placements{{
    {"balance", "each task to the least loaded server", balanced},
    {"pack", "each task to the fullest server that has room", packed},
    {"even", "Optimus: the fewest servers, tasks spread evenly over them", even},
    {"fill", "the emptiest server first, as many tasks as fit", filled},
    {"lif-linear", "least added interference by a linear model of pairs", least_interference},
    {"random", "each task to any server that has room", anywhere},
    {"alone", "a GPU for the job alone, the fastest that is free", place_alone, keeps_alone},
    {"together", "a GPU for the job alone, or any with room", place_together, keeps_together},
    {"pairs", "where the speeds of all jobs gain most by what is known of pairs", place_by_pairs,
     keeps_pair},
    {"search", "the best of 30 random placements and all rules, by the true speeds", best_known},
}};

constexpr std::array<PolicyRow, 20> policies{{
    {"fifo", "fifo", "balance", "first come, first served"},
    {"fair", "fair", "balance", "dominant resource fairness (Ghodsi et al., 2011)"},
    {"srtf", "srtf", "balance", "shortest remaining time first"},
    {"tetris", "tetris", "pack", "packing and remaining time (Grandl et al., 2014)"},
    {"las", "las", "balance", "least attained service (Tiresias: Gu et al., 2019)"},
    {"optimus", "gain", "even", "marginal gain, even placement (Peng et al., 2018)"},
    {"optimus-allocation", "gain", "balance", "only the allocation of optimus"},
    {"optimus-placement", "fair", "even", "only the placement of optimus"},
    {"optimus-fill", "gain", "fill", "optimus, placed as in the simulator of Pollux"},
    {"las-fill", "las", "fill", "las, placed as in the simulator of Pollux"},
    {"load-balancing", "fifo", "balance", "fifo with balanced servers"},
    {"packing", "fifo", "pack", "fifo with packed servers"},
    {"lif-linear", "fifo", "lif-linear", "fifo with least pairwise interference"},
    {"random", "fifo", "random", "fifo with random placement"},
    {"placement-oracle", "fifo", "search", "fifo, placed by the true speeds", true},
    {"never-pack", "fifo", "alone", "one job on a GPU", false, true},
    {"pack-all", "fifo", "together", "two jobs on a GPU when none is free", false, true},
    {"pack-measured", "fifo", "pairs", "two jobs where measured speeds of pairs gain", false, true},
    {"pack-oracle", "fifo", "pairs", "the same with the true speeds of pairs", true, true},
    {"oracle", "gain", "search", "knows the true speeds and remaining work", true},
}};

constexpr std::array<LearnedRow, 2> learned{{
    {"harmony", "fifo, placed by a policy network (Bao et al., 2019)"},
    {"learned-search", "fifo, placed by search with the speeds that a network predicts"},
}};

}  // namespace

std::span<const LearnedRow> learned_table() { return learned; }
std::span<const PlacementRow> placement_table() { return placements; }
std::span<const PolicyRow> policy_table() { return policies; }

const PlacementRow* find_placement(std::string_view name) {
  for (const PlacementRow& row : placements)
    if (row.name == name) return &row;
  return nullptr;
}

const PolicyRow* find_policy(std::string_view name) {
  for (const PolicyRow& row : policies)
    if (row.name == name) return &row;
  return nullptr;
}

bool suits(const PolicyRow& row, SpeedRule rule) { return row.pairs == (rule == SpeedRule::pairs); }

const LearnedRow* find_learned(std::string_view name) {
  for (const LearnedRow& row : learned)
    if (row.name == name) return &row;
  return nullptr;
}

std::optional<Layout> best_of_candidates(const View& view, const Grant& grant, Rng& rng,
                                         const std::function<double(const Layout&)>& score) {
  constexpr int candidates = 30;
  std::optional<Layout> best;
  double most = 0;
  const auto consider = [&](std::optional<Layout> layout) {
    if (!layout) return;
    const double here = score(*layout);
    if (best && here <= most) return;
    best = std::move(layout);
    most = here;
  };
  for (const auto place : {balanced, packed, even, least_interference})
    consider(place(view, grant, rng));
  for (int i = 0; i < candidates; ++i) consider(anywhere(view, grant, rng));
  return best;
}

std::vector<std::vector<double>> pair_slowdowns(const ClusterSetup& setup) {
  const std::size_t types = setup.types.size();
  std::vector<std::vector<double>> slow(types, std::vector<double>(types, 0));
  if (setup.rule != SpeedRule::interference) return slow;
  const Layout together{{1, 1}};  // pair runs: both on one server that has room
  ClusterSetup one = setup;
  one.servers = {{slots_max, slots_max}};
  for (std::size_t a = 0; a < types; ++a)
    for (std::size_t b = 0; b < types; ++b) {
      Job first, second;
      first.type = static_cast<int>(a);
      second.type = static_cast<int>(b);
      const std::array running{Placed{&first, &together}, Placed{&second, &together}};
      slow[a][b] = 1 / normalized_speeds(one, running).front() - 1;
    }
  return slow;
}

}  // namespace hone::cluster
