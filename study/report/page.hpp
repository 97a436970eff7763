// The report of a study: paragraphs, tables and figures, which each format renders.
#pragma once

#include <string>
#include <vector>

#include "study/results/findings.hpp"

namespace hone::study {

struct PageCell {
  std::string text;
  std::string anchor{};  // of the sweeps that it follows from; empty: none
};

struct PageTable {
  std::string title;
  std::string note;                 // what the columns mean
  std::vector<std::string> header;  // the first column is text, the others are numbers
  std::vector<std::vector<PageCell>> rows{};
};

struct PageFigure {
  std::string title;
  std::string svg;
};

struct Page {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<PageTable> tables;
  std::vector<PageFigure> figures;
  // For each cell its anchor and its sweeps: the only part that depends on when sweeps ran.
  PageTable sweeps;
};

// `command`: prints the page again.
Page page_of(const Study& study, const Findings& findings, const std::string& command);

std::string markdown_of(const Page& page);
std::string latex_of(const Page& page);
// A floating table with a caption.
std::string latex_of(const PageTable& table);
// One file, without scripts and without requests.
std::string html_of(const Page& page);

}  // namespace hone::study
