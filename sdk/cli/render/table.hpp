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
  int least = 0;          // > 0: may be cut short, down to this, so that the table fits
  bool optional = false;  // left out, rightmost first, where cutting short is not enough
};

struct Cell {
  std::string text;
  Ink ink = Ink::plain;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as columns
};

// The width without any cut, and with every optional column left out.
int least_natural_width(const Table& table);

// Without the optional and flexible columns that hold nothing in any row ("" or "-").
Table without_empty_columns(const Table& table);

// Title line and rows, each ended by a newline, two blanks between columns, none at line ends.
std::string render(const Table& table, const Screen& screen);

}  // namespace hone::cli
