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
#include "server/forecast/pairs.hpp"

namespace hone::cluster {

// `kind` is a GPU's, `type` a job's: both are indices.
using forecast::PairEstimate;
using forecast::PairKey;
using forecast::turned;

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

// What two jobs must reach together to share a GPU, one of them alone being 1.
inline constexpr double pair_gain_min = 1.05;

// Whether three measurements of each of both show that they gain less than 5 % together: then a
// scheduler separates them, and never puts such a pair together again.
bool useless(const PairEstimate& estimate, const PairKey& key);

}  // namespace hone::cluster
