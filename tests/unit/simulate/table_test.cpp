// Curve tables: what is read, what is refused, and the arithmetic of regret.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schemas/codec/json.hpp"
#include "server/simulate/curve_table.hpp"
#include "tests/unit/case_name.hpp"

namespace hone::simulate {
namespace {

constexpr std::string_view card = R"({"goal": "maximize", "checkpoints": 2, "parameters": {
  "lr": {"type": "float", "min": 0.001, "max": 1, "scale": "log"},
  "opt": {"type": "choice", "values": ["sgd", "adam"]}}})";

constexpr std::string_view rows =
    "lr,opt,seed,v1,v2\n"
    "0.001,sgd,0,1,2\n"
    "0.001,sgd,1,1,4\n"
    "0.1,adam,0,5,10\n"
    "1,adam,0,3,\n";  // diverged

CurveTable table_of(std::string_view csv) {
  return std::move(CurveTable::parse("small", csv, card)).value();
}

TEST(CurveTable, means_the_last_tenth_over_the_seeds_and_counts_divergence_as_the_worst) {
  const CurveTable table = table_of(rows);
  ASSERT_EQ(table.configurations().size(), 3U);
  EXPECT_DOUBLE_EQ(table.true_value(0), 3);  // (2 + 4) / 2
  EXPECT_DOUBLE_EQ(table.true_value(1), 10);
  EXPECT_DOUBLE_EQ(table.true_value(2), 1);  // the worst value of the table
  EXPECT_DOUBLE_EQ(table.full_run_seconds(), 2);
}

TEST(CurveTable, measures_regret_from_the_best_in_units_of_best_to_median) {
  const CurveTable table = table_of(rows);
  // The third set diverged: the median of the two others is 6.5.
  EXPECT_FALSE(table.diverged(1));
  EXPECT_TRUE(table.diverged(2));
  EXPECT_DOUBLE_EQ(table.regret(1), 0);
  EXPECT_DOUBLE_EQ(table.regret(0), 2);
  EXPECT_DOUBLE_EQ(table.regret(2), 9.0 / 3.5);
  EXPECT_DOUBLE_EQ(table.blind_regret(), (2 + 9.0 / 3.5) / 3);
}

TEST(CurveTable, rates_by_the_time_until_a_bar) {
  CurveTable table = table_of(rows);
  table.rate_by(Reach{4, false, RunClock::seconds}, 1000);
  EXPECT_DOUBLE_EQ(table.true_value(0), 3);  // never, which counts as 4 s, and after 2 s
  EXPECT_DOUBLE_EQ(table.true_value(1), 1);
  EXPECT_DOUBLE_EQ(table.true_value(2), 4);
  EXPECT_DOUBLE_EQ(table.regret(1), 0);
  table.rate_by(Reach{4, false, RunClock::steps}, 1000);
  EXPECT_DOUBLE_EQ(table.true_value(1), 500);
}

TEST(CurveTable, losses_that_explode_do_not_become_the_unit) {
  const auto table_with = [](const std::string& loss) {
    return std::move(CurveTable::parse("explodes",
                                       "x,seed,v1,v2\n"
                                       "0,0,2,1\n0.2,0,2,1.5\n0.4,0,2,1.25\n"
                                       "0.6,0,2," +
                                           loss + "\n0.8,0,3," + loss + "\n1,0,2,1.1\n",
                                       R"({"goal": "minimize", "parameters":
        {"x": {"type": "float", "min": 0, "max": 1}}})"))
        .value();
  };
  const CurveTable huge = table_with("1e34"), missing = table_with("");
  for (const CurveTable* table : {&huge, &missing}) {
    // Four sets are sound: losses 1, 1.1, 1.25, 1.5, median 1.175. The floor is 2 + (2 - 1).
    EXPECT_NEAR(table->regret(1), 0.5 / 0.175, 1e-9);
    EXPECT_NEAR(table->regret(3), 2 / 0.175, 1e-9);
    EXPECT_TRUE(table->diverged(3));
    EXPECT_FALSE(table->diverged(1));
  }
}

TEST(CurveTable, a_table_whose_median_is_the_best_measures_in_a_twentieth_of_its_spread) {
  const CurveTable table = table_of(
      "lr,opt,seed,v1,v2\n"
      "0.001,sgd,0,0,0\n"
      "0.01,sgd,0,9,9\n"
      "0.1,sgd,0,9,9\n"
      "1,sgd,0,9,9\n");
  // 10 % quantile of {0, 9, 9, 9}: 2.7; 5 % of (9 - 2.7)
  EXPECT_NEAR(table.regret(0), 9 / (0.05 * 6.3), 1e-9);
}

TEST(CurveTable, a_parameter_set_takes_the_nearest_row_on_the_scale) {
  const CurveTable table = table_of(rows);
  const auto nearest = [&](double lr, const char* opt) {
    return table.nearest({{"lr", lr}, {"opt", std::string(opt)}}).value();
  };
  EXPECT_EQ(nearest(0.2, "adam"), 1U);
  EXPECT_EQ(nearest(0.9, "adam"), 2U);
  EXPECT_EQ(nearest(0.002, "adam"), 1U);  // another optimizer is as far as the whole scale
  EXPECT_EQ(nearest(1e-9, "sgd"), 0U);    // off the scale: its end
}

