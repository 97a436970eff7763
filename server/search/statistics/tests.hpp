// Tests of whether one sample is better than another. Larger is better.
#pragma once

#include <span>

namespace hone {

// P(T <= t) for Student's distribution with `df` > 0 degrees of freedom, which may be fractional.
double student_cdf(double t, double df);
// Returns t with student_cdf(t, df) = share. Precondition: 1/2 <= share < 1, df > 0.
double student_quantile(double share, double df);

struct Welch {
  double t = 0;   // (mean a - mean b) / standard error of the difference
  double df = 1;  // Welch and Satterthwaite
  // P-value of a being worse than b: small where the mean of a is significantly smaller.
  double p_worse = 0.5;
};

// Welch's test for unequal variances. Preconditions: at least two values in each sample, all
// finite. Without variance the means alone decide: p is 0, 1/2 or 1.
Welch welch(std::span<const double> a, std::span<const double> b);

// Wilcoxon's signed-rank test of pairs (a[i], b[i]): the p-value of a being worse than b. Leaves
// out pairs without a difference. Exact for at most 50 differences of distinct sizes, else by the
// normal distribution with corrections for ties and continuity. 1/2 if no pair differs.
double signed_rank_p_worse(std::span<const double> a, std::span<const double> b);

}  // namespace hone
