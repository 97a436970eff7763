// Ranks of methods over blocks of results (Demsar, "Statistical Comparisons of Classifiers over
// Multiple Data Sets", JMLR 2006). A block holds one score of every method, obtained under equal
// conditions: the same problem and the same seeds. Larger scores are better; rank 1 is the best,
// and equal scores share the mean of their ranks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone::study {

using Block = std::vector<double>;  // by method

std::vector<double> ranks_of(std::span<const double> scores);
// Precondition: at least one block; all have the same number of methods.
std::vector<double> mean_ranks(std::span<const Block> blocks);

struct Friedman {
  double chi_square = 0;  // corrected for ties; 0 if every block is one tie
  double p = 1;           // that methods without a difference would differ at least as much
};
Friedman friedman(std::span<const Block> blocks);

// Returns the least difference of two mean ranks that is significant at level `alpha` (Nemenyi):
// q sqrt(k (k + 1) / 6 n), q being the quantile of the studentized range / sqrt(2).
double critical_difference(std::size_t methods, std::size_t blocks, double alpha);

// P(range of `count` standard normal variables <= range): the studentized range with infinitely
// many degrees of freedom.
double normal_range_cdf(double range, std::size_t count);
// P(X > x) for the chi-square distribution.
double chi_square_tail(double x, double degrees);

// Returns the maximal runs of methods, as [first, last] places in the order of mean ranks, whose
// ends differ by less than `difference`: the bars of a critical-difference diagram.
struct RankGroup {
  std::size_t first = 0, last = 0;
  friend bool operator==(const RankGroup&, const RankGroup&) = default;
};
std::vector<RankGroup> groups_within(std::span<const double> ascending_ranks, double difference);

}  // namespace hone::study