TEST(CurveTable, reads_what_the_writer_wrote) {
  auto writer = CurveTableWriter::make({"lr", "opt"}, 2);
  ASSERT_TRUE(writer);
  writer->add({"0.001", "sgd"}, {9, {1, 2}, {0.5, 1.5}});
  writer->add({"0.001", "sgd"}, {9, {1, 4}, {0.5, 1.5}});
  writer->add({"1", "adam"}, {9, {3, std::nullopt}, {0.5}});
  EXPECT_EQ(writer->rows(), 3U);
  const CurveTable table = table_of(writer->csv());
  ASSERT_EQ(table.configurations().size(), 2U);
  EXPECT_EQ(table.configurations()[0].curves[1].seed, 1);
  EXPECT_EQ(table.configurations()[0].curves[1].seconds, (std::vector<double>{0.5, 1.5}));
  EXPECT_EQ(table.configurations()[1].curves[0].values[1], std::nullopt) << "diverged";
  EXPECT_FALSE(CurveTableWriter::make({"v2"}, 2)) << "the name of another column";
}

TEST(CurveTable, reads_quoted_cells_as_export_writes_them) {
  const auto table =
      CurveTable::parse("quoted", "net,seed,v1\n\"16, 16\",0,1\n\"a \"\"b\"\"\",0,2\n",
                        R"({"goal": "maximize", "parameters":
      {"net": {"type": "choice", "values": ["16, 16", "a \"b\""]}}})");
  ASSERT_TRUE(table.ok()) << table.error().detail;
  EXPECT_EQ(table->nearest({{"net", std::string("a \"b\"")}}).value(), 1U);
}

TEST(CurveTable, refuses_a_sweep_that_does_not_name_its_parameters) {
  EXPECT_FALSE(table_of(rows).nearest({{"lr", 0.1}}).ok());
}

struct Refusal {
  std::string_view csv, json;
  std::string at, words;
};

// A seed of 1e300 was converted to a whole number, which has no such value.
TEST(CurveTable, seeds_beyond_whole_numbers_were_converted) {
  for (const char* seed : {"1e300", "-1e19", "nan", "inf", ""}) {
    const auto table =
        CurveTable::parse("seeds", std::string("lr,opt,seed,v1\n0.1,sgd,") + seed + ",1\n", card);
    ASSERT_TRUE(table.ok()) << table.error().detail;
    EXPECT_EQ(table->configurations()[0].curves.at(0).seed, 0) << seed;
  }
}

class CurveTableRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(CurveTableRefusal, says_where_and_what) {
  const auto table = CurveTable::parse("bad", GetParam().csv, GetParam().json);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().at, GetParam().at);
  EXPECT_NE(table.error().detail.find(GetParam().words), std::string::npos) << table.error().detail;
}

INSTANTIATE_TEST_SUITE_P(
    Each, CurveTableRefusal,
    testing::Values(
        Refusal{"lr,seed,v1\n0.1,0,1\n", card, "line 1", "no column for parameter 'opt'"},
        Refusal{"lr,opt,seed\n0.1,sgd,0\n", card, "line 1", "no columns v1"},
        Refusal{"lr,opt,v1,v2,s1\n0.1,sgd,1,2,3\n", card, "line 1", "as many columns s1"},
        Refusal{"lr,opt,v1\n0.1,rmsprop,1\n", card, "line 2, column opt", "no value of parameter"},
        Refusal{"lr,opt,v1\n0.1,sgd,high\n", card, "line 2, column v1", "'high' is no number"},
        Refusal{"lr,opt,v1\n0.1,sgd\n", card, "line 2", "has 2 cells and the header 3"},
        Refusal{"lr,opt,v1,v2,s1,s2\n0.1,sgd,1,2,3,3\n", card, "line 2, column s2", "increase"},
        Refusal{"lr,opt,v1\n", card, "", "no rows"},
        Refusal{"lr,opt,v1\nnan,sgd,1\n", card, "line 2, column lr", "no value of parameter"},
        Refusal{"lr,opt,v1\ninf,sgd,1\n", card, "line 2, column lr", "no value of parameter"},
        Refusal{rows, R"({"goal": "up", "parameters": {}})", "/goal", "maximize or minimize"},
        Refusal{rows, R"({"goal": "maximize"})", "", "goal and parameters"}),
    [](const auto& one) { return case_name(one.param.words, one.index); });

// Null was read as "inactive", and 1 as the first value that looks like it.
TEST(CurveTable, reads_each_choice_from_the_cell_that_was_written_for_it) {
  const Json values = parse_json(R"([1, "1", true, "true", null, "null", "", "a\nb", "x,y",
      [64, 64], [64], {"a": 1}, 2.5, "adam"])")
                          .value();
  const Json parameters{{"c", {{"type", "choice"}, {"values", values}}},
                        {"twice", {{"type", "derived"}, {"expr", "2"}}}};
  auto writer = std::move(CurveTableWriter::make({"c", "twice"}, 1)).value();
  for (const Json& value : values) writer.add({curve_cell(value), "2"}, {0, {1.0}, {1.0}});
  const Json card_of{{"goal", "maximize"}, {"parameters", parameters}};
  const auto table = CurveTable::parse("choices", writer.csv(), to_text(card_of));
  ASSERT_TRUE(table.ok()) << table.error().detail << table.error().at;
  EXPECT_EQ(table->configurations().size(), values.size());
}

}  // namespace
}  // namespace hone::simulate
