// Turns rows of named columns into reports and metrics, for programs that know nothing of hone:
// which step each row is at, which phase has ended with it, what its objectives are worth. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/types/spec.hpp"
#include "worker/agent/columns.hpp"
#include "worker/agent/trial_line.hpp"

namespace hone::worker {

class Collector {
 public:
  // `next_phase`: the first that has no report yet. Earlier ones are passed over when a program
  // begins anew.
  Collector(const CollectSpec& spec, const BudgetSpec& budget, int next_phase);

  // One line of the file or the output; what it means is added to `said`.
  void take(std::string_view line, std::vector<TrialLine>& said);

  // The file was replaced or cut: it is read from its beginning, and steps are counted again.
  void restart();

  // The program has ended well: what it wrote since the last phase is the report of the open one.
  void finish(std::vector<TrialLine>& said);

  // What was wrong with a line, for the log: the first few.
  std::optional<std::string> take_complaint();

 private:
  void take_row(const ColumnReader::Row& row, std::vector<TrialLine>& said);
  bool advance(const ColumnReader::Row& row);
  void keep_objectives(const ColumnReader::Row& row);
  void report(std::vector<TrialLine>& said);
  [[nodiscard]] Score summary_of(const std::deque<double>& values) const;
  [[nodiscard]] std::int64_t end_of_phase() const;
  void complain(std::string what);

  CollectSpec spec_;
  BudgetSpec budget_;
  std::size_t step_at_;     // the step's place in a row; behind the last where rows are counted
  std::size_t metrics_at_;  // of the first metric
  ColumnReader reader_;
  ColumnReader::Row row_;
  std::string fault_;
  int phase_;
  std::int64_t step_ = 0;
  double counted_ = 0;                      // rows, or the sum of a column
  std::vector<std::deque<double>> values_;  // the last of each objective
  bool fresh_ = false;                      // there is a value that no report has counted
  int complaints_ = 0;
  std::optional<std::string> complaint_;
};

}  // namespace hone::worker
