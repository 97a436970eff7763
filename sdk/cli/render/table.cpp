#include "sdk/cli/render/table.hpp"

#include <algorithm>

#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

constexpr int gap = 2;

using Widths = std::vector<int>;  // -1: the column is left out

Widths natural_widths(const Table& table) {
  Widths widths;
  for (const auto& column : table.columns) widths.push_back(display_width(column.title));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i].text));
  return widths;
}

int total(const Widths& widths) {
  int sum = 0;
  for (const int width : widths)
    if (width >= 0) sum += width + gap;
  return std::max(0, sum - gap);
}

// Narrows the widest flexible columns until the table fits or all have their least width.
void squeeze(const Table& table, Widths& widths, int columns) {
  for (int excess = total(widths) - columns; excess > 0; --excess) {
    int* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (table.columns[i].least > 0 && widths[i] > table.columns[i].least &&
          (widest == nullptr || widths[i] > *widest))
        widest = &widths[i];
    if (widest == nullptr) return;
    --*widest;
  }
}

Widths fitting_widths(const Table& table, int columns) {
  const Widths natural = natural_widths(table);
  std::vector<bool> left_out(natural.size(), false);
  while (true) {
    Widths widths = natural;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (left_out[i]) widths[i] = -1;
    squeeze(table, widths, columns);
    if (total(widths) <= columns) return widths;
    auto last = natural.size();
    for (std::size_t i = 0; i < natural.size(); ++i)
      if (table.columns[i].optional && !left_out[i]) last = i;
    if (last == natural.size()) return widths;
    left_out[last] = true;
  }
}

std::string padding(int columns) {
  return std::string(static_cast<std::size_t>(std::max(0, columns)), ' ');
}

// Holds blanks back until text follows, so that no line ends in them.
struct Line {
  std::string text;
  int pending = 0;

  void add(const Screen& screen, const Cell& cell, Align align, int width) {
    const std::string shown = truncated(cell.text, width, screen.unicode);
    const int missing = width - display_width(shown);
    if (align == Align::right) pending += missing;
    if (!shown.empty()) {
      text += padding(pending) + paint(screen, cell.ink, shown);
      pending = 0;
    }
    if (align == Align::left) pending += missing;
    pending += gap;
  }
};

std::string line_of(const Table& table, const Widths& widths, const std::vector<Cell>& cells,
                    const Screen& screen) {
  Line line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (widths[i] >= 0) line.add(screen, cells[i], table.columns[i].align, widths[i]);
  return line.text + "\n";
}

}  // namespace

int least_natural_width(const Table& table) {
  Widths widths = natural_widths(table);
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (table.columns[i].optional) widths[i] = -1;
  return total(widths);
}

Table without_empty_columns(const Table& table) {
  Table kept;
  kept.rows.resize(table.rows.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return row[i].text.empty() || row[i].text == "-" || row[i].text == "none";
    });
    if (empty && (column.optional || column.least > 0)) continue;
    kept.columns.push_back(column);
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      kept.rows[row].push_back(table.rows[row][i]);
  }
  return kept;
}

std::vector<std::string> shown_titles(const Table& table, const Screen& screen) {
  const Widths widths = fitting_widths(table, screen.columns);
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < widths.size(); ++i)
    if (widths[i] >= 0) titles.push_back(table.columns[i].title);
  return titles;
}

std::string render(const Table& table, const Screen& screen) {
  const Widths widths = fitting_widths(table, screen.columns);
  std::vector<Cell> titles;
  for (const auto& column : table.columns) titles.push_back({column.title, Ink::bold});
  std::string out = line_of(table, widths, titles, screen);
  for (const auto& row : table.rows) out += line_of(table, widths, row, screen);
  return out;
}

}  // namespace hone::cli
