// One line as the words of a command, and the names in them.
#include "schemas/types/command_words.hpp"

#include <gtest/gtest.h>

#include "schemas/types/passing.hpp"

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

CommandTrainer trainer_of(Words argv, ParamStyle style) {
  CommandTrainer trainer;
  trainer.argv = std::move(argv);
  trainer.params = style;
  return trainer;
}

TEST(CommandWords, a_parameter_that_no_word_names_was_searched_in_silence) {
  SweepSpec spec;
  spec.parameters = {{"lr", FloatDomain{}, ""},
                     {"clip", FloatDomain{}, ""},
                     {"exponent", FloatDomain{}, ""},
                     {"rate", DerivedDomain{"10 ^ exponent"}, ""}};
  const auto unpassed = [&](Words argv, ParamStyle style = ParamStyle::none) {
    spec.trainer = trainer_of(std::move(argv), style);
    return unpassed_parameters(spec);
  };
  EXPECT_EQ(unpassed({"train", "${lr}"}), (Words{"clip", "rate"}));
  EXPECT_EQ(unpassed({"train", "${lr}${clip?}", "${rate?a:b}"}), Words{});
  EXPECT_EQ(unpassed({"train"}, ParamStyle::flags), Words{});
  EXPECT_EQ(unpassed({"train", "${hone.params_file}"}), Words{});
  EXPECT_EQ(unpassed({"train", "${hone.params}"}), Words{});
  EXPECT_EQ(unpassed({"sh", "-c", "train < $HONE_PARAMS_FILE"}), Words{});
  spec.trainer = PipelineTrainer{{{"prepare", trainer_of({"make", "${clip}"}, {}), {}, {}, {}, {}},
                                  {"train", trainer_of({"train", "${lr}"}, {}), {}, {}, {}, {}}}};
  EXPECT_EQ(unpassed_parameters(spec), Words{"rate"});
}

TEST(CommandWords, two_parameters_became_one_variable) {
  const Space space{
      {"a.b", FloatDomain{}, ""}, {"a_b", FloatDomain{}, ""}, {"c", FloatDomain{}, ""}};
  const auto shared = shared_variables(trainer_of({"train"}, ParamStyle::env), space);
  ASSERT_EQ(shared.size(), 1U);
  EXPECT_EQ(shared[0].first + " " + shared[0].second + " " + shared[0].variable,
            "a.b a_b HONE_PARAM_A_B");
  EXPECT_TRUE(shared_variables(trainer_of({"train", "${a.b}"}, ParamStyle::env), space).empty());
  EXPECT_TRUE(shared_variables(trainer_of({"train"}, ParamStyle::flags), space).empty());
}

TEST(CommandWords, names_and_fallbacks) {
  const auto pieces = pieces_of("--lr=${lr:-0.1},$${x}${y}");
  ASSERT_TRUE(pieces);
  EXPECT_EQ(*pieces,
            (std::vector<WordPiece>{
                {"--lr=", false, {}}, {"lr", true, "0.1"}, {",${x}", false, {}}, {"y", true, {}}}));
  // A name ends where its form begins, also before ":-" in a text.
  const auto forms = pieces_of("${norm?--norm:--no-norm}${x?}${sizes*}");
  ASSERT_TRUE(forms);
  EXPECT_EQ(*forms,
            (std::vector<WordPiece>{{"norm", true, {}, Filling::conditional, "--norm", "--no-norm"},
                                    {"x", true, {}, Filling::optional, {}, {}},
                                    {"sizes", true, {}, Filling::items, {}, {}}}));
  EXPECT_FALSE(pieces_of("${lr"));
  EXPECT_FALSE(pieces_of("${}"));
  const Words words{"a", "--lr=${lr}"};
  EXPECT_TRUE(names(words, "lr"));
  EXPECT_FALSE(names(words, "l"));
}

}  // namespace
}  // namespace hone
