// Two jobs on one GPU: how fast each then runs, as it was measured (Narayanan et al., "Gavel", OSDI
// 2020, publishes a table), and what a scheduler learns of it from the jobs that it puts together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"

namespace hone::cluster {

// Kinds of GPUs and types of jobs are indices.
struct PairKey {
  int kind = 0;
  int type = 0;
  int other = 0;
  friend auto operator<=>(const PairKey&, const PairKey&) = default;
};

constexpr PairKey turned(const PairKey& key) { return {key.kind, key.other, key.type}; }

class PairTable {
 public:
  // {kind: {"('TYPE', 1)": {"null": steps a second, "('OTHER', 1)": [of TYPE, of OTHER]}}}: jobs of
  // one GPU of `simulation_throughputs.json`, which is untrusted. Reads the types that every kind
  // has.
  static Result<PairTable> read(const Json& table, const std::vector<std::string>& kinds,
                                std::string_view reference);

  [[nodiscard]] const std::vector<std::string>& types() const { return types_; }
  // Speed on a GPU alone, relative to the reference.
  [[nodiscard]] double alone(int kind, int type) const {
    return alone_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(type)];
  }
  // The share of that speed that `type` keeps next to `other`; 0: they do not fit together.
  [[nodiscard]] double share(const PairKey& key) const;

 private:
  std::vector<std::string> types_;
  std::vector<std::vector<double>> alone_;  // by kind
  std::map<PairKey, double> shares_;
};

// Means of what was measured, drawn to what the rows and columns of the table say while
// measurements are few: n of them weigh n / (n + 4).
class PairEstimate {
 public:
  void observe(const PairKey& key, double share);
  [[nodiscard]] double share(const PairKey& key) const;
  // Whether three measurements of each of both show that they gain less than 5 % together: then a
  // scheduler separates them, and never puts such a pair together again.
  [[nodiscard]] bool useless(const PairKey& key) const;

 private:
  struct Mean {
    double sum = 0;
    std::int64_t count = 0;
    void add(double value) {
      sum += value;
      ++count;
    }
    [[nodiscard]] double drawn_to(double prior) const;
  };
  [[nodiscard]] const Mean* measured(const PairKey& key) const;

  std::map<PairKey, Mean> pairs_;
  std::map<std::pair<int, int>, Mean> of_type_, of_other_;  // by kind and type
  std::map<int, Mean> of_kind_;
};

// What two jobs must reach together to share a GPU, one of them alone being 1.
inline constexpr double pair_gain_min = 1.05;

}  // namespace hone::cluster
