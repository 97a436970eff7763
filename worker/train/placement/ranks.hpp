#pragma once

#include <vector>

namespace hone::trainers {

// Spearman's rank correlation, equal values sharing their mean rank. 0 where one side is all equal.
// Precondition: as many of one as of the other.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace hone::trainers
