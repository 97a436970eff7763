// One line as the words of a command, and the names in them.
#include "schemas/types/command_words.hpp"

#include <gtest/gtest.h>

namespace hone {
namespace {

using Words = std::vector<std::string>;

TEST(CommandWords, a_line_is_split_as_a_shell_splits_it) {
  EXPECT_EQ(*split_command("python3  train.py --lr ${lr}"),
            (Words{"python3", "train.py", "--lr", "${lr}"}));
  EXPECT_EQ(*split_command(R"(a 'b c' "d \" e" f\ g '' x"y"z)"),
            (Words{"a", "b c", "d \" e", "f g", "", "xyz"}));
  EXPECT_EQ(*split_command("a '${x y}' ${x:-two words}"),
            (Words{"a", "${x y}", "${x:-two words}"}));
  EXPECT_EQ(*split_command("a '|;&*' b=c d~e f#g"), (Words{"a", "|;&*", "b=c", "d~e", "f#g"}));
  EXPECT_TRUE(split_command("   ")->empty());
}

TEST(CommandWords, what_only_a_shell_can_do_is_refused) {
  for (const auto* line :
       {"a | b", "a > b", "a && b", "a; b", "a $HOME", "a `b`", "a *.txt", "a $(b)", "~/train",
        "a # b", "a \"$HOME\"", "a 'b", "a \"b", "a \\", "LR=1 train"}) {
    const auto words = split_command(line);
    EXPECT_FALSE(words) << line;
  }
}

TEST(CommandWords, names_and_fallbacks) {
  const auto pieces = pieces_of("--lr=${lr:-0.1},$${x}${y}");
  ASSERT_TRUE(pieces);
  EXPECT_EQ(*pieces,
            (std::vector<WordPiece>{
                {"--lr=", false, {}}, {"lr", true, "0.1"}, {",${x}", false, {}}, {"y", true, {}}}));
  EXPECT_FALSE(pieces_of("${lr"));
  EXPECT_FALSE(pieces_of("${}"));
  const Words words{"a", "--lr=${lr}"};
  EXPECT_TRUE(names(words, "lr"));
  EXPECT_FALSE(names(words, "l"));
}

}  // namespace
}  // namespace hone
