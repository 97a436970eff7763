// The only way of a command to stdout and stderr (tests/lint/tidy.py rejects others). A terminal
// obeys what it is sent, and most of what a command prints was written by others: a server, a
// user of it, a file. Control characters are shown here, whatever the command did with its text;
// colours are those of paint().
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string_view>

#include "base/result.hpp"

namespace hone::cli {

class Terminal {
 public:
  // On stdout and stderr. `color`: whether stdout shows the colours of paint().
  explicit Terminal(bool color = false);
  Terminal(std::ostream& out, std::ostream& messages, bool color);

  // Text, on stdout.
  void print(std::string_view text);
  // JSON, on stdout: the same document.
  void print_json(std::string_view json);
  // Writes unchanged bytes to stdout: a downloaded file, a raw log.
  void print_bytes(std::string_view bytes);
  Status print_file(const std::filesystem::path& file);

  // Draws a block of lines over the one before, which had `lines_before` lines. Returns the number
  // of lines of the new one.
  std::ptrdiff_t redraw(std::string_view block, std::ptrdiff_t lines_before);

  // A paragraph on stderr, wrapped where that is a terminal.
  void note(std::string_view text);
  // A line on stderr, unwrapped.
  void message(std::string_view line);
  // A question on stderr; the answer follows on the same line.
  void ask(std::string_view question);
  // The progress of a computation, on stderr: in place on a terminal, else as a further line.
  void show_progress(std::string_view line);
  // Removes it from a terminal.
  void end_progress();

 private:
  std::ostream& out_;
  std::ostream& messages_;
  bool color_;
  int columns_ = 0;  // of the terminal behind stderr; 0: there is none
};

}  // namespace hone::cli
