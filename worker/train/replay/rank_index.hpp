// The index by ranks: a heap, whose order is close to the order by error.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "worker/train/replay/index.hpp"

namespace hone::replay {

class RankIndex final : public Index {
 public:
  RankIndex(double alpha, std::size_t slots);

  void add(std::size_t slot) override;
  void remove(std::size_t slot) override;
  void set_error(std::size_t slot, double error) override;
  [[nodiscard]] bool contains(std::size_t slot) const override;
  [[nodiscard]] std::size_t size() const override { return heap_.size(); }
  void draw(std::span<Draw> out, envs::Stream& random) const override;
  [[nodiscard]] std::vector<std::uint64_t> save() const override;
  bool restore(std::span<const std::uint64_t> words) override;

 private:
  void put(std::size_t place, std::uint32_t slot);
  void settle(std::size_t place);
  void sort();

  std::vector<double> mass_;  // of the ranks up to this one: sum of rank^-alpha
  std::vector<double> errors_;
  std::vector<std::uint32_t> heap_, places_;
  double most_ = 1;
  std::uint64_t changes_ = 0;  // since the heap was sorted
};

}  // namespace hone::replay
