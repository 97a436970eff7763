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

  static bool is_sound(const State& state) { return Game::is_sound(state.game); }

  Outcome move(State& state, std::int32_t action, Stream& stream) const {
    StreamGenerator random(stream);
    return Sticky<Game>::move(state, Game::acts[static_cast<std::size_t>(action)], sticky_, random);
  }

 private:
  double sticky_;
};

template <class Game>
BuiltinEnv builtin_game() {
  return {&spec<Game>, make_copies<Rules<Game>>};
}

}  // namespace

BuiltinEnv asterix() { return builtin_game<Asterix>(); }
BuiltinEnv breakout() { return builtin_game<Breakout>(); }
BuiltinEnv freeway() { return builtin_game<Freeway>(); }
BuiltinEnv seaquest() { return builtin_game<Seaquest>(); }
BuiltinEnv space_invaders() { return builtin_game<SpaceInvaders>(); }

}  // namespace hone::envs::minatar
