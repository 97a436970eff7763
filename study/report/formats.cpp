#include <algorithm>

#include "base/markup.hpp"
#include "study/report/page.hpp"

namespace hone::study {
namespace {

constexpr std::size_t page_columns = 138;

std::string wrapped(const std::string& text) {
  std::string out, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (!line.empty() && line.size() + 1 + (end - at) > page_columns) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + text.substr(at, end - at);
    at = end + 1;
  }
  return out + line + "\n";
}

std::string markdown_table(const PageTable& table, bool anchors) {
  std::string out = "## " + table.title + "\n\n" + wrapped(for_markdown(table.note)) + "\n|";
  for (const std::string& title : table.header) out += " " + title + " |";
  out += "\n|---|";
  for (std::size_t i = 1; i < table.header.size(); ++i) out += anchors ? "---|" : "---:|";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (const PageCell& cell : row) {
      const std::string text = for_markdown(cell.text);
      if (cell.anchor.empty())
        out += " " + text + " |";
      else if (anchors)
        out += " <a id=\"" + cell.anchor + "\"></a>" + text + " |";
      else
        out += " [" + text + "](#" + cell.anchor + ") |";
    }
    out += "\n";
  }
  return out + "\n";
}

std::string html_table(const PageTable& table, bool anchors) {
  std::string out = "<h2>" + for_html(table.title) + "</h2>\n<p class=\"note\">" +
                    for_html(table.note) + "</p>\n<table>\n<tr>";
  for (const std::string& title : table.header) out += "<th>" + for_html(title) + "</th>";
  out += "</tr>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (const PageCell& cell : row) {
      const std::string text = for_html(cell.text), anchor = for_html(cell.anchor);
      if (cell.anchor.empty())
        out += "<td>" + text + "</td>";
      else if (anchors)
        out += "<td id=\"" + anchor + "\">" + text + "</td>";
      else
        out += "<td><a href=\"#" + anchor + "\">" + text + "</a></td>";
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

constexpr std::string_view style =
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
    "color:#1d2430;background:#fff}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.2rem .7rem;border-bottom:1px solid #d8dde5;text-align:right}"
    "th:first-child,td:first-child{text-align:left}.note{color:#5a6472;max-width:50rem}"
    "figure{margin:1.5rem 0}svg{max-width:100%;height:auto}a{color:#1f5fa8}"
    ".sweeps td{text-align:left;max-width:50rem}";

}  // namespace

std::string markdown_of(const Page& page) {
  std::string out = "# " + page.title + "\n\n";
  for (const std::string& paragraph : page.paragraphs)
    out += wrapped(for_markdown(paragraph)) + "\n";
  for (const PageTable& table : page.tables) out += markdown_table(table, false);
  if (!page.sweeps.rows.empty()) out += markdown_table(page.sweeps, true);
  out.pop_back();
  return out;
}

std::string latex_of(const PageTable& table) {
  std::string out = "\\begin{table}\n\\caption{" + for_latex(table.title + ": " + table.note) +
                    "}\n\\begin{tabular}{l" + std::string(table.header.size() - 1, 'r') +
                    "}\n\\hline\n";
  const auto line = [&](const auto& cells, const auto& text_of) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      out += (i == 0 ? "" : " & ") + for_latex(text_of(cells[i]));
    out += " \\\\\n";
  };
  line(table.header, [](const std::string& title) { return title; });
  out += "\\hline\n";
  for (const auto& row : table.rows) line(row, [](const PageCell& cell) { return cell.text; });
  return out + "\\hline\n\\end{tabular}\n\\end{table}\n\n";
}

std::string latex_of(const Page& page) {
  std::string out = "% " + page.title + "\n";
  for (const std::string& paragraph : page.paragraphs) out += for_latex(paragraph) + "\n\n";
  for (const PageTable& table : page.tables) out += latex_of(table);
  return out;
}

std::string html_of(const Page& page) {
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
      for_html(page.title) + "</title><style>" + std::string(style) +
      "</style></head><body>\n<h1>" + for_html(page.title) + "</h1>\n";
  for (const std::string& paragraph : page.paragraphs)
    out += "<p>" + for_html(paragraph) + "</p>\n";
  for (const PageFigure& figure : page.figures)
    out += "<figure><figcaption>" + for_html(figure.title) + "</figcaption>" + figure.svg +
           "</figure>\n";
  for (const PageTable& table : page.tables) out += html_table(table, false);
  if (!page.sweeps.rows.empty())
    out += "<div class=\"sweeps\">" + html_table(page.sweeps, true) + "</div>";
  return out + "</body></html>\n";
}

}  // namespace hone::study
