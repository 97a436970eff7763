// Conditions of parameters, inferred from trials as programs make them.
#include "sdk/cpp/import/occurrence.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "server/search/space/search_space.hpp"

namespace hone {
namespace {

// A program with a choice, a nested one and layers.
AskedParams asked(int trial) {
  AskedParams params = {{"algo", trial % 3 == 0   ? "ppo"
                                 : trial % 3 == 1 ? "a2c"
                                                  : "sac"},
                        {"lr", 0.001 * trial}};
  if (trial % 3 != 2) params.emplace_back("n-steps", 8 + trial);
  if (trial % 3 == 2) params.emplace_back("auto", trial % 2 == 0);
  if (trial % 3 == 2 && trial % 2 == 1) params.emplace_back("tau", 0.01 * trial);
  params.emplace_back("layers", 1 + trial % 4);
  for (int layer = 1; layer < 1 + trial % 4; ++layer)
    params.emplace_back("units_" + std::to_string(layer), 16 * (trial % 5 + 1));
  return params;
}

std::vector<AskedParams> program(int trials) {
  std::vector<AskedParams> all;
  for (int trial = 0; trial < trials; ++trial) all.push_back(asked(trial));
  return all;
}

TEST(Occurrences, follow_choices_nested_choices_and_counts) {
  const Occurrences found = infer_occurrences(program(60));
  EXPECT_TRUE(found.unexplained.empty());
  const std::map<std::string, std::string> expected = {{"n-steps", R"(algo in ["a2c", "ppo"])"},
                                                       {"auto", R"(algo == "sac")"},
                                                       {"tau", "auto == false"},
                                                       {"units_1", "layers >= 2"},
                                                       {"units_2", "layers >= 3"},
                                                       {"units_3", "layers >= 4"}};
  EXPECT_EQ(found.when, expected);
}

// A number with which a parameter happened to occur is no reason.
TEST(Occurrences, of_few_trials_have_no_threshold) {
  const std::vector<AskedParams> trials = {{{"lr", 0.1}}, {{"lr", 0.2}, {"clip", 0.3}}};
  const Occurrences found = infer_occurrences(trials);
  EXPECT_TRUE(found.when.empty());
  EXPECT_EQ(found.unexplained, std::vector<std::string>{"clip"});
}

// It is asked for after what it would explain.
TEST(Occurrences, do_not_follow_later_parameters) {
  std::vector<AskedParams> trials;
  for (int i = 0; i < 20; ++i) {
    AskedParams& one = trials.emplace_back();
    if (i % 2 == 0) one.emplace_back("clip", 0.1);
    one.emplace_back("algo", i % 2 == 0 ? "ppo" : "sac");
  }
  EXPECT_EQ(infer_occurrences(trials).unexplained, std::vector<std::string>{"clip"});
}

TEST(Occurrences, are_expressions_of_a_space_that_holds_every_trial) {
  Json parameters = {{"algo", {{"values", {"ppo", "a2c", "sac"}}}},
                     {"lr", {{"type", "float"}, {"min", 0}, {"max", 1}}},
                     {"n-steps", {{"type", "int"}, {"min", 1}, {"max", 100}}},
                     {"auto", {{"type", "bool"}}},
                     {"tau", {{"type", "float"}, {"min", 0}, {"max", 1}}},
                     {"layers", {{"type", "int"}, {"min", 1}, {"max", 4}}},
                     {"units_1", {{"type", "int"}, {"min", 16}, {"max", 80}}},
                     {"units_2", {{"type", "int"}, {"min", 16}, {"max", 80}}},
                     {"units_3", {{"type", "int"}, {"min", 16}, {"max", 80}}}};
  const auto trials = program(60);
  for (const auto& [name, when] : infer_occurrences(trials).when) parameters[name]["when"] = when;
  const auto spec =
      decode_request<SweepSpec>(Json{{"trainer", {{"name", "ask"}}},
                                     {"parameters", parameters},
                                     {"objective", {{"metric", "value"}}},
                                     {"search", {{"method", "random"}, {"trials", 1}}}});
  ASSERT_TRUE(spec.ok()) << spec.error().at << ": " << spec.error().detail;
  const auto space = SearchSpace::make(spec->parameters, spec->constraints);
  ASSERT_TRUE(space.ok()) << space.error().detail;
  for (const AskedParams& trial : trials) {
    Json params = Json::object();
    for (const auto& [name, value] : trial) params[name] = value;
    EXPECT_EQ(space->why_outside(*decode_params(params, "")), "") << params;
  }
}

// A stranger's file: a million trials of a thousand parameters must not take minutes.
TEST(Occurrences, look_at_a_bounded_number_of_trials_and_parameters) {
  std::vector<AskedParams> trials(occurrence_trials_max * 20);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].emplace_back("algo", i % 2 == 0 ? "ppo" : "sac");
    if (i % 2 == 0) trials[i].emplace_back("clip", 0.5);
  }
  EXPECT_EQ(infer_occurrences(trials).unexplained.size() + infer_occurrences(trials).when.size(),
            1U);
  AskedParams wide;
  for (std::size_t i = 0; i <= occurrence_names_max; ++i)
    wide.emplace_back("p" + std::to_string(i), 1);
  EXPECT_EQ(infer_occurrences(std::vector<AskedParams>{wide, {}}).unexplained.size(), wide.size());
}

}  // namespace
}  // namespace hone
