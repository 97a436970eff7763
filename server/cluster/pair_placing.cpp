// Placements of the rule `pairs`: a server is a GPU with room for two jobs of one worker.
#include <algorithm>
#include <functional>

#include "server/cluster/policies.hpp"

namespace hone::cluster {
namespace {

constexpr double explored_share = 0.05;  // of the choices of a neighbour: the second best

// The type of the job that is on the server; nothing if it is empty.
std::optional<int> neighbour_on(const View& view, std::size_t m) {
  for (const ActiveJob& active : view.active)
    if (!active.layout.empty() && active.layout[m].workers > 0) return active.job->type;
  return std::nullopt;
}

struct Candidate {
  std::size_t server = 0;
  double score = 0;
  bool pair = false;
};

// The speed that the job gains, minus what its neighbour loses; nothing if they should not share.
using PairScore = std::optional<double> (*)(const View& view, const PairKey& key);

std::optional<double> best_sum(const View& view, const PairKey& key) {
  const double own = view.pair_share(key), others = view.pair_share(turned(key));
  if (view.pair_useless(key) || own + others < pair_gain_min) return std::nullopt;
  const PairTable& table = *view.setup->pair_table;
  return table.alone(key.kind, key.type) * own - table.alone(key.kind, key.other) * (1 - others);
}

// Behind every empty GPU.
std::optional<double> any_neighbour(const View& view, const PairKey& key) {
  return view.setup->pair_table->alone(key.kind, key.type) * 1e-6;
}

std::optional<double> no_neighbour(const View&, const PairKey&) { return std::nullopt; }

std::vector<Candidate> candidates_of(const View& view, const Grant& grant, PairScore score) {
  const ClusterSetup& setup = *view.setup;
  const int own = view.active[grant.index].job->type;
  std::vector<Candidate> candidates;
  for (std::size_t m = 0; m < view.free.size(); ++m) {
    if (!fits(setup, view.free[m], grant.tasks)) continue;
    const int kind = setup.servers[m].kind;
    const auto other = neighbour_on(view, m);
    if (!other) {
      candidates.push_back({m, setup.pair_table->alone(kind, own), false});
      continue;
    }
    const PairKey key{kind, own, *other};
    if (setup.pair_table->share(key) <= 0) continue;  // their memory is known
    if (const auto value = score(view, key)) candidates.push_back({m, *value, true});
  }
  std::ranges::stable_sort(candidates, std::greater<>{}, &Candidate::score);
  return candidates;
}

std::optional<Layout> layout_on(const View& view, const Grant& grant, std::size_t server) {
  Layout layout(view.free.size());
  layout[server] = grant.tasks;
  return layout;
}

std::optional<Layout> first_of(const View& view, const Grant& grant, PairScore score) {
  const auto candidates = candidates_of(view, grant, score);
  if (candidates.empty()) return std::nullopt;
  return layout_on(view, grant, candidates.front().server);
}

// The job and the neighbour that it has there by now.
std::optional<PairKey> pair_at(const View& view, const Grant& grant, const Layout& layout) {
  const std::size_t m = server_of(layout);
  const auto other = neighbour_on(view, m);
  if (!other) return std::nullopt;
  return PairKey{view.setup->servers[m].kind, view.active[grant.index].job->type, *other};
}

}  // namespace

std::optional<Layout> place_alone(const View& view, const Grant& grant, Rng&) {
  return first_of(view, grant, no_neighbour);
}

std::optional<Layout> place_together(const View& view, const Grant& grant, Rng&) {
  return first_of(view, grant, any_neighbour);
}

std::optional<Layout> place_by_pairs(const View& view, const Grant& grant, Rng& rng) {
  const auto candidates = candidates_of(view, grant, best_sum);
  if (candidates.empty()) return std::nullopt;
  const bool choice = candidates.size() > 1 && candidates[0].pair && candidates[1].pair;
  const std::size_t chosen = choice && rng.uniform() < explored_share ? 1 : 0;
  return layout_on(view, grant, candidates[chosen].server);
}

bool keeps_alone(const View& view, const Grant& grant, const Layout& layout) {
  return !pair_at(view, grant, layout);
}

bool keeps_together(const View& view, const Grant& grant, const Layout& layout) {
  const auto key = pair_at(view, grant, layout);
  return !key || view.setup->pair_table->share(*key) > 0;
}

bool keeps_pair(const View& view, const Grant& grant, const Layout& layout) {
  const auto key = pair_at(view, grant, layout);
  return !key || (view.setup->pair_table->share(*key) > 0 && !view.pair_useless(*key));
}

}  // namespace hone::cluster
