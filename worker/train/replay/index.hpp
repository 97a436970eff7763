// The transitions that may be drawn from a replay memory, and with which probability:
//   uniform       all alike
//   proportional  P(i) = p_i^alpha / sum p^alpha, p = |TD error| + epsilon, by a sum tree
//   rank          the same with p = 1 / rank by |TD error|, by a heap that is sorted now and then
// (Schaul et al., 2016). A new transition gets the largest priority so far. Prioritized draws are
// stratified: one from each of equal parts of the mass.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "worker/train/envs/core/stream.hpp"

namespace hone::replay {

struct Draw {
  std::size_t slot = 0;
  double probability = 0;
};

class Index {
 public:
  Index() = default;
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;
  virtual ~Index() = default;

  // Precondition: the slot is not in the index.
  virtual void add(std::size_t slot) = 0;
  // The next two require that the slot is in the index.
  virtual void remove(std::size_t slot) = 0;
  virtual void set_error(std::size_t slot, double error) = 0;
  [[nodiscard]] virtual bool contains(std::size_t slot) const = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  // Draws with replacement. Precondition: size() > 0.
  virtual void draw(std::span<Draw> out, envs::Stream& random) const = 0;

  // The whole state, for checkpoints.
  [[nodiscard]] virtual std::vector<std::uint64_t> save() const = 0;
  // Returns false for words that are not of such an index with so many slots. Precondition: empty.
  virtual bool restore(std::span<const std::uint64_t> words) = 0;
};

enum class Priority { uniform, proportional, rank };

struct IndexRule {
  Priority priority = Priority::uniform;
  double alpha = 0.6;     // 0: uniform
  double epsilon = 1e-6;  // proportional: added to the errors, so that none is forgotten
};

// For the slots 0 to slots - 1; at most 2^32 - 2.
std::unique_ptr<Index> make_index(const IndexRule& rule, std::size_t slots);

// (count * P)^-beta, divided by the largest of them.
void importance_weights(std::span<const Draw> draws, std::size_t count, double beta,
                        std::span<float> out);

}  // namespace hone::replay
