// Values of columns in lines of CSV, JSON and free text; and patterns of file names.
#include "worker/agent/columns.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/case_name.hpp"
#include "worker/agent/glob.hpp"

namespace hone::worker {
namespace {

CollectSpec spec_of(CollectFormat format) {
  CollectSpec spec;
  spec.format = format;
  return spec;
}

class ReadColumns : public testing::Test {
 protected:
  bool read(std::string_view line) { return reader.read(line, row, fault); }

  ColumnReader reader{spec_of(CollectFormat::csv), {"score", "step"}};
  ColumnReader::Row row;
  std::string fault;
};

using Row = ColumnReader::Row;

// CSV ---------------------------------------------------------------------------------------------

TEST_F(ReadColumns, of_csv_by_the_names_of_its_header) {
  EXPECT_FALSE(read("time,step,score,loss"));
  EXPECT_EQ(fault, "") << "a header is no fault";
  EXPECT_TRUE(read("1,10,0.5,2"));
  EXPECT_EQ(row, (Row{0.5, 10.0}));
}

TEST_F(ReadColumns, of_csv_with_the_delimiter_of_its_header) {
  for (const char delimiter : {',', ';', '\t', ' '}) {
    reader.restart();
    const std::string d(1, delimiter);
    EXPECT_FALSE(read("step" + d + "score"));
    EXPECT_TRUE(read("10" + d + "0.5")) << "'" << d << "'";
    EXPECT_EQ(row, (Row{0.5, 10.0}));
  }
}

TEST_F(ReadColumns, of_csv_that_output_precedes) {
  EXPECT_FALSE(read("loading; please wait"));
  EXPECT_NE(fault.find("does not name the column 'score'"), std::string::npos);
  EXPECT_FALSE(read("step,score")) << "its delimiter is another one";
  EXPECT_TRUE(read("10,0.5"));
}

TEST_F(ReadColumns, of_csv_with_missing_fields) {
  read("step,score");
  EXPECT_TRUE(read("10"));
  EXPECT_EQ(row, (Row{std::nullopt, 10.0}));
  EXPECT_NE(fault.find("no number in the column 'score'"), std::string::npos);
  EXPECT_TRUE(read(",0.5"));
  EXPECT_EQ(row, (Row{0.5, std::nullopt}));
  EXPECT_FALSE(read("none,none"));
  EXPECT_FALSE(read("   "));
  EXPECT_EQ(fault, "") << "a blank line is no fault";
}

TEST_F(ReadColumns, of_csv_in_quotes) {
  read(R"("step","score")");
  EXPECT_TRUE(read(R"("10","0.5")"));
  EXPECT_EQ(row, (Row{0.5, 10.0}));
  EXPECT_FALSE(read(R"("10,0.5)")) << "an open quote takes the rest of the line";
}

TEST_F(ReadColumns, of_csv_without_a_header_by_their_places) {
  CollectSpec spec = spec_of(CollectFormat::csv);
  spec.columns = {"time", "score", "step"};
  reader = ColumnReader(spec, {"score", "step"});
  EXPECT_TRUE(read("1,0.5,10"));
  EXPECT_EQ(row, (Row{0.5, 10.0}));
  EXPECT_FALSE(read("time,score,step")) << "a header is skipped if there is one";
  EXPECT_EQ(fault, "");
}

TEST_F(ReadColumns, of_csv_that_begins_again_by_its_new_header) {
  read("step,score");
  reader.restart();
  EXPECT_FALSE(read("score;step"));
  EXPECT_TRUE(read("0.5;10"));
  EXPECT_EQ(row, (Row{0.5, 10.0}));
}

TEST_F(ReadColumns, of_csv_by_a_header_that_comes_again) {
  read("step,score");
  EXPECT_FALSE(read("score,step,loss"));
  EXPECT_EQ(fault, "");
  EXPECT_TRUE(read("0.5,10,2"));
  EXPECT_EQ(row, (Row{0.5, 10.0}));
}

// JSON --------------------------------------------------------------------------------------------

TEST_F(ReadColumns, of_json_at_their_paths) {
  reader = ColumnReader(spec_of(CollectFormat::jsonl), {"eval.score", "a.b.c"});
  EXPECT_TRUE(read(R"({"eval":{"score":4},"a":{"b":{"c":"1.5"}}})"));
  EXPECT_EQ(row, (Row{4.0, 1.5}));
  EXPECT_TRUE(read(R"({"eval.score":5,"a":{"b.c":6}})")) << "a name may have dots";
  EXPECT_EQ(row, (Row{5.0, 6.0}));
  EXPECT_FALSE(read(R"({"eval":3,"a":[1]})"));
  EXPECT_EQ(fault, "");
}

TEST_F(ReadColumns, of_json_are_numbers_or_texts_that_are_numbers) {
  reader = ColumnReader(spec_of(CollectFormat::jsonl), {"score"});
  EXPECT_TRUE(read(R"({"score":"nan"})"));
  EXPECT_TRUE(row[0] && std::isnan(*row[0]));
  for (const char* line : {R"({"score":true})", R"({"score":null})", R"({"score":"high"})"})
    EXPECT_FALSE(read(line)) << line;
}

TEST_F(ReadColumns, of_json_among_other_output) {
  reader = ColumnReader(spec_of(CollectFormat::jsonl), {"score"});
  EXPECT_FALSE(read("Epoch 1 of 10"));
  EXPECT_EQ(fault, "");
  EXPECT_FALSE(read(R"({"score": 1)"));
  EXPECT_NE(fault, "") << "an object that is cut off";
  EXPECT_TRUE(read(R"(  {"score": 1}  )"));
}

TEST_F(ReadColumns, of_json_whose_objective_is_no_number_with_the_fault) {
  reader = ColumnReader(spec_of(CollectFormat::jsonl), {"score"});
  EXPECT_FALSE(read(R"({"score": "high"})"));
  EXPECT_EQ(fault, "'high' in 'score' is not a number");
  fault.clear();
  EXPECT_FALSE(read(R"({"score": {"mean": 1}})"));
  EXPECT_EQ(fault, R"('{"mean":1}' in 'score' is not a number)");
  EXPECT_TRUE(read(R"({"score": "0.5"})"));
  EXPECT_EQ(row[0], 0.5);
}

// Python's json module writes NaN, and such lines were skipped: the run that exploded won.
TEST_F(ReadColumns, of_json_with_nan_and_infinity_as_python_writes_them) {
  reader = ColumnReader(spec_of(CollectFormat::jsonl), {"score"});
  EXPECT_TRUE(read(R"({"score": NaN})"));
  EXPECT_TRUE(row[0] && std::isnan(*row[0]));
  EXPECT_TRUE(read(R"({"score": -Infinity})"));
  EXPECT_EQ(row[0], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(read(R"({"score": 1e400})"));
  EXPECT_EQ(row[0], std::numeric_limits<double>::infinity());
  EXPECT_TRUE(read(R"({"score": [0.5]})"));
  EXPECT_EQ(row[0], 0.5);
}

TEST_F(ReadColumns, of_json_whatever_its_other_fields_are) {
  reader = ColumnReader(spec_of(CollectFormat::jsonl), {"score"});
  for (const char* line :
       {R"({"lr": NaN, "score": 4})", R"({"grad": Infinity, "score": 4})",
        R"({"x": 1e999, "score": 4})", R"({"x": 1, "x": 2, "score": 4})",
        "{\"name\": \"\xFF\xFE\", \"score\": 4}", R"({"path": "C:\data", "score": 4})",
        R"({"score": 3, "score": 4})", "{\"note\": \"a\tb\", \"score\": 4}"}) {
    EXPECT_TRUE(read(line)) << line;
    EXPECT_EQ(row[0], 4.0) << line;
  }
  std::string deep = R"({"score": 4, "deep": )";
  for (int i = 0; i < 200; ++i) deep += '[';
  for (int i = 0; i < 200; ++i) deep += ']';
  EXPECT_TRUE(read(deep + "}"));
}

// Free text ---------------------------------------------------------------------------------------

TEST_F(ReadColumns, of_text_by_the_groups_of_patterns) {
  CollectSpec spec = spec_of(CollectFormat::regex);
  spec.patterns = {R"(step (?<step>\d+))", R"(score=(?<score>\S+))", R"(return (?<score>\S+))"};
  reader = ColumnReader(spec, {"score", "step"});
  EXPECT_TRUE(read("at step 10 the score=0.5"));
  EXPECT_EQ(row, (Row{0.5, 10.0}));
  EXPECT_TRUE(read("return -1e2"));
  EXPECT_EQ(row, (Row{-100.0, std::nullopt}));
  EXPECT_FALSE(read("nothing here"));
  EXPECT_FALSE(read("score=high"));
  EXPECT_EQ(fault, "'high' in 'score' is not a number");
  EXPECT_EQ(reader.unreadable(), fault);
}

// The pattern had matched, and the run ended with "0 of the 1 line matched the pattern".
TEST_F(ReadColumns, of_text_as_python_represents_numbers) {
  CollectSpec spec = spec_of(CollectFormat::regex);
  spec.patterns = {R"(loss=(?<score>\S+))"};
  reader = ColumnReader(spec, {"score"});
  for (const char* line : {"loss=np.float64(0.25)", "loss=tensor(0.25)", "loss=[0.25]",
                           "loss=tensor(0.25, device='cuda:0')", "loss=2.5d-1"}) {
    EXPECT_TRUE(read(line)) << line;
    EXPECT_EQ(row[0], 0.25) << line;
  }
  EXPECT_TRUE(read("loss=1,234.5"));
  EXPECT_EQ(row[0], 1234.5);
  EXPECT_FALSE(read("loss=12.5%"));
  EXPECT_EQ(fault, "'12.5%' in 'score' is not a number");
}

// Fields ------------------------------------------------------------------------------------------

TEST(CsvFields, keep_empty_fields_and_commas_in_quotes) {
  using Fields = std::vector<std::string>;
  EXPECT_EQ(csv_fields("a,,b,", ','), (Fields{"a", "", "b", ""}));
  EXPECT_EQ(csv_fields("", ','), Fields{""});
  EXPECT_EQ(csv_fields(R"("a,b",c)", ','), (Fields{"a,b", "c"}));
  EXPECT_EQ(csv_fields(R"("a ""b""",x)", ','), (Fields{R"(a "b")", "x"}));
  EXPECT_EQ(csv_fields("   ", ' '), Fields{});
}

// Globs -------------------------------------------------------------------------------------------

struct GlobCase {
  const char* pattern;
  const char* path;
  bool matches;
};

class Globs : public testing::TestWithParam<GlobCase> {};

TEST_P(Globs, match_as_documented) {
  const GlobCase& one = GetParam();
  EXPECT_EQ(matches_glob(one.pattern, one.path), one.matches) << one.pattern << "  " << one.path;
}

INSTANTIATE_TEST_SUITE_P(
    All, Globs,
    testing::Values(GlobCase{"a.png", "a.png", true}, GlobCase{"a.png", "A.png", false},
                    GlobCase{"./a.png", "a.png", true}, GlobCase{"?.png", "a.png", true},
                    GlobCase{"?.png", "ab.png", false}, GlobCase{"?", "/", false},
                    GlobCase{"*", "a/b", true}, GlobCase{"*.csv", "a/b.csv", false},
                    GlobCase{"*/b.csv", "a/b.csv", true}, GlobCase{"a/*", "a/b/c", true},
                    GlobCase{"**", "a/b/c", true}, GlobCase{"**/c", "a/b/c", true},
                    GlobCase{"**/c", "c", true}, GlobCase{"a/**/c", "a/c", true},
                    GlobCase{"a/**/c", "a/x/y/c", true}, GlobCase{"a/**/c", "b/x/c", false},
                    GlobCase{"a**c", "axxc", true}, GlobCase{"*a*a*a*b", "aaaaaaaaaaaaaaaa", false},
                    GlobCase{"out", "out/x", true}, GlobCase{"out", "output/x", false},
                    GlobCase{"out/", "out/x", false}, GlobCase{"*.d", "x.d/file", true},
                    GlobCase{"", "", true}, GlobCase{"*", "", true}, GlobCase{"a", "", false}),
    [](const auto& one) {
      return case_name(std::string(one.param.pattern) + " " + one.param.path, one.index);
    });

// A pattern of many wildcards takes no more than the product of the lengths: this one would take
// years if every split were tried.
TEST(Glob, is_fast_for_hostile_patterns) {
  std::string pattern, path(2000, 'a');
  for (int i = 0; i < 500; ++i) pattern += "*a";
  EXPECT_FALSE(matches_glob(pattern + "b", path));
  EXPECT_TRUE(matches_glob(pattern, path));
}

// A line of output before the new header would be read by the columns of the old one.
TEST_F(ReadColumns, a_file_that_begins_again_is_read_by_its_own_header_alone) {
  read("score,step");
  EXPECT_TRUE(read("0.5,10"));
  reader.restart();
  EXPECT_FALSE(read("7,8"));
  EXPECT_NE(fault, "");
  EXPECT_FALSE(read("step,score"));
  EXPECT_TRUE(read("10,0.5"));
  EXPECT_EQ(row, (Row{0.5, 10.0}));
}

}  // namespace
}  // namespace hone::worker
