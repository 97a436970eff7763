#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "study/file/cells.hpp"

namespace hone::study {
namespace {

Json document() {
  return Json::parse(R"({
    "study": "small", "seed": 7, "repetitions": 3, "equal": {"trials": 8}, "measure": {"seeds": 2},
    "methods": {"random": {"search": {"method": "random"}, "terminator": {"rule": "none"}},
                "hone": {"search": {"method": "hone"}, "terminator": {"rule": "hone"}}},
    "problems": {"cartpole": {
      "scale": [9, 500], "objective": {"metric": "return", "goal": "maximize"},
      "trainer": {"name": "ppo", "env": "CartPole-v1"},
      "parameters": {"learning_rate": {"type": "float", "min": 1e-4, "max": 1e-2, "scale": "log"}},
      "budget": {"unit": "frames", "per_run": 20000, "phases": 5}}}})");
}

std::string refusal_of(const Json& wrong) {
  const auto study = decode_study(wrong);
  if (!study) return study.error().at + ": " + study.error().detail;
  const auto fits = check_study(*study);
  return fits ? "" : fits.error().detail;
}

TEST(StudyFile, is_read_with_its_defaults) {
  const auto study = decode_study(document());
  ASSERT_TRUE(study) << study.error().at << study.error().detail;
  EXPECT_TRUE(check_study(*study));
  EXPECT_EQ(study->methods.size(), 2U);
  EXPECT_EQ(study->problems[0].best, 500);
  EXPECT_EQ(units_of(*study, 3).size(), 6U);
  EXPECT_EQ(steps_per_run(study->problems[0]), 20000);
}

TEST(StudyFile, repetitions_may_end_by_the_answer) {
  Json json = document();
  json["repetitions"] = "until 0.02";
  EXPECT_EQ(decode_study(json)->until->error, 0.02);
  json["repetitions"] = {{"until", 0.01}, {"least", 5}, {"most", 9}};
  EXPECT_EQ(most_repetitions(*decode_study(json)), 9);
}

TEST(StudyFile, wrong_fields_are_refused_where_they_are) {
  const auto changed = [](const char* pointer, Json value) {
    Json json = document();
    json[Json::json_pointer(pointer)] = std::move(value);
    return refusal_of(json);
  };
  const auto starts = [](const std::string& text, std::string_view with) {
    return text.starts_with(with);
  };
  EXPECT_TRUE(starts(changed("/repetitions", "until soon"), "/repetitions: "));
  EXPECT_TRUE(starts(changed("/repetitions", 0), "/repetitions: "));
  EXPECT_TRUE(starts(changed("/repetitions", Json{{"until", 0.7}}), "/repetitions/until: "));
  EXPECT_TRUE(starts(changed("/equal/steps", 100), "/equal/trials: exactly one"));
  EXPECT_TRUE(starts(changed("/methods/a b", Json{{"search", Json::object()}}), "/methods/a b: "));
  EXPECT_TRUE(starts(changed("/methods", Json::object()), "/methods: "));
  EXPECT_TRUE(starts(changed("/problems/cartpole/scale", {1, 1}), "/problems/cartpole/scale: "));
  EXPECT_TRUE(starts(changed("/problems/cartpole/seed", 1), "/problems/cartpole/seed: "));
  EXPECT_TRUE(starts(changed("/metods", 1), "/metods: "));
  EXPECT_TRUE(starts(changed("/methods/hone/search/method", "hnoe"), "method hone on problem"));
  EXPECT_TRUE(starts(changed("/problems/cartpole/budget/phases", 0), "method random on problem"));
}

// [500, 9] turned the ranks of the methods around.
TEST(StudyFile, a_scale_begins_with_the_worst_value) {
  Json wrong = document();
  wrong["problems"]["cartpole"]["scale"] = {500, 9};
  EXPECT_EQ(refusal_of(wrong),
            "/problems/cartpole/scale: must be [worst, best], and the best value is the largest");
  wrong["problems"]["cartpole"]["objective"]["goal"] = "minimize";
  EXPECT_EQ(refusal_of(wrong), "");
}

TEST(StudyCells, pair_methods_by_seeds_that_differ_between_repetitions) {
  const auto study = *decode_study(document());
  std::set<std::uint64_t> seeds;
  for (int repetition = 0; repetition < 3; ++repetition) {
    const Json a = tuning_sweep(study, {0, 0, repetition}),
               b = tuning_sweep(study, {1, 0, repetition});
    EXPECT_EQ(a["seed"], b["seed"]);
    seeds.insert(a["seed"].get<std::uint64_t>());
    const Json params{{"learning_rate", 0.001}};
    const Json test = test_sweep(study, {1, 0, repetition}, params);
    EXPECT_EQ(test["seed"], test_sweep(study, {0, 0, repetition}, params)["seed"]);
    EXPECT_EQ(test["replicates"]["seeds"], 2);
    seeds.insert(test["seed"].get<std::uint64_t>());
  }
  EXPECT_EQ(seeds.size(), 6U);
}

TEST(StudyCells, equal_runs_are_steps_of_each_problem) {
  Json json = document();
  EXPECT_FALSE(step_limit(*decode_study(json), decode_study(json)->problems[0]));
  json["equal"] = {{"runs", 8}};
  const auto study = *decode_study(json);
  EXPECT_EQ(step_limit(study, study.problems[0]), 160'000);
  EXPECT_EQ(tuning_sweep(study, {})["search"]["trials"], 80);
}

TEST(StudyCells, names_identify_documents) {
  const auto study = *decode_study(document());
  Json json = document();
  json["problems"]["cartpole"]["budget"]["per_run"] = 30000;
  const auto other = *decode_study(json);
  const Json a = tuning_sweep(study, {0, 0, 0});
  EXPECT_EQ(name_of(a), name_of(tuning_sweep(study, {0, 0, 0})));
  EXPECT_NE(name_of(a), name_of(tuning_sweep(other, {0, 0, 0})));
  EXPECT_NE(request_id_of(a), request_id_of(tuning_sweep(study, {0, 0, 1})));
  EXPECT_EQ(
      tags_of(study, {1, 0, 2}, "tuning"),
      (std::vector<std::string>{"study/small", "cell/hone/cartpole", "repetition/3", "tuning"}));
}

}  // namespace
}  // namespace hone::study
