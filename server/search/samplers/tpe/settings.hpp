// The settings of `tpe`, by their names in a sweep file. The defaults are those that docs/search.md
// reports measurements of.
#pragma once

#include <cstddef>

#include "base/result.hpp"
#include "schemas/types/search_spec.hpp"

namespace hone {

struct TpeSettings {
  std::size_t startup = 10;     // trials drawn from the prior before anything is modelled
  double gamma = 0.1;           // share of the trials that count as good
  std::size_t good_max = 25;    // at most this many
  std::size_t bad_max = 64;     // kernels of the bad trials; more are thinned evenly by rank
  double bandwidth = 0.2;       // of one kernel, as a share of the range
  double min_bandwidth = 0.01;  // no kernel is narrower
  double prior_weight = 1;      // of the prior, in kernels
  std::size_t candidates = 24;  // draws from the good trials' density
  bool multivariate = true;     // kernels over all dimensions at once; false: each by itself
  bool liar = true;             // pending trials count as bad
  bool surrogate = true;        // false: the ratio of densities alone
  double ratio_share = 0.15;    // share of the trials that the ratio of densities decides
  double explore = 0.15;        // share of the trials spent where the model alone would not look
  bool cost = false;            // proposals weigh what a parameter set costs (cost.hpp)
  std::size_t surrogate_points = 64;  // trials it is fitted to; 5/8 of them from 500 trials on
};

Result<TpeSettings> tpe_settings(const SearchSpec& search);

}  // namespace hone
