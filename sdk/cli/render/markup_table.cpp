#include "sdk/cli/render/markup_table.hpp"

#include "base/markup.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

using Escape = std::string(std::string_view);

std::string row_of(const std::vector<std::string>& cells, std::string_view between,
                   Escape* escape) {
  std::string line;
  for (const std::string& cell : cells)
    line += (&cell == &cells.front() ? "" : std::string(between)) + escape(printable(cell));
  return line;
}

std::vector<std::string> titles_of(const Table& table) {
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  return titles;
}

std::vector<std::string> texts_of(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.push_back(cell.text);
  return texts;
}

}  // namespace

std::string markdown_of(const Table& table) {
  std::string out = "| " + row_of(titles_of(table), " | ", for_markdown) + " |\n|";
  for (const Column& column : table.columns) out += column.align == Align::right ? "---:|" : "---|";
  out += "\n";
  for (const auto& cells : table.rows)
    out += "| " + row_of(texts_of(cells), " | ", for_markdown) + " |\n";
  return out;
}

std::string latex_of(const Table& table) {
  std::string out = "\\begin{tabular}{";
  for (const Column& column : table.columns) out += column.align == Align::right ? 'r' : 'l';
  out += "}\n\\hline\n" + row_of(titles_of(table), " & ", for_latex) + " \\\\\n\\hline\n";
  for (const auto& cells : table.rows) out += row_of(texts_of(cells), " & ", for_latex) + " \\\\\n";
  return out + "\\hline\n\\end{tabular}\n";
}

}  // namespace hone::cli
