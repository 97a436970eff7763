// Turns rows of named columns into reports and metrics, for programs that do not use the SDK: finds
// the step of each row, the phases that end with it, and the value of each objective. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_file.hpp"
#include "schemas/types/budget_spec.hpp"
#include "schemas/types/trainer_spec.hpp"
#include "worker/agent/attempt_phases.hpp"
#include "worker/agent/columns.hpp"
#include "worker/agent/trial_line.hpp"

namespace hone::worker {

// Where rows are read from, for sentences.
struct CollectSource {
  std::string name;      // "results.csv", "its standard output"
  bool exists = true;    // a file that was never there does not
  std::string path{};    // of a file
  std::string other{};   // the stream that is not read
  std::string advice{};  // the setting that reads it, or what to do about a file
};

class Collector {
 public:
  // Rows without a step count from `origin`. An attempt that begins before the newest report trains
  // known phases again: they are reported again, and the server judges none twice.
  Collector(const CollectSpec& spec, const BudgetSpec& budget, const AttemptOrigin& origin);

  // Adds the reports and metrics of one line of the file or the output to `lines`.
  void take(std::string_view line, std::vector<TrialLine>& lines);

  // The same for an event of an event file (CollectFormat::tensorboard), whose tags are columns.
  void take(const ScalarEvent& event, std::vector<TrialLine>& lines);

  // The file was replaced or truncated: it is read from its beginning, and steps are counted again
  // from the origin. Phases that were reported before are not reported again.
  void restart();

  // The program has exited with status 0: reports the open phase, if it has any row.
  void finish(std::vector<TrialLine>& lines);

  // Looks whether a line of another stream has a value, to name that stream if none else is found.
  void probe(std::string_view line);

  // Why nothing was collected, as a clause; "" if a line held a value of the objective.
  [[nodiscard]] std::string nothing_found(const CollectSource& source) const;

  // What was wrong with the last line, for the log. Only the first few are returned.
  std::optional<std::string> take_complaint();

 private:
  void go_to_origin();
  void take_scalar(const Scalar& scalar, std::int64_t step, std::vector<TrialLine>& lines);
  void take_open_row(std::vector<TrialLine>& lines);
  void note_tag(const std::string& tag);
  void take_row(const ColumnReader::Row& row, std::vector<TrialLine>& lines);
  bool advance(const ColumnReader::Row& row);
  double named_step(double step);
  void keep_objectives(const ColumnReader::Row& row);
  void report(std::vector<TrialLine>& lines);
  bool counts(std::size_t objective, double value);
  [[nodiscard]] bool is_all_nan() const;
  [[nodiscard]] bool is_late() const;
  [[nodiscard]] bool is_diverged(const std::deque<double>& values) const;
  [[nodiscard]] Score summary_of(const std::deque<double>& values) const;
  [[nodiscard]] std::int64_t end_of_phase() const;
  void complain(std::string what);

  CollectSpec spec_;
  BudgetSpec budget_;
  std::size_t step_at_;     // index of the step in a row; beyond the last if rows are counted
  std::size_t metrics_at_;  // of the first metric
  ColumnReader reader_;
  ColumnReader probe_;  // of the stream that is not read
  ColumnReader::Row row_;
  std::string fault_;
  bool row_open_ = false;            // row_ holds scalars of events of one step
  std::vector<std::string> tags_{};  // of events, as they came: the first few
  AttemptOrigin origin_;
  AttemptSteps steps_;
  bool named_ = false;  // a row has named its step
  int phase_ = 0;       // that the next row belongs to
  int next_ = 0;        // the first that this attempt has not reported
  std::int64_t step_ = 0;
  double counted_ = 0;                      // rows, or the sum of a column, with the origin
  std::vector<std::deque<double>> values_;  // the last values of each objective
  std::vector<char> began_;                 // of each objective: a value was no NaN
  bool fresh_ = false;                      // a value came after the last report
  std::int64_t lines_ = 0;                  // that were not blank
  bool found_ = false;                      // one of them held a value of the objective
  bool elsewhere_ = false;                  // a line of the other stream did
  int complaints_ = 0;
  std::optional<std::string> complaint_;
};

}  // namespace hone::worker
