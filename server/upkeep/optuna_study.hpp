// Studies in Optuna's storages, as they are read: `hone import optuna`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/instant.hpp"

namespace hone::upkeep {

enum class OptunaState { running, complete, pruned, failed, waiting };

struct OptunaParam {
  std::string name;
  double value = 0;              // a number, or the place of a category in its list
  std::size_t distribution = 0;  // in OptunaStudy::distributions
};

struct OptunaTrial {
  OptunaState state = OptunaState::running;
  std::optional<Instant> started{};
  std::optional<Instant> ended{};
  std::vector<OptunaParam> params{};
  std::vector<std::optional<double>> values{};  // one for each objective; nullopt: infinite
  std::vector<std::pair<std::int64_t, double>> intermediate{};  // finite ones, by step
};

struct OptunaStudy {
  std::string name;
  std::vector<bool> maximize{};       // of each objective
  std::vector<Json> distributions{};  // {"name": "FloatDistribution", "attributes": {...}}
  std::vector<OptunaTrial> trials{};  // by number
  std::int64_t attributes = 0;        // user and system attributes, which are not read
  std::int64_t infinite = 0;          // intermediate values that are not finite
};

// Reads every study of an SQLite storage (schema of Optuna 2.4 and later). Opens it read-only.
// Refuses a file of another kind, and more than `optuna_trials_max` trials.
Result<std::vector<OptunaStudy>> read_optuna_storage(const std::string& file);

// The same for a journal file (JournalFileBackend). A line that is cut off at the end, as after a
// crash, is left out.
Result<std::vector<OptunaStudy>> read_optuna_journal(const std::string& file);

// The kind of a file by its first bytes.
enum class OptunaFile { storage, journal, other };
OptunaFile optuna_file(const std::string& file);

// A sweep has at most as many trials.
inline constexpr std::size_t optuna_trials_max = 1'000'000;
// More would take minutes, and a sweep has at most 1,000 parameters.
inline constexpr std::size_t optuna_studies_max = 1'000;
inline constexpr std::size_t optuna_params_max = 1'000;          // of a trial
inline constexpr std::size_t optuna_distributions_max = 10'000;  // of a study

// Collects the distributions of a study: each text once.
class Distributions {
 public:
  // Refuses a text that is no object with a name and attributes, and too many.
  Result<std::size_t> add(OptunaStudy& study, const std::string& text);

 private:
  std::map<std::string, std::size_t> known_;
};

// "2026-11-21 10:04:05.123456", or with T and an offset from UTC; nullopt for anything else.
std::optional<Instant> optuna_time(std::string text);

}  // namespace hone::upkeep
