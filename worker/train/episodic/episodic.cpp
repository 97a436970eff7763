#include "worker/train/episodic/episodic.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "schemas/types/metric.hpp"
#include "worker/train/episodic/game.hpp"
#include "worker/train/nn/adam.hpp"
#include "worker/train/nn/json_state.hpp"
#include "worker/train/run/json_file.hpp"
#include "worker/train/table.hpp"

namespace hone::trainers::episodic {
namespace {

constexpr std::size_t recent_episodes = 100;
constexpr int episode_steps_max = 100'000;  // of the setting
constexpr std::string_view format = "hone-episodic-2";
constexpr std::string_view cartpole_format = "hone-episodic-1";  // of hone 0.1.0: CartPole alone

PolicyShape shape_of(const envs::EnvSpec& spec, int hidden) {
  return {spec.observation_size, hidden, spec.actions};
}

class EpisodicTrainer : public Trainer {
 public:
  EpisodicTrainer(const TrainingJob& job, Game game, bool reinforce)
      : job_(job),
        reinforce_(reinforce),
        game_(std::move(game)),
        generator_(placement::RandomGenerator(job.seed).bits()),
        net_(shape_of(game_.spec(), job.settings.small_integer("hidden")), generator_) {}

  void advance(std::int64_t until_step, const std::stop_token& stop,
               const std::function<void()>& tick) override {
    const int batch = job_.settings.small_integer("batch");
    while (step_ < until_step && !stop.stop_requested()) {
      std::vector<Episode> episodes;
      for (int i = 0; i < batch; ++i) {
        episodes.push_back(game_.play(net_, generator_, false));
        note(episodes.back().total());
      }
      if (reinforce_)
        follow_returns(episodes);
      else
        copy_elites(episodes);
      tick();
    }
  }

  [[nodiscard]] std::int64_t step() const override { return step_; }
  [[nodiscard]] Score value() const override {
    if (recent_.empty()) return Score::of(0);
    return Score::of(std::accumulate(recent_.begin(), recent_.end(), 0.0) /
                     static_cast<double>(recent_.size()));
  }
  [[nodiscard]] std::optional<Solved> solved() const override { return solved_; }
  std::vector<MetricPoint> take_metrics() override {
    if (recent_.empty()) return {};
    return {{"last_return", recent_.back()}};
  }

  [[nodiscard]] Status save(const std::filesystem::path& path) const override {
    const Json document{{"format", format},
                        {"trainer", reinforce_ ? "reinforce" : "cem"},
                        {"hidden", job_.settings.integer("hidden")},
                        {"env", job_.settings.word("env")},
                        {"episode_steps", job_.settings.integer("episode_steps")},
                        {"game", game_.save()},
                        {"step", step_},
                        {"recent", recent_},
                        {"dice", generator_.state()},
                        {"weights", net_.weights()},
                        {"adam", adam_.state()}};
    std::ofstream file(path, std::ios::binary);
    file << to_text(document) << "\n";
    file.close();
    if (!file) return refuse(Code::invalid, "cannot write " + path.string());
    return Done{};
  }

  Status load(const std::filesystem::path& path) override;

 private:
  void note(double total) {
    ++step_;
    recent_.push_back(total);
    if (recent_.size() > recent_episodes) recent_.erase(recent_.begin());
    if (!solved_ && recent_.size() == recent_episodes && value().value() >= game_.goal())
      solved_ = Solved{step_, process_cpu_s()};
  }

  // One step that raises the probability of the actions of the best episodes.
  void copy_elites(const std::vector<Episode>& episodes) {
    std::vector<double> totals;
    for (const Episode& episode : episodes) totals.push_back(episode.total());
    const double bound = percentile(totals, job_.settings.real("percentile"));
    std::vector<double> gradient(net_.weights().size(), 0);
    double count = 0;
    for (const Episode& episode : episodes)
      if (episode.total() >= bound) count += static_cast<double>(episode.actions.size());
    for (const Episode& episode : episodes)
      if (episode.total() >= bound)
        for (std::size_t i = 0; i < episode.actions.size(); ++i) {
          net_.forward(episode.observations[i]);
          net_.add_gradient(episode.actions[i], 1 / count, gradient);
        }
    adam_.step(net_.weights(), gradient, -job_.settings.real("learning_rate"));
  }

  // One step along the gradient of the mean of return * log probability.
  void follow_returns(const std::vector<Episode>& episodes) {
    std::vector<double> returns;
    for (const Episode& episode : episodes) {
      const auto part = discounted(episode.rewards, job_.settings.real("gamma"));
      returns.insert(returns.end(), part.begin(), part.end());
    }
    if (job_.settings.word("standardize") == "yes") standardize(returns);
    std::vector<double> gradient(net_.weights().size(), 0);
    const double share = 1 / static_cast<double>(returns.size());
    std::size_t at = 0;
    for (const Episode& episode : episodes)
      for (std::size_t i = 0; i < episode.actions.size(); ++i) {
        net_.forward(episode.observations[i]);
        net_.add_gradient(episode.actions[i], share * returns[at++], gradient);
      }
    adam_.step(net_.weights(), gradient, -job_.settings.real("learning_rate"));
  }

