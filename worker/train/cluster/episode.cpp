#include "worker/train/cluster/episode.hpp"

#include <algorithm>
#include <numeric>

namespace hone::trainers {
namespace {

using cluster::ActiveJob;
using cluster::Decision;
using cluster::Grant;
using cluster::Layout;
using cluster::Partial;
using cluster::Placed;
using cluster::View;

double free_share(const cluster::ClusterSetup& setup, const Partial& partial, std::size_t server) {
  const auto& whole = setup.servers[server];
  const auto& room = partial.free[server];
  const double cpus = static_cast<double>(room.cpus) / whole.cpus;
  return whole.gpus > 0 ? (static_cast<double>(room.gpus) / whole.gpus + cpus) / 2 : cpus;
}

// Workers first; to the least loaded server, or to the fullest that has room.
std::size_t by_rule(const cluster::ClusterSetup& setup, const Partial& partial,
                    const Decision& decision, bool balance) {
  std::size_t best = 0;
  double most = 0;
  for (std::size_t i = 0; i < decision.open.size(); ++i) {
    const double share = free_share(setup, partial, decision.open[i].server);
    const double first = decision.open[i].kind == cluster::TaskKind::worker ? 10 : 0;
    const double score = first + (balance ? share : 1 - share);
    if (i > 0 && score <= most) continue;
    best = i;
    most = score;
  }
  return best;
}

// Plays one episode; collects the decisions of an interval until its reward is known.
class EpisodePlayer {
 public:
  EpisodePlayer(const EpisodePlan& plan, Rng& rng) : plan_(plan), rng_(rng) {}

  std::optional<Layout> place(const View& view, const Grant& grant) {
    if (view.now_s != interval_s_) begin(view);
    std::vector<Placed> running = running_of(view);
    const auto occupancy = cluster::occupancy_of(plan_.setup, running);
    Partial partial = cluster::partial_of(view, grant);
    const std::size_t before = pending_.size();
    while (partial.left.total() > 0) {
      Decision decision = cluster::decision_of(plan_.setup, occupancy, partial);
      if (decision.open.empty()) {
        pending_.resize(before);
        return std::nullopt;
      }
      const auto action = decide(partial, std::move(decision));
      cluster::apply(plan_.setup, partial, action);
    }
    ++placed_;
    running.push_back({view.active[grant.index].job, &partial.layout});
    reward_ = reward_of(running);
    return std::move(partial.layout);
  }

  // Call after the interval.
  void end() {
    for (Experience& item : pending_) {
      item.reward = (reward_ - before_) / placed_;
      done_.push_back(std::move(item));
    }
    pending_.clear();
  }
  std::vector<Experience> take() { return std::move(done_); }

 private:
  void begin(const View& view) {
    interval_s_ = view.now_s;
    placed_ = 0;
    const auto running = running_of(view);
    before_ = reward_ = reward_of(running);
    state_ = cluster::value_input(
        view, running.empty() ? 1 : before_ / static_cast<double>(running.size()));
    pending_.clear();
  }

  [[nodiscard]] double weight_of(const cluster::Job& job) const {
    switch (plan_.rule) {
      case RewardRule::speed:
        return 1;
      case RewardRule::progress:
        return std::min(1.0, plan_.setup.interval_s / std::max(job.work, 1.0));
    }
    return 1;
  }

  [[nodiscard]] double reward_of(const std::vector<Placed>& running) const {
    const auto speeds = plan_.speeds(plan_.setup, running);
    double sum = 0;
    for (std::size_t i = 0; i < speeds.size(); ++i) sum += weight_of(*running[i].job) * speeds[i];
    return sum;
  }

  static std::vector<Placed> running_of(const View& view) {
    std::vector<Placed> running;
    for (const ActiveJob& active : view.active)
      if (!active.layout.empty()) running.push_back({active.job, &active.layout});
    return running;
  }

  cluster::Action decide(const Partial& partial, Decision decision) {
    const auto probabilities = plan_.model.agent.probabilities(decision.inputs);
    const std::size_t balance = by_rule(plan_.setup, partial, decision, true);
    const std::size_t pack = by_rule(plan_.setup, partial, decision, false);
    std::size_t chosen = 0;
    if (rng_.uniform() < plan_.exploration) {
      chosen = rng_.uniform() < 0.5 ? balance : pack;
    } else {
      double left = rng_.uniform();
      while (chosen + 1 < probabilities.size() && left >= probabilities[chosen])
        left -= probabilities[chosen++];
    }
    const double by_rules = ((chosen == balance ? 0.5 : 0) + (chosen == pack ? 0.5 : 0));
    const double probability =
        plan_.exploration * by_rules + (1 - plan_.exploration) * probabilities[chosen];
    const auto action = decision.open[chosen];
    pending_.push_back({std::move(decision.inputs), chosen, probability, state_, 0});
    return action;
  }

  const EpisodePlan& plan_;
  Rng& rng_;
  double interval_s_ = -1;
  double before_ = 0, reward_ = 0;
  int placed_ = 0;
  std::vector<double> state_;
  std::vector<Experience> pending_, done_;
};

}  // namespace

std::vector<Experience> play_episode(const EpisodePlan& plan, Rng& rng) {
  const std::uint64_t seed = rng.bits();
  const auto jobs = cluster::draw_jobs(plan.setup, seed);
  EpisodePlayer player(plan, rng);
  cluster::Simulation simulation(plan.setup, jobs, seed, plan.speeds);
  const cluster::Scheduler scheduler{
      cluster::find_allocation("fifo"),
      [&](const View& view, const Grant& grant, Rng&) { return player.place(view, grant); }};
  int idle = 0;
  for (bool more = true; more && idle < idle_intervals_max;) {
    more = simulation.step(scheduler);
    idle = simulation.progress() > 0 ? 0 : idle + 1;
    player.end();
  }
  return player.take();
}

}  // namespace hone::trainers
