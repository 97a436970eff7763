#include "sdk/cli/session/flags.hpp"

#include <gtest/gtest.h>

#include "sdk/cli/session/input.hpp"

namespace hone::cli {
namespace {

using Words = std::vector<std::string>;

// The options of an invented command.
struct Options {
  std::string file, folder = "out";
  Words sets, columns, rest;
  int limit = 10;
  std::int64_t seed = 1;
  double share = 0.5;
  bool quiet = false;
};

void add_all(Flags& flags, Options& options) {
  flags.argument("FILE", options.file, "the file");
  flags.arguments("WORD", options.rest, "more words");
  flags.text("-o,--output DIR", options.folder, "the folder");
  flags.texts("--set NAME=VALUE", options.sets, "a setting");
  flags.comma_separated("--columns NAMES", options.columns, "the columns");
  flags.heading("Numbers");
  flags.integer("-n,--limit N", options.limit, {1, 100}, "how many");
  flags.integer("--seed N", options.seed, {0, 9e15}, "the seed");
  flags.real("--share X", options.share, {0, 1}, "the share");
  flags.flag("-q,--quiet", options.quiet, "no messages");
}

std::string error_of(const Words& words) {
  Flags flags;
  Options options;
  add_all(flags, options);
  const auto parsed = flags.parse(words);
  if (parsed) return "";
  EXPECT_EQ(parsed.error().code, Code::invalid);
  return parsed.error().detail;
}

TEST(Flags, keep_the_defaults_of_absent_options) {
  Flags flags;
  Options options;
  add_all(flags, options);
  ASSERT_TRUE(flags.parse({"a.yaml"}).ok());
  EXPECT_EQ(options.file, "a.yaml");
  EXPECT_EQ(options.folder, "out");
  EXPECT_EQ(options.limit, 10);
  EXPECT_EQ(options.seed, 1);
  EXPECT_EQ(options.share, 0.5);
  EXPECT_FALSE(options.quiet);
  EXPECT_TRUE(options.sets.empty());
}

TEST(Flags, read_every_type) {
  Flags flags;
  Options options;
  add_all(flags, options);
  const auto parsed =
      flags.parse({"a.yaml", "-o", "there", "--set", "x=1", "--set", "y=2", "--columns", "a,b",
                   "-n", "7", "--seed=123456789012", "--share", "0.25", "-q", "more", "words"});
  ASSERT_TRUE(parsed.ok()) << parsed.error().detail;
  EXPECT_EQ(options.folder, "there");
  EXPECT_EQ(options.sets, (Words{"x=1", "y=2"}));
  EXPECT_EQ(options.columns, (Words{"a", "b"}));
  EXPECT_EQ(options.limit, 7);
  EXPECT_EQ(options.seed, 123456789012);
  EXPECT_EQ(options.share, 0.25);
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(options.rest, (Words{"more", "words"}));
}

TEST(Flags, take_no_second_value_for_a_repeatable_option) {
  Flags flags;
  Options options;
  add_all(flags, options);
  ASSERT_TRUE(flags.parse({"--set", "x=1", "a.yaml", "word"}).ok());
  EXPECT_EQ(options.sets, Words{"x=1"});
  EXPECT_EQ(options.file, "a.yaml");
}

TEST(Flags, reject_values_out_of_bounds_and_words_that_are_no_numbers) {
  EXPECT_NE(error_of({"a", "--limit", "0"}).find("'0' is not a number from 1 to 100"),
            std::string::npos);
  EXPECT_NE(error_of({"a", "--limit", "101"}).find("'101' is not a number from 1 to 100"),
            std::string::npos);
  EXPECT_NE(error_of({"a", "--limit", "many"}).find("'many' is not a number"), std::string::npos);
  EXPECT_NE(error_of({"a", "--share", "1.5"}).find("'1.5' is not a number from 0 to 1"),
            std::string::npos);
  EXPECT_NE(error_of({"a", "--limit", "2.5"}), "");
}

TEST(Flags, name_the_option_that_may_have_been_meant) {
  EXPECT_EQ(error_of({"a", "--limt", "3"}), "unknown option '--limt' (did you mean '--limit'?)");
  EXPECT_EQ(error_of({"a", "--zzzzzzz"}), "unknown option '--zzzzzzz'");
}

TEST(Flags, reject_a_missing_argument_and_a_missing_value) {
  EXPECT_NE(error_of({}).find("FILE"), std::string::npos);
  EXPECT_NE(error_of({"a", "--output"}).find("--output"), std::string::npos);
}

TEST(Flags, reject_an_argument_too_many) {
  Flags flags;
  std::string only;
  flags.argument("ONLY", only, "the only argument");
  const auto parsed = flags.parse({"a", "b"});
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().detail, "unexpected argument 'b'");
}

TEST(Flags, list_arguments_and_options_under_their_headings) {
  Flags flags;
  Options options;
  add_all(flags, options);
  EXPECT_EQ(flags.help(), R"(
Arguments
  FILE                    the file
  WORD                    more words

Options
  -h,--help               print this help
  -o,--output DIR         the folder
  --set NAME=VALUE        a setting
  --columns NAMES         the columns

Numbers
  -n,--limit N            how many
  --seed N                the seed
  --share X               the share
  -q,--quiet              no messages
)");
}

TEST(Flags, report_that_help_is_requested_whatever_else_is_wrong) {
  Flags flags;
  Options options;
  add_all(flags, options);
  const auto parsed = flags.parse({"--help"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, Flags::Parsed::help_requested);
}

TEST(Numbers, are_the_whole_text_and_finite) {
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(parse_number("-1e-3"), -0.001);
  for (const char* text : {"", "x", "1x", "1 2", "nan", "inf", "1e999", "0x10"})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
}

TEST(Files, that_are_written_are_read_back) {
  const std::string path = testing::TempDir() + "/hone-input-test.txt";
  ASSERT_TRUE(write_file(path, "two\nlines\n").ok());
  ASSERT_TRUE(write_file(path, std::string_view("a\0b", 3)).ok());
  const auto text = read_file(path);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, std::string("a\0b", 3));
  std::filesystem::remove(path);
}

TEST(Files, that_cannot_be_used_are_named) {
  const auto absent = read_file("/nowhere/sets.json");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, Code::not_found);
  EXPECT_EQ(absent.error().detail, "no such file: /nowhere/sets.json");
  const auto unwritable = write_file("/nowhere/table.csv", "x");
  ASSERT_FALSE(unwritable.ok());
  EXPECT_EQ(unwritable.error().detail,
            "cannot write /nowhere/table.csv: No such file or directory");
}

}  // namespace
}  // namespace hone::cli