  static void standardize(std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double square = 0;
    for (const double value : values) square += (value - mean) * (value - mean) / count;
    const double deviation = std::sqrt(square);
    for (double& value : values) value = deviation > 0 ? (value - mean) / deviation : 0;
  }

  TrainingJob job_;
  bool reinforce_;
  Game game_;
  placement::RandomGenerator generator_;
  PolicyNet net_;
  Adam adam_;
  std::int64_t step_ = 0;  // episodes
  std::vector<double> recent_;
  std::optional<Solved> solved_;
};

Result<Json> read_model(const std::filesystem::path& path) {
  auto document = read_json_file(path);
  if (document && has_format(*document, cartpole_format))
    (*document)["env"] = "CartPole-v1";
  else if (!document || !has_format(*document, format))
    return refuse(Code::not_found, path.string() + " is not a model of cem or reinforce");
  return *std::move(document);
}

Error damaged(const std::filesystem::path& path, const JsonState& reader) {
  return refuse(Code::invalid, path.string() + ": " + reader.status().error().detail);
}

Status EpisodicTrainer::load(const std::filesystem::path& path) {
  const auto document = read_model(path);
  if (!document) return document.error();
  JsonState reader(*document);
  std::string trainer;
  std::string env;
  std::vector<double> weights;
  std::vector<std::uint64_t> game;
  std::uint64_t random = 0;
  Json adam;
  const bool with_game = has_format(*document, format);  // otherwise it begins a new episode
  if (with_game) reader.read("game", game);
  reader.read("env", env).read("trainer", trainer).read("weights", weights).read("adam", adam);
  reader.read("step", step_).read("recent", recent_).read("dice", random);
  reader.require("step", step_ >= 0).require("recent", recent_.size() <= recent_episodes);
  if (!reader.sound()) return damaged(path, reader);
  if (weights.size() != net_.weights().size() || trainer != (reinforce_ ? "reinforce" : "cem") ||
      env != job_.settings.word("env"))
    return refuse(Code::invalid, path.string() + " was made by another trainer, in another " +
                                     "environment or with another number of hidden units");
  reader.require("game", !with_game || game_.restore(game));
  reader.require("adam", adam_.restore(adam, weights.size()));
  if (!reader.sound()) return damaged(path, reader);
  net_.weights() = std::move(weights);
  generator_ = placement::RandomGenerator(random);
  return Done{};
}

}  // namespace

namespace {

Result<std::unique_ptr<Trainer>> make(const TrainingJob& job, bool reinforce) {
  auto game =
      Game::make({job.settings.word("env"), job.settings.small_integer("episode_steps"), job.seed});
  if (!game) return std::move(game).error();
  return std::unique_ptr<Trainer>(
      std::make_unique<EpisodicTrainer>(job, *std::move(game), reinforce));
}

}  // namespace

Result<std::unique_ptr<Trainer>> make_cem(const TrainingJob& job) { return make(job, false); }
Result<std::unique_ptr<Trainer>> make_reinforce(const TrainingJob& job) { return make(job, true); }

Result<Evaluation> evaluate(const EvaluationPlan& plan) {
  const auto document = read_model(plan.model);
  if (!document) return document.error();
  JsonState reader(*document);
  std::vector<double> weights;
  std::string env;
  int hidden = 0;
  int steps = 0;
  reader.read("weights", weights).read("hidden", hidden).read("episode_steps", steps);
  reader.read("env", env);
  reader.require("hidden", hidden >= 1 && static_cast<std::size_t>(hidden) <= weights.size());
  reader.require("episode_steps", steps >= 0 && steps <= episode_steps_max);
  if (!reader.sound()) return damaged(plan.model, reader);
  if (!plan.env.empty()) env = plan.env;
  auto game = Game::make({env, steps, plan.seed});
  if (!game) return std::move(game).error();
  placement::RandomGenerator random(plan.seed);
  PolicyNet net(shape_of(game->spec(), hidden), random);
  if (weights.size() != net.weights().size())
    return refuse(Code::invalid, plan.model.string() + " is damaged, or was not made in " + env);
  net.weights() = std::move(weights);
  Evaluation evaluation{game->name(), {}};
  for (int i = 0; i < plan.episodes; ++i) {
    evaluation.returns.push_back(game->play(net, random, !plan.sample).total());
    plan.tick(i + 1);
  }
  return evaluation;
}

double percentile(std::vector<double> values, double percent) {
  std::sort(values.begin(), values.end());
  const double place = percent / 100 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

std::vector<double> discounted(std::span<const double> rewards, double gamma) {
  std::vector<double> returns(rewards.size());
  double sum = 0;
  for (std::size_t i = rewards.size(); i-- > 0;) returns[i] = sum = rewards[i] + gamma * sum;
  return returns;
}

}  // namespace hone::trainers::episodic

namespace hone::trainers {

TrainerRow cem_row() { return {.make = episodic::make_cem, .evaluate = episodic::evaluate}; }
TrainerRow reinforce_row() {
  return {.make = episodic::make_reinforce, .evaluate = episodic::evaluate};
}

}  // namespace hone::trainers
