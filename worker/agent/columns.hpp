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
  // In the order of `wanted`; a column that the line does not have is absent. The texts nan and inf
  // are numbers.
  using Row = std::vector<std::optional<double>>;

  ColumnReader(const CollectSpec& spec, std::vector<std::string> wanted);

  // Returns false if the line has none of the columns; `fault` is then what is wrong with it, or
  // empty for a line that may be skipped silently.
  bool read(std::string_view line, Row& row, std::string& fault);

  // The file begins again: its first line may be the header.
  void restart();

 private:
  bool read_csv(std::string_view line, Row& row, std::string& fault);
  bool read_json(std::string_view line, Row& row, std::string& fault) const;
  bool read_pattern(std::string_view line, Row& row) const;
  void take_names(const std::vector<std::string>& names);

  CollectFormat format_;
  std::vector<std::string> wanted_;
  std::vector<std::string> columns_;                // csv: as the spec names them
  std::vector<std::optional<std::size_t>> places_;  // csv: index of each wanted column
  bool named_ = false;                              // csv: the header was read
  char delimiter_ = 0;                              // csv: 0 until it is detected
  std::vector<LinePattern> patterns_;
  mutable std::vector<std::string_view> found_;
};

// The fields of one line of CSV, without their quotes. The delimiter ' ' means any run of blanks.
std::vector<std::string> csv_fields(std::string_view line, char delimiter);

// Parses a text such as "12.5", "-inf" or " 1e-3 "; nullopt if it is not a number.
std::optional<double> number_in(std::string_view text);

}  // namespace hone::worker
