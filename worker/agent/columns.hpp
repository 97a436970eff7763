// Reads the values of named columns from one line of a program's output: a line of CSV, a JSON
// object, or matches of regular expressions. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/types/line_pattern.hpp"
#include "schemas/types/trainer_spec.hpp"

namespace hone::worker {

class ColumnReader {
 public:
  // In the order of `wanted`; a column that the line does not have, or not as a number, is absent.
  // NaN and infinities are numbers.
  using Row = std::vector<std::optional<double>>;

  ColumnReader(const CollectSpec& spec, std::vector<std::string> wanted);

  // Returns false if the line has none of the columns. `fault` is what is wrong with the line, also
  // where other columns can be read; empty for a line that may be skipped silently.
  bool read(std::string_view line, Row& row, std::string& fault);

  // The file begins again: its first line may be the header.
  void restart();

  // The first text of the objective that is not a number, as a clause; "" if there was none.
  [[nodiscard]] const std::string& unreadable() const { return unreadable_; }

 private:
  bool read_csv(std::string_view line, Row& row, std::string& fault);
  bool read_json(std::string_view line, Row& row, std::string& fault);
  bool read_pattern(std::string_view line, Row& row, std::string& fault);
  void put(std::size_t i, std::string_view text, Row& row, std::string& fault);
  void take_names(const std::vector<std::string>& names);

  CollectFormat format_;
  std::vector<std::string> wanted_;
  std::size_t needed_;                // the first of them: the objectives and the step
  std::vector<std::string> columns_;  // csv: as the spec names them
  std::vector<std::optional<std::size_t>> places_;  // csv: index of each wanted column
  bool named_ = false;                              // csv: the header was read
  char delimiter_ = 0;                              // csv: 0 until it is detected
  std::vector<LinePattern> patterns_;
  std::vector<std::string_view> found_;
  std::string unreadable_{};
};

// The fields of one line of CSV, without their quotes. The delimiter ' ' means any run of blanks.
std::vector<std::string> csv_fields(std::string_view line, char delimiter);

}  // namespace hone::worker
