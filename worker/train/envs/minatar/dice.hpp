// Where the games' chances come from: a stream of the training, or in tests the generator that the
// golden playthroughs were made with.
#pragma once

namespace hone::envs::minatar {

class Dice {
 public:
  Dice() = default;
  Dice(const Dice&) = delete;
  Dice& operator=(const Dice&) = delete;
  virtual ~Dice() = default;

  virtual double uniform() = 0;  // in [0, 1)
  virtual int below(int n) = 0;  // 0, 1, ..., n - 1
  int between(int low, int high) { return low + below(high - low); }
  bool chance(double probability) { return uniform() < probability; }
};

}  // namespace hone::envs::minatar
