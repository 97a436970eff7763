// Where the games' chances come from: a stream of the training, or in tests the generator that the
// golden playthroughs were made with.
#pragma once

namespace hone::envs::minatar {

class RandomGenerator {
 public:
  RandomGenerator() = default;
  RandomGenerator(const RandomGenerator&) = delete;
  RandomGenerator& operator=(const RandomGenerator&) = delete;
  virtual ~RandomGenerator() = default;

  virtual double uniform() = 0;  // in [0, 1)
  virtual int below(int n) = 0;  // 0, 1, ..., n - 1
  int between(int low, int high) { return low + below(high - low); }
  bool chance(double probability) { return uniform() < probability; }
};

}  // namespace hone::envs::minatar
