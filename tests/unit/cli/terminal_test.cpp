#include "sdk/cli/render/terminal.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "sdk/cli/render/screen.hpp"

namespace hone::cli {
namespace {

Screen colored() {
  Screen screen;
  screen.color = true;
  return screen;
}

struct Streams {
  std::ostringstream out, messages;
  Terminal on(bool color) { return Terminal(out, messages, color); }
};

TEST(CliTerminal, has_the_colours_of_paint_and_no_others) {
  Streams streams;
  streams.on(true).print(paint(colored(), Ink::bad, "a\x1b[32mb") + "\xff" + "9\xff");
  EXPECT_EQ(streams.out.str(), "\x1b[31ma^[[32mb\x1b[0m?9?");
}

TEST(CliTerminal, marks_in_a_file_of_others_are_no_colours_where_there_are_none) {
  Streams streams;
  streams.on(false).print("\xff\x31red");
  EXPECT_EQ(streams.out.str(), "?1red");
}

TEST(CliTerminal, messages_are_shown_text_too) {
  Streams streams;
  streams.on(true).note("\x1b[2Jno\n");
  streams.on(true).message("\u202eno");
  streams.on(true).ask("\u009b?");
  EXPECT_EQ(streams.messages.str(), "^[[2Jno\n\n<U+202E>no\n<U+009B>?");
}

TEST(CliTerminal, a_block_over_another_erases_what_was_there) {
  Streams streams;
  Terminal terminal = streams.on(false);
  EXPECT_EQ(terminal.redraw("a\x1b[H\nb\n", 0), 2);
  EXPECT_EQ(terminal.redraw("c\n", 2), 1);
  EXPECT_EQ(streams.out.str(), "a^[[H\x1b[K\nb\x1b[K\n\x1b[2Fc\x1b[K\n\x1b[J");
}

TEST(CliTerminal, bytes_that_were_asked_for_stay_as_they_are) {
  Streams streams;
  streams.on(false).print_bytes("\x1b[2J\xff");
  EXPECT_EQ(streams.out.str(), "\x1b[2J\xff");
}

}  // namespace
}  // namespace hone::cli
