// Recorded learning curves, which `hone simulate` replays instead of training.
//
// NAME.csv has a column for every parameter (empty where it is inactive; derived ones are not read
// and may be missing), `seed`, v1..vK (the objective after checkpoint k; empty: diverged) and,
// optionally, s1..sK (seconds since the run's start; without them one second a checkpoint).
// NAME.json in the same folder holds goal, parameters (as in a sweep file), checkpoints, source.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/types/score.hpp"
#include "server/search/space/search_space.hpp"

namespace hone::simulate {

struct Curve {  // one recorded run
  std::int64_t seed = 0;
  std::vector<std::optional<double>> values;  // by checkpoint; nullopt: diverged
  std::vector<double> seconds;                // by checkpoint, increasing
};

// Of `phases` that divide a curve evenly: the checkpoint whose value one of them reports.
std::size_t checkpoint_of(const Curve& curve, int phase, int phases);
// When a phase ends, and how long it takes: seconds of the curve, linear between its checkpoints.
double end_of_phase(const Curve& curve, int phase, int phases);
double phase_seconds(const Curve& curve, int phase, int phases);

struct Configuration {        // a recorded parameter set
  Point point;                // in the table's own space
  std::vector<Curve> curves;  // one for each seed
  // Mean over its seeds of the mean of the last tenth of the checkpoints; larger is better. A
  // checkpoint without a number counts as the worst value of the table, and none as less than the
  // table's floor: twice as far from the best as the median first value. Losses of 1e30 would
  // otherwise make every other difference vanish.
  double merit = 0;
  bool diverged = false;  // one of these checkpoints has no number or lies below the floor
};

class CurveTable {
 public:
  // Parses the texts of the two files. Refuses with the line and the column of the CSV, or with the
  // place in the JSON.
  static Result<CurveTable> parse(std::string name, std::string_view csv, std::string_view json);

  // Rates the configurations by the time until the bar instead of by their last values, in the
  // objective's unit; larger is better still. A curve that never reaches it counts as twice its
  // length, and processor time as the recorded seconds.
  void rate_by(const Reach& reach, std::int64_t per_run);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Goal goal() const { return goal_; }
  [[nodiscard]] const SearchSpace& space() const { return space_; }
  [[nodiscard]] int checkpoints() const { return checkpoints_; }
  [[nodiscard]] std::span<const Configuration> configurations() const { return configurations_; }
  // The mean duration of a complete run, in seconds.
  [[nodiscard]] double full_run_seconds() const { return full_run_seconds_; }

  // Returns the nearest recorded parameter set: the least sum of squared distances on the
  // parameters' scales (choice: 1 if they differ; inactive against active: 1). Ties: the first.
  // Ignores parameters that the table does not have; each parameter of the table must be given or
  // fixed.
  [[nodiscard]] Result<std::size_t> nearest(const Params& params) const;

  // (best merit - merit of the configuration) / max(best - median, 5 % of (best - 10 % quantile)),
  // median and quantile of the configurations that did not diverge.
  [[nodiscard]] double regret(std::size_t configuration) const;
  // By how much a merit (larger is better) exceeds the true one, in units of regret.
  [[nodiscard]] double excess(std::size_t configuration, double merit) const;
  // The merit in the objective's own sign.
  [[nodiscard]] double true_value(std::size_t configuration) const;
  // The regret of a random choice: the mean over all configurations.
  [[nodiscard]] double blind_regret() const;
  [[nodiscard]] bool diverged(std::size_t configuration) const {
    return configurations_[configuration].diverged;
  }

 private:
  Status add(const Params& params, Curve curve);
  void finish();
  void rate(Configuration& one, double worst, double floor) const;
  void set_unit();
  [[nodiscard]] double distance(std::span<const double> a, std::span<const double> b) const;

  std::string name_;
  Goal goal_ = Goal::maximize;
  SearchSpace space_;
  int checkpoints_ = 0;
  std::vector<Configuration> configurations_;
  double full_run_seconds_ = 0;
  double best_ = 0;
  double unit_ = 1;  // of regret
};

// Returns the cell of a parameter's value, from which a table reads the same value: JSON, or a text
// as it is where that is no JSON.
std::string curve_cell(const Json& value);

// Writes the CSV file of a table.
class CurveTableWriter {
 public:
  // Refuses (invalid) a parameter with the name of another column (seed, v1, s1, ...).
  static Result<CurveTableWriter> make(const std::vector<std::string>& parameters,
                                       std::size_t checkpoints);

  // `parameters` are the cells of the run, "" for an inactive one. Rows of equal parameters get the
  // seeds 0, 1, ... instead of the curve's. A curve may be shorter than the table.
  void add(std::vector<std::string> parameters, const Curve& curve);

  [[nodiscard]] const std::string& csv() const { return csv_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  CurveTableWriter(std::string head, std::size_t checkpoints)
      : csv_(std::move(head)), checkpoints_(checkpoints) {}

  std::string csv_;
  std::size_t checkpoints_;
  std::size_t rows_ = 0;
  std::map<std::vector<std::string>, int> seeds_;  // rows of each parameter set
};

}  // namespace hone::simulate
