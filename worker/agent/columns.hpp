// One line of what a program writes as the values of the columns that are wanted: a line of CSV, an
// object of JSON, or what regular expressions find in it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/codec/patterns.hpp"
#include "schemas/types/spec.hpp"

namespace hone::worker {

class ColumnReader {
 public:
  // In the order of `wanted`; what the line does not have is absent. A text that says nan or inf is
  // that number.
  using Row = std::vector<std::optional<double>>;

  ColumnReader(const CollectSpec& spec, std::vector<std::string> wanted);

  // False where the line has none of them: `fault` then says what is wrong with it, if anything is.
  bool read(std::string_view line, Row& row, std::string& fault);

  // The file begins again: its first line may name the columns.
  void restart();

 private:
  bool read_csv(std::string_view line, Row& row, std::string& fault);
  bool read_json(std::string_view line, Row& row, std::string& fault) const;
  bool read_pattern(std::string_view line, Row& row) const;
  void take_names(const std::vector<std::string>& names);

  CollectFormat format_;
  std::vector<std::string> wanted_;
  std::vector<std::string> columns_;                // csv: as the spec names them
  std::vector<std::optional<std::size_t>> places_;  // csv: of each wanted column
  bool named_ = false;                              // csv: the names are known
  char delimiter_ = 0;                              // csv: 0 until it is seen
  std::vector<LinePattern> patterns_;
  mutable std::vector<std::string_view> found_;
};

// The fields of one line of CSV, quotes taken off. delimiter ' ' stands for any blanks.
std::vector<std::string> csv_fields(std::string_view line, char delimiter);

// "12.5", "-inf", " 1e-3 ": nullopt for any other text.
std::optional<double> number_in(std::string_view text);

}  // namespace hone::worker
