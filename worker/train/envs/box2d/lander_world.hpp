// The physics of LunarLander: one Box2D world with ground, hull and two legs, for one episode.
#pragma once

#include <box2d/box2d.h>

#include <array>
#include <memory>

#include "worker/train/envs/core/stream.hpp"

namespace hone::envs::lunar_lander {

// The power of the engines in a step.
struct Thrust {
  double main = 0;  // 0, or 0.5 to 1
  double side = 0;  // 0, or 0.5 to 1 with either sign
};

struct Landing {
  double reward = 0;
  bool over = false;
};

class LanderWorld {
 public:
  using Sight = std::array<double, 8>;

  // Draws the ground and the first push, and makes one step without thrust.
  explicit LanderWorld(Stream& stream);

  Landing step(const Thrust& thrust, Stream& stream);
  // Position, speed, angle, angular speed and whether each leg touches the ground, scaled to about
  // 1; 8 numbers.
  [[nodiscard]] Sight sight() const;

 private:
  // Box2D calls it when bodies begin or cease to touch.
  class Touches final : public b2ContactListener {
   public:
    explicit Touches(LanderWorld& owner) : owner_(owner) {}
    void BeginContact(b2Contact* contact) override;
    void EndContact(b2Contact* contact) override;

   private:
    LanderWorld& owner_;
  };

  void build_ground(Stream& stream);
  void build_hull(Stream& stream);
  void build_leg(int i);
  void fire(const Thrust& thrust, Stream& stream);
  [[nodiscard]] static double shaping(const Sight& sight);

  Touches touches_{*this};
  b2World world_;
  b2Body* hull_ = nullptr;  // the world owns its bodies
  std::array<b2Body*, 2> legs_{};
  std::array<bool, 2> leg_touches_{};
  bool crashed_ = false;
  double shaping_ = 0;  // of the last step
};

}  // namespace hone::envs::lunar_lander
