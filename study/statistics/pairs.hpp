// Comparisons of two methods by paired scores: a[i] and b[i] were obtained on the same problem with
// the same seeds. Larger is better.
#pragma once

#include <span>
#include <vector>

namespace hone::study {

// The two-sided p-value of Wilcoxon's signed-rank test. Exact given the sizes of the differences,
// ties included (every sign is equally likely without a difference between the methods), up to 300
// pairs that differ; beyond, by the normal distribution. Pairs without a difference are left out; 1
// if none differs.
double signed_rank_p(std::span<const double> a, std::span<const double> b);

// Holm's step-down adjustment (Scandinavian Journal of Statistics, 1979): what is at most alpha
// afterwards is significant while the chance of any false claim is at most alpha.
std::vector<double> holm(std::span<const double> p_values);

struct Effect {
  double difference = 0;  // mean of a - b
  double cohen = 0;     // that over the standard deviation of the differences (d_z); 0 without one
  double better = 0.5;  // share of pairs in which a is better; ties count one half
};
// Precondition: at least one pair.
Effect effect_of(std::span<const double> a, std::span<const double> b);

// Every pair of methods, with its p-value adjusted over all of them.
struct Comparison {
  std::size_t first = 0, second = 0;  // methods; first < second
  double p = 1;                       // adjusted by Holm
  Effect effect{};                    // of first over second
};
// `scores`: by method; scores of one place are paired.
std::vector<Comparison> compare_all(std::span<const std::vector<double>> scores);

}  // namespace hone::study
