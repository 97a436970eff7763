#include "worker/train/actor_critic/crew.hpp"

#include <algorithm>

namespace hone::ga3c {
namespace {

class QueueCrew final : public Crew {
 public:
  explicit QueueCrew(const Workplace& place)
      : Crew(place),
        predictions_({static_cast<std::size_t>(place.options.most.agents), 0,
                      place.options.predict_rows_max}),
        training_({pieces_max(place.options), 0, place.options.train_samples_max}) {}
  ~QueueCrew() override {
    join_players();
    predictions_.close();
    training_.close();
  }

  void employ(const Staff& staff, std::vector<Player>& players) override {
    for (; predictors_ < staff.predictors; ++predictors_) hire_predictor();
    for (; predictors_ > staff.predictors; --predictors_) predictions_.dismiss();
    for (; trainers_ < staff.trainers; ++trainers_) hire_trainer();
    for (; trainers_ > staff.trainers; --trainers_) training_.dismiss();
    Crew::employ(staff, players);
  }

  QueueMeters take_meters() override { return {predictions_.take_meter(), training_.take_meter()}; }

 private:
  static std::size_t pieces_max(const Options& options) {
    const int each = std::max(options.envs_per_agent, options.parity_slots());
    return static_cast<std::size_t>(options.most.agents) * static_cast<std::size_t>(each);
  }

  std::unique_ptr<Services> services_of(int) override {
    return std::make_unique<QueuedServices>(predictions_, training_, tools(), place().master);
  }

  void hire_predictor() {
    predictions_.hire();
    servers_.emplace_back([this] {
      auto own = tools();
      predictions_.serve_until_dismissed([&](const auto& batch) {
        own.predictor.serve(batch, place().master.weights().read().view());
      });
    });
  }

  void hire_trainer() {
    training_.hire();
    servers_.emplace_back([this] {
      auto own = tools();
      training_.serve_until_dismissed([&](const auto& batch) {
        own.learner.serve(batch, place().master.weights().read().view());
      });
    });
  }

  PredictionDesk predictions_;
  TrainingDesk training_;
  int predictors_ = 0;
  int trainers_ = 0;
  std::vector<std::jthread> servers_;
};

class A3cCrew final : public Crew {
 public:
  using Crew::Crew;
  ~A3cCrew() override { join_players(); }

 private:
  std::unique_ptr<Services> services_of(int) override {
    return std::make_unique<OwnServices>(tools(), place().master);
  }
};

class A2cCrew final : public Crew {
 public:
  explicit A2cCrew(const Workplace& place)
      : Crew(place), round_(place.options.staff.agents, place.master) {}
  ~A2cCrew() override { join_players(); }

 private:
  std::unique_ptr<Services> services_of(int agent) override {
    return std::make_unique<JointServices>(tools(), place().master, round_, agent);
  }

  Round round_;
};

}  // namespace

void Crew::employ(const Staff& staff, std::vector<Player>& players) {
  threads_.resize(std::max(threads_.size(), players.size()));
  for (std::size_t i = 0; i < players.size(); ++i)
    if (static_cast<int>(i) < staff.agents)
      start(static_cast<int>(i), players[i]);
    else
      players[i].shift->send_home();
}

void Crew::start(int i, Player& player) {
  auto& thread = threads_[static_cast<std::size_t>(i)];
  if (thread.joinable() && !player.shift->is_home()) return;  // it plays, or the phase is over
  if (thread.joinable()) thread.join();
  player.shift->call_back();
  {
    const std::scoped_lock lock(mutex_);
    ++playing_;
  }
  // Not by the player's address: the list of players may grow.
  thread = std::jthread([this, i, &agent = *player.agent, &shift = *player.shift] {
    {
      const auto services = services_of(i);
      agent.play(shift, place_.episodes, *services);
    }
    const std::scoped_lock lock(mutex_);
    --playing_;
    somebody_left_.notify_one();
  });
}

bool Crew::wait_until(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return somebody_left_.wait_until(lock, deadline, [&] { return playing_ == 0; });
}

Tools Crew::tools() const {
  const auto& options = place_.options;
  return {Predictor(options.net, options.predict_rows_needed(), options.networks),
          Learner(options.net, options.train_samples_needed(), options.networks, place_.master)};
}

std::unique_ptr<Crew> make_crew(const Workplace& place) {
  switch (place.options.scheme) {
    case Scheme::ga3c:
      return std::make_unique<QueueCrew>(place);
    case Scheme::a3c:
      return std::make_unique<A3cCrew>(place);
    case Scheme::a2c:
      break;
  }
  return std::make_unique<A2cCrew>(place);
}

}  // namespace hone::ga3c
