#include "worker/train/envs/box2d/lunar_lander.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "worker/train/envs/box2d/lander_world.hpp"

namespace hone::envs::lunar_lander {
namespace {

// The action of one copy in one step as a word of a checkpoint: its number, or the bits of two
// floats.
using Told = std::uint64_t;

template <const EnvSpec& game>
Thrust thrust_of(Told told) {
  if constexpr (game.action_kind == ActionKind::discrete)
    return {told == 2 ? 1.0 : 0.0, told == 1 ? -1.0 : told == 3 ? 1.0 : 0.0};
  const auto number = [&](int shift) {
    const auto bits = static_cast<std::uint32_t>(told >> shift);
    return std::clamp(static_cast<double>(std::bit_cast<float>(bits)), -1.0, 1.0);
  };
  const double main = number(0), side = number(32);
  return {main > 0 ? (main + 1) / 2 : 0, std::abs(side) > 0.5 ? side : 0};
}

template <const EnvSpec& game>
Told told_of(const Actions& actions, std::size_t copy) {
  if constexpr (game.action_kind == ActionKind::discrete)
    return static_cast<Told>(actions.discrete[copy]);
  const auto bits = [&](std::size_t i) {
    return Told{std::bit_cast<std::uint32_t>(actions.continuous[2 * copy + i])};
  };
  return bits(0) | bits(1) << 32;
}

// A Box2D world cannot be saved. The state of a copy is therefore the random stream at the
// beginning of its episode and all actions since: the same steps lead to the same world.
template <const EnvSpec& game>
class Landers final : public VecEnv {
 public:
  explicit Landers(const EnvPlan& plan) {
    for (int i = 0; i < plan.count; ++i) {
      const auto index = plan.first_index + static_cast<std::uint64_t>(i);
      copies_.emplace_back(Stream(plan.seed, Purpose::environment, index));
    }
  }

  const EnvSpec& spec() const override { return game; }
  int count() const override { return static_cast<int>(copies_.size()); }

  void reset(float* observations) override {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      copies_[i].begin();
      copies_[i].observe(observations + size_ * i);
    }
  }

  void step(const Actions& actions, const StepOut& out) override {
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      auto& copy = copies_[i];
      const auto landing = copy.step(told_of<game>(actions, i));
      const bool late = copy.told.size() >= static_cast<std::size_t>(game.step_limit);
      out.rewards[i] = static_cast<float>(landing.reward);
      out.terminated[i] = landing.over ? 1 : 0;
      out.truncated[i] = late ? 1 : 0;
      if (landing.over || late) {
        copy.observe(out.final_observations + size_ * i);
        copy.begin();
      }
      copy.observe(out.observations + size_ * i);
    }
  }

  std::vector<std::uint64_t> save() const override {
    std::vector<std::uint64_t> words;
    for (const auto& copy : copies_) {
      words.insert(words.end(), copy.began.words().begin(), copy.began.words().end());
      words.push_back(copy.told.size());
      words.insert(words.end(), copy.told.begin(), copy.told.end());
    }
    return words;
  }

  bool restore(std::span<const std::uint64_t> words, float* observations) override {
    auto restored = parsed(words);
    if (restored.size() != copies_.size()) return false;
    for (std::size_t i = 0; i < restored.size(); ++i) {
      restored[i].replay();
      restored[i].observe(observations + size_ * i);
    }
    copies_ = std::move(restored);
    return true;
  }

 private:
  struct Copy {
    explicit Copy(const Stream& from) : began(from), stream(from) {}

    void begin() {
      began = stream;
      told.clear();
      world = std::make_unique<LanderWorld>(stream);
    }
    Landing step(Told what) {
      told.push_back(what);
      return world->step(thrust_of<game>(what), stream);
    }
    void replay() {
      const auto steps = told;
      begin();
      for (const auto what : steps) step(what);
    }
    void observe(float* out) const {
      for (const double number : world->sight()) *out++ = static_cast<float>(number);
    }

    Stream began;  // at the beginning of the episode
    Stream stream;
    std::vector<Told> told;
    std::unique_ptr<LanderWorld> world;
  };

  // Returns an empty vector for words of another shape.
  static std::vector<Copy> parsed(std::span<const std::uint64_t> words) {
    std::vector<Copy> copies;
    Stream::Words stream;
    while (words.size() > stream.size()) {
      std::copy_n(words.begin(), stream.size(), stream.begin());
      const auto steps = words[stream.size()];
      words = words.subspan(stream.size() + 1);
      if (steps > words.size() || steps >= static_cast<std::uint64_t>(game.step_limit)) return {};
      auto& copy = copies.emplace_back(Stream(stream));
      copy.told.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(steps));
      words = words.subspan(steps);
    }
    return words.empty() ? std::move(copies) : std::vector<Copy>{};
  }

  static constexpr auto size_ = static_cast<std::size_t>(game.observation_size);

  std::vector<Copy> copies_;
};

template <const EnvSpec& game>
std::unique_ptr<VecEnv> make_landers(const EnvPlan& plan) {
  return std::make_unique<Landers<game>>(plan);
}

}  // namespace

BuiltinEnv builtin() { return {&spec, make_landers<spec>}; }
BuiltinEnv continuous() { return {&continuous_spec, make_landers<continuous_spec>}; }

}  // namespace hone::envs::lunar_lander
