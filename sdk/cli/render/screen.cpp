#include "sdk/cli/render/screen.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace hone::cli {
namespace {

constexpr int columns_without_terminal = 80;
constexpr int columns_min = 40;  // narrower than this no table can be laid out

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

// As in setlocale(3), the first variable that is set decides.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(variable(name));
    if (locale.empty()) continue;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

int columns_of(int descriptor, bool is_terminal) {
  const int requested = std::atoi(std::string(variable("COLUMNS")).c_str());
  if (requested > 0) return std::max(requested, columns_min);
  winsize size{};
  if (is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<int>(size.ws_col, columns_min);
  return columns_without_terminal;
}

struct InkRow {
  Ink ink;
  char letter;  // in a mark
  std::string_view code;
};
constexpr std::array<InkRow, 7> inks = {{{Ink::plain, '0', "\x1b[0m"},
                                         {Ink::bold, '1', "\x1b[1m"},
                                         {Ink::dim, '2', "\x1b[2m"},
                                         {Ink::good, '3', "\x1b[32m"},
                                         {Ink::warn, '4', "\x1b[33m"},
                                         {Ink::bad, '5', "\x1b[31m"},
                                         {Ink::accent, '6', "\x1b[36m"}}};

std::string mark_of(Ink ink) {
  return {ink_mark, std::ranges::find(inks, ink, &InkRow::ink)->letter};
}

}  // namespace

Screen detect_screen(int descriptor, bool no_color) {
  Screen screen;
  screen.is_terminal = isatty(descriptor) == 1 && variable("TERM") != "dumb";
  screen.columns = columns_of(descriptor, screen.is_terminal);
  screen.color = screen.is_terminal && !no_color && variable("NO_COLOR").empty();
  screen.unicode = locale_is_utf8();
  return screen;
}

std::string paint(const Screen& screen, Ink ink, std::string_view text) {
  if (!screen.color || ink == Ink::plain || text.empty()) return std::string(text);
  return mark_of(ink).append(text).append(mark_of(Ink::plain));
}

std::string_view color_code(std::string_view text) {
  if (text.size() < ink_mark_bytes || text[0] != ink_mark) return {};
  const auto row = std::ranges::find(inks, text[1], &InkRow::letter);
  return row == inks.end() ? std::string_view{} : row->code;
}

Ink ink_of_state(std::string_view state) {
  if (state == "completed" || state == "ok") return Ink::good;
  if (state == "running" || state == "leased") return Ink::accent;
  if (state == "queued" || state == "paused" || state == "stopping") return Ink::warn;
  if (state == "failed" || state == "canceled" || state == "diverged") return Ink::bad;
  return Ink::plain;
}

}  // namespace hone::cli
