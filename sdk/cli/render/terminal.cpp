#include "sdk/cli/render/terminal.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>

#include "base/shown.hpp"
#include "sdk/cli/render/screen.hpp"
#include "sdk/cli/render/width.hpp"

namespace hone::cli {
namespace {

constexpr std::string_view erase_line = "\r\x1b[K";

// The text, with the marks of paint() as the colours that they stand for.
std::string painted_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = std::min(text.find(ink_mark, at), text.size());
    out += shown_text(text.substr(at, mark - at));
    const std::string_view code = color_code(text.substr(mark));
    if (mark < text.size() && code.empty()) out += '?';
    out += code;
    at = mark + (code.empty() ? 1 : ink_mark_bytes);
  }
  return out;
}

}  // namespace

Terminal::Terminal(bool color) : Terminal(std::cout, std::cerr, color) {
  if (const Screen screen = detect_screen(STDERR_FILENO, true); screen.is_terminal)
    columns_ = screen.columns;
}

Terminal::Terminal(std::ostream& out, std::ostream& messages, bool color)
    : out_(out), messages_(messages), color_(color) {}

void Terminal::print(std::string_view text) {
  out_ << (color_ ? painted_text(text) : shown_text(text)) << std::flush;
}

void Terminal::print_json(std::string_view json) { out_ << shown_json(json) << std::flush; }

void Terminal::print_bytes(std::string_view bytes) { out_ << bytes << std::flush; }

Status Terminal::print_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    return refuse(Code::internal, "cannot read " + file.string() + ": " + std::strerror(errno));
  if (stream.peek() != std::ifstream::traits_type::eof()) out_ << stream.rdbuf();
  out_ << std::flush;
  if (out_) return Done{};
  return refuse(Code::internal, "cannot write to stdout");
}

std::ptrdiff_t Terminal::redraw(std::string_view block, std::ptrdiff_t lines_before) {
  std::string out;
  if (lines_before > 0) out = "\x1b[" + std::to_string(lines_before) + "F";
  for (const char c : color_ ? painted_text(block) : shown_text(block))
    out += c == '\n' ? std::string("\x1b[K\n") : std::string(1, c);
  const auto lines = std::count(block.begin(), block.end(), '\n');
  if (lines < lines_before) out += "\x1b[J";
  out_ << out << std::flush;
  return lines;
}

void Terminal::note(std::string_view text) {
  const std::string shown = shown_text(text);
  // A terminal would break a long line inside its words.
  messages_ << (columns_ > 0 ? paragraphs(shown, columns_) : shown + "\n") << std::flush;
}

void Terminal::message(std::string_view line) { messages_ << shown_text(line) << std::endl; }

void Terminal::ask(std::string_view question) { messages_ << shown_text(question) << std::flush; }

void Terminal::show_progress(std::string_view line) {
  messages_ << (columns_ > 0 ? erase_line : "") << shown_text(line) << (columns_ > 0 ? "" : "\n")
            << std::flush;
}

void Terminal::end_progress() {
  if (columns_ > 0) messages_ << erase_line << std::flush;
}

}  // namespace hone::cli
