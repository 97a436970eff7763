// What a parameter set costs, and how much that counts: the setting `cost: seconds`.
//
// A Gaussian process on the logarithms of the seconds that a phase took predicts those of a
// candidate. A proposal then maximizes  expected improvement / seconds^w  with w drawn uniformly
// from [0, 1] for each trial: some proposals look for gain alone, some for gain per second, and no
// schedule has to know how long the sweep will last. Without costs of enough trials w is 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "server/search/samplers/sampler.hpp"
#include "server/search/samplers/tpe/process.hpp"

namespace hone {

class CostModel {
 public:
  // Learns nothing if fewer than four trials have a measured phase.
  CostModel(const SearchSpace& space, const History& history);
  CostModel(const CostModel&) = delete;
  CostModel& operator=(const CostModel&) = delete;

  [[nodiscard]] bool known() const { return process_.has_value(); }
  // The logarithms of the seconds of a phase at points that are imputed as training.hpp does.
  // Precondition: known().
  [[nodiscard]] std::vector<double> log_seconds(PointColumns at) const;
  [[nodiscard]] double log_seconds(std::span<const double> point) const;

 private:
  const SearchSpace& space_;
  std::vector<double> columns_;
  std::vector<std::uint8_t> choice_;
  std::optional<GaussianProcess> process_;
};

// How far a proposal weighs cost: not at all without a model.
struct CostTerm {
  const CostModel* model = nullptr;
  double weight = 0;  // w
  // What is taken off a logarithm of gain at the point.
  [[nodiscard]] double of(std::span<const double> point) const {
    return model == nullptr ? 0 : weight * model->log_seconds(point);
  }
};

// The exponent w of the trial's proposal.
double cost_weight(const Draw& draw);

// Returns the cheapest of the next points of an evenly spread sequence: the first trials start at
// the cheap end. Precondition: model.known().
Point cheap_start(const Sampler& spread, const SearchSpace& space, const History& history,
                  const Draw& draw, const CostModel& model);

}  // namespace hone
