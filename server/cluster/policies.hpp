// Scheduling policies: what every job gets (allocation) and where its tasks run (placement). Both
// are rows of tables, and a policy is a pair of them, so that each half can be swapped alone.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/rng.hpp"
#include "server/cluster/rates.hpp"

namespace hone::cluster {

// A job in the system as a policy sees it.
struct ActiveJob {
  const Job* job = nullptr;
  int id = 0;           // index of the job
  Layout layout;        // empty: waits
  double attained = 0;  // slot-seconds so far
  // Estimates, or the truth for a policy that knows it.
  double remaining = 0;                       // work left
  std::function<double(const Tasks&)> speed;  // of that work, a second
  double share_done = 0;                      // of all its work
};

struct View {
  const ClusterSetup* setup = nullptr;
  double now_s = 0;
  std::span<const ActiveJob> active;  // by arrival
  Room free;                          // without the jobs that keep their place
  // pairs: estimates, or the truth for a policy that knows it. The share of its speed that the type
  // of the key keeps, and whether that pair is not worth a GPU.
  std::function<double(const PairKey&)> pair_share = nullptr;
  std::function<bool(const PairKey&)> pair_useless = nullptr;
};

// Tasks for the job active[index].
struct Grant {
  std::size_t index = 0;
  Tasks tasks;
};

struct AllocationRow {
  std::string_view name;
  std::string_view summary;
  // Grants in the order in which they are placed; a job without one waits.
  std::vector<Grant> (*allocate)(const View& view);
};

// Returns the layout of the grant in `view.free`, or nothing if it does not fit. `view.active`
// holds the layouts of all jobs that run or were placed before.
using Place = std::function<std::optional<Layout>(const View& view, const Grant& grant, Rng& rng)>;

// The rows of placement_table() for the rule `pairs` (pair_placing.cpp): a GPU for the job
// alone, any GPU with room, and where the speeds of all jobs together gain most.
std::optional<Layout> place_alone(const View& view, const Grant& grant, Rng& rng);
std::optional<Layout> place_together(const View& view, const Grant& grant, Rng& rng);
std::optional<Layout> place_by_pairs(const View& view, const Grant& grant, Rng& rng);
// Whether a job may stay where it was, as another may have been placed there before it.
bool keeps_alone(const View& view, const Grant& grant, const Layout& layout);
bool keeps_together(const View& view, const Grant& grant, const Layout& layout);
bool keeps_pair(const View& view, const Grant& grant, const Layout& layout);

// The layout with the highest score among those of the rules balance, pack, even and lif-linear,
// and of 30 random placements.
std::optional<Layout> best_of_candidates(const View& view, const Grant& grant, Rng& rng,
                                         const std::function<double(const Layout&)>& score);

struct PlacementRow {
  std::string_view name;
  std::string_view summary;
  std::optional<Layout> (*place)(const View& view, const Grant& grant, Rng& rng);
  // Whether a job that ran there may stay, as far as `place` is concerned; nullptr: it may.
  bool (*keeps)(const View& view, const Grant& grant, const Layout& layout) = nullptr;
};

struct PolicyRow {
  std::string_view name;
  std::string_view allocation;
  std::string_view placement;
  std::string_view summary;
  bool knows = false;  // the true speeds and remaining work
  bool pairs = false;  // for the rule `pairs`, and for no other
};

// Policies whose placement is learned: a file names the model. The allocation is fifo.
struct LearnedRow {
  std::string_view name;
  std::string_view summary;
};

std::span<const LearnedRow> learned_table();
std::span<const AllocationRow> allocation_table();
std::span<const PlacementRow> placement_table();
std::span<const PolicyRow> policy_table();
// nullptr if there is none of that name.
const AllocationRow* find_allocation(std::string_view name);
const PlacementRow* find_placement(std::string_view name);
const PolicyRow* find_policy(std::string_view name);
const LearnedRow* find_learned(std::string_view name);
// Whether the policy places jobs of that rule.
bool suits(const PolicyRow& row, SpeedRule rule);

// Pairwise interference (LIF-Linear): what one worker of type b on its server adds to the relative
// step time of type a. [a][b].
std::vector<std::vector<double>> pair_slowdowns(const ClusterSetup& setup);

}  // namespace hone::cluster
