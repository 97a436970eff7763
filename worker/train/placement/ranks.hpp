#pragma once

#include <vector>

namespace hone::trainers {

// Spearman's rank correlation; equal values have their mean rank. 0 if all values of one side are
// equal. Precondition: both sides have the same length.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace hone::trainers
