#include "worker/train/envs/minatar/games.hpp"

namespace hone::envs::minatar {
namespace {

class StreamGenerator final : public RandomGenerator {
 public:
  explicit StreamGenerator(Stream& stream) : stream_(stream) {}
  double uniform() override { return stream_.uniform(); }
  int below(int n) override { return static_cast<int>(stream_.uniform() * n); }

 private:
  Stream& stream_;
};

template <class Game>
class Rules {
 public:
  using State = typename Sticky<Game>::State;
  static constexpr const EnvSpec& spec = minatar::spec<Game>;

  explicit Rules(const EnvPlan& plan) : sticky_(plan.sticky.value_or(*spec.sticky)) {}

  void begin(State& state, Stream& stream) const {
    StreamGenerator random(stream);
    Sticky<Game>::begin(state, random);
  }

  void observe(const State& state, float* out) const {
    std::fill_n(out, spec.observation_size, 0.0F);
    Game::draw(state.game, {out, Game::channels});
  }

  Outcome move(State& state, std::int32_t action, Stream& stream) const {
    StreamGenerator random(stream);
    return Sticky<Game>::move(state, Game::acts[static_cast<std::size_t>(action)], sticky_, random);
  }

 private:
  double sticky_;
};

}  // namespace

template <class Game>
std::unique_ptr<VecEnv> make(const EnvPlan& plan) {
  return std::make_unique<Copies<Rules<Game>>>(plan);
}

template std::unique_ptr<VecEnv> make<Asterix>(const EnvPlan& plan);
template std::unique_ptr<VecEnv> make<Breakout>(const EnvPlan& plan);
template std::unique_ptr<VecEnv> make<Freeway>(const EnvPlan& plan);
template std::unique_ptr<VecEnv> make<Seaquest>(const EnvPlan& plan);
template std::unique_ptr<VecEnv> make<SpaceInvaders>(const EnvPlan& plan);

}  // namespace hone::envs::minatar
