// How fast one job runs next to another, relative to alone: means of what was measured, drawn to
// what similar pairs show while measurements are few. The simulator of clusters and the coordinator
// share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace hone::forecast {

// A job of `type` next to one of `other`, on a machine of `kind`. All are chosen by the owner.
struct PairKey {
  int kind = 0;
  int type = 0;
  int other = 0;
  friend auto operator<=>(const PairKey&, const PairKey&) = default;
};

constexpr PairKey turned(const PairKey& key) { return {key.kind, key.other, key.type}; }

// Measurements of a pair before a rule may act on them.
inline constexpr std::int64_t judged_after = 3;

struct PairMean {
  double sum = 0;
  double squares = 0;
  std::int64_t count = 0;
  std::int64_t measurements = 0;  // each of one value or several, taken together

  void add(double value, bool further = false);
  // Keeps mean and spread, but as if of at most so many values and measurements.
  void limit(std::int64_t most);
  [[nodiscard]] double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  [[nodiscard]] double drawn_to(double prior) const;
  // Standard error of the mean by its measurements, at least that of speeds that differ by 5 %.
  [[nodiscard]] double error() const;
};

// n values of a pair weigh n / (n + 4) against what the rows and columns of the table say;
// so do these against the mean of all pairs of the kind, and that against the prior.
class PairEstimate {
 public:
  // `prior`: the share before anything was measured.
  explicit PairEstimate(double prior = 0.7) : prior_(prior) {}

  // `further`: another value of the pair's newest measurement.
  void observe(const PairKey& key, double share, bool further = false);
  // As PairMean::limit, of the pair.
  void limit(const PairKey& key, std::int64_t most);
  void forget(const PairKey& key);
  [[nodiscard]] std::size_t size() const { return pairs_.size(); }  // pairs that were measured
  [[nodiscard]] double share(const PairKey& key) const;
  [[nodiscard]] PairMean measured(const PairKey& key) const;

 private:
  // Writes and reads every member for snapshots (server/engine/book_archive.cpp).
  template <class Archive, class Either>
  friend void archive_pairs(Archive& archive, Either& estimate);

  double prior_;
  std::map<PairKey, PairMean> pairs_;
  std::map<std::pair<int, int>, PairMean> of_type_, of_other_;  // by kind and type
  std::map<int, PairMean> of_kind_;
};

}  // namespace hone::forecast
