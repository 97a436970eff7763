// The random numbers of a game: a stream of the training, or in tests the generator with which the
// golden playthroughs were recorded.
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
