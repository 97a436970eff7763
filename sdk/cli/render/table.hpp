// Tables that fit the terminal.
#pragma once

#include <string>
#include <vector>

#include "sdk/cli/render/screen.hpp"

namespace hone::cli {

enum class Align { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  int least = 0;          // > 0: may be cut to this width so that the table fits
  bool optional = false;  // left out, rightmost first, if cutting is not enough
};

struct Cell {
  std::string text;
  Ink ink = Ink::plain;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as columns
};

// The width without cuts and without the optional columns.
int least_natural_width(const Table& table);

// Removes the optional and flexible columns that are empty ("" or "-") in every row.
Table without_empty_columns(const Table& table);

// The titles of the columns that render() does not leave out.
std::vector<std::string> shown_titles(const Table& table, const Screen& screen);

// The titles and the rows, with two blanks between columns and none at line ends.
std::string render(const Table& table, const Screen& screen);

}  // namespace hone::cli
