#include "study/results/findings.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/rng.hpp"
#include "study/report/page.hpp"

namespace hone::study {
namespace {

Study made_up_study(const char* repetitions = "6") {
  return *decode_study(Json::parse(std::string(R"({
    "study": "made-up", "repetitions": )") +
                                   repetitions + R"(, "equal": {"trials": 4},
    "methods": {"poor": {"search": {"method": "random"}}, "good": {"search": {"method": "tpe"}}},
    "problems": {
      "up": {"scale": [0, 10], "objective": {"metric": "return", "goal": "maximize"},
             "command": ["train", "${x}"], "parameters": {"x": {"type": "float", "min": 0, "max": 1}},
             "budget": {"unit": "steps", "per_run": 100, "phases": 2}},
      "down": {"scale": [10, 0], "objective": {"metric": "loss", "goal": "minimize"},
             "command": ["train", "${x}"], "parameters": {"x": {"type": "float", "min": 0, "max": 1}},
             "budget": {"unit": "steps", "per_run": 100, "phases": 2}}}})"));
}

// Scores of poor are about 0.3, of good 0.7; tuned values promise 0.1 more.
std::vector<Outcome> outcomes_of(int repetitions) {
  std::vector<Outcome> all;
  for (int i = 0; i < repetitions; ++i)
    for (const bool good : {false, true})
      for (const bool up : {true, false}) {
        Rng rng(5, Purpose::simulation, all.size());
        const double score = (good ? 0.7 : 0.3) + 0.05 * rng.normal();
        const double fresh = up ? 10 * score : 10 - 10 * score, tuned = fresh + (up ? 1 : -1);
        all.push_back({good ? "good" : "poor",
                       up ? "up" : "down",
                       i,
                       "sw_1",
                       "sw_2",
                       Json{{"x", 0.5}},
                       tuned,
                       fresh,
                       400,
                       4,
                       4,
                       {{100, tuned}}});
      }
  return all;
}

TEST(StudyFindings, order_methods_on_scales_of_either_direction) {
  const auto found = findings_of(made_up_study(), outcomes_of(6));
  EXPECT_EQ(found.repetitions, 6);
  EXPECT_EQ(found.outcomes, found.expected);
  EXPECT_EQ(found.order, (std::vector<std::size_t>{1, 0}));
  EXPECT_NEAR(found.methods[1].iqm, 0.7, 0.03);
  EXPECT_EQ(found.methods[1].mean_rank, 1);
  EXPECT_NEAR(found.methods[1].optimism, 0.1, 1e-9);
  EXPECT_NEAR(found.pairs[0].p, 2 / std::pow(2, 12), 1e-12);
  EXPECT_EQ(found.improvement[0].value, 1);
  EXPECT_EQ(found.methods[1].anytime.front().value, 0);  // nothing is reported at 1 % of the cost
}

TEST(StudyFindings, a_repetition_that_is_not_whole_does_not_count) {
  auto outcomes = outcomes_of(3);
  outcomes.pop_back();
  const auto found = findings_of(made_up_study(), outcomes);
  EXPECT_EQ(found.repetitions, 2);
  EXPECT_EQ(found.outcomes, 11U);
  EXPECT_EQ(findings_of(made_up_study(), {}).repetitions, 0);
}

TEST(StudyFindings, a_set_without_a_value_counts_as_the_worst) {
  auto outcomes = outcomes_of(4);
  for (Outcome& one : outcomes)
    if (one.method == "good") one.fresh.reset();
  const auto found = findings_of(made_up_study(), outcomes);
  EXPECT_EQ(found.methods[1].iqm, 0);
  EXPECT_EQ(found.cells[1].without_value, 4);
}

TEST(StudyFindings, conclusions_follow_from_tests) {
  const auto study = made_up_study();
  EXPECT_EQ(conclusions_of(study, findings_of(study, outcomes_of(6)))[0],
            "good has the highest interquartile mean on these 2 problems; it is better than poor "
            "(signed-rank tests at 5 %, Holm).");
  EXPECT_NE(
      conclusions_of(study, findings_of(study, outcomes_of(2)))[0].find("cannot be told from poor"),
      std::string::npos);
  EXPECT_EQ(conclusions_of(study, findings_of(study, {})).size(), 1U);
  const auto sequential = made_up_study("\"until 0.05\"");
  EXPECT_EQ(findings_of(sequential, outcomes_of(3)).verdict->answer, Answer::open);
  const auto known = findings_of(sequential, outcomes_of(9));
  EXPECT_EQ(known.verdict->answer, Answer::known);
  EXPECT_EQ(conclusions_of(sequential, known)[0].find("good is the best method"), 0U);
}

TEST(StudyFindings, data_survive_their_file) {
  const StudyData data{Json{{"study", "x"}}, outcomes_of(1)};
  const auto again = decode_data(encode_data(data));
  ASSERT_TRUE(again) << again.error().at << again.error().detail;
  EXPECT_EQ(encode_data(*again), encode_data(data));
  EXPECT_FALSE(decode_data(Json{{"outcomes", 1}}));
}

TEST(StudyPage, has_no_markup_of_names_and_links_values_to_their_sweeps) {
  auto study = made_up_study();
  study.question = "a < b & c | d_e?";
  const Page page = page_of(study, findings_of(study, outcomes_of(4)), "hone study report x");
  const std::string html = html_of(page), markdown = markdown_of(page), latex = latex_of(page);
  EXPECT_NE(html.find("a &lt; b &amp; c | d_e?"), std::string::npos);
  EXPECT_NE(latex.find("a $<$ b \\& c | d\\_e?"), std::string::npos);
  EXPECT_NE(html.find("<a href=\"#cell-good-up\">"), std::string::npos);
  EXPECT_NE(html.find("id=\"cell-good-up\""), std::string::npos);
  EXPECT_NE(markdown.find("(#cell-good-up)"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(page.figures.size(), 5U);
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(StudyPage, without_repetitions_concludes_nothing) {
  const auto study = made_up_study();
  EXPECT_NE(
      markdown_of(page_of(study, findings_of(study, {}), "x")).find("nothing may be concluded"),
      std::string::npos);
}

}  // namespace
}  // namespace hone::study
