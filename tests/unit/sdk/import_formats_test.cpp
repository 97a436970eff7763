// What single formats mean, of documents that the tests write and of tests/data/import.
#include "tests/unit/sdk/imported.hpp"

namespace hone {
namespace {

// randint leaves its upper bound out, qrandint does not.
TEST(ImportRay, distributions_keep_their_bounds) {
  const Import import = import_of("ray", "ray_space.json");
  EXPECT_EQ(text_at(import, "lr"), R"({"type":"float","min":1e-05,"max":0.1,"scale":"log"})");
  EXPECT_EQ(text_at(import, "layers"), R"({"type":"int","min":1,"max":4})");
  EXPECT_EQ(text_at(import, "units"), R"({"type":"int","min":16,"max":128,"step":16})");
  EXPECT_EQ(text_at(import, "net.activation"), R"({"type":"choice","values":["relu","tanh"]})");
  EXPECT_EQ(text_at(import, "epochs"), R"({"value":10})");
  EXPECT_TRUE(says(import.lost, "width is not translated: it is Python"));
}

TEST(ImportRay, a_repeated_grid_has_several_seeds) {
  const Import import = import_of("ray", "ray.yaml");
  EXPECT_EQ(to_text(import.sweep["search"]), R"({"method":"grid","trials":4})");
  EXPECT_EQ(to_text(import.sweep["replicates"]), R"({"seeds":3})");
  EXPECT_EQ(import.sweep["budget"]["per_run"], 500000);
  EXPECT_EQ(text_at(import, "env"), R"({"type":"choice","values":["CartPole-v1","Acrobot-v1"]})");
  EXPECT_TRUE(says(import.lost, "second-experiment is not translated"));
}

TEST(ImportRay, refuses_a_distribution_without_its_bounds) {
  EXPECT_EQ(refusal("ray", "net: {lr: tune.uniform(1)}\n").substr(0, 8), "/net/lr:");
  EXPECT_EQ(refusal("ray", "[1, 2]\n").substr(0, 1), ":");
}

// The Optuna sweeper includes the stop of range(), the others leave it out.
TEST(ImportHydra, overrides_become_parameters) {
  const Import import = import_of("hydra", "hydra.yaml");
  EXPECT_EQ(text_at(import, "model.lr"), R"({"type":"float","min":1e-05,"max":1.0,"scale":"log"})");
  EXPECT_EQ(text_at(import, "x"), R"({"type":"float","min":-5.5,"max":5.5,"step":0.5})");
  EXPECT_EQ(text_at(import, "optimizer"), R"({"type":"choice","values":["adam","sgd"]})");
  EXPECT_EQ(import.sweep["seed"], 7);
  EXPECT_EQ(import.sweep["objective"]["metric"], "val/acc");
  EXPECT_TRUE(says(import.lost, "hydra.sweeper.params.db is not translated: glob()"));
  const Import basic =
      import_of_text("hydra", "hydra: {sweeper: {params: {a: 'range(1, 4)', b: 'x,y'}}}\n");
  EXPECT_EQ(text_at(basic, "a"), R"({"type":"choice","values":[1,2,3],"ordered":true})");
  EXPECT_EQ(text_at(basic, "b"), R"({"type":"choice","values":["x","y"]})");
  EXPECT_EQ(to_text(basic.sweep["search"]), R"({"method":"grid","trials":6})");
}

TEST(ImportHydra, refuses_what_it_cannot_read) {
  const std::string params = "hydra: {sweeper: {params: {a: '";
  EXPECT_EQ(refusal("hydra", params + "${b},${c}'}}}\n").substr(0, 24), "/hydra/sweeper/params/a:");
  EXPECT_EQ(refusal("hydra", params + "interval(1'}}}\n").substr(0, 24),
            "/hydra/sweeper/params/a:");
  EXPECT_EQ(refusal("hydra", "hydra: {mode: x}\n").substr(0, 7), "/hydra:");
}

TEST(ImportKatib, everything_of_a_template_is_translated_or_named) {
  const Import import = import_of_text(
      "katib",
      "kind: Experiment\nspec: {parameters: [], trialTemplate: {trialParameters: [{name: n, "
      "reference: '${trialSpec.Name}'}], trialSpec: {kind: Job, containers: [{command: [x, "
      "'--n=${trialParameters.n}'], env: [{name: A, value: b}]}]}}}\n");
  EXPECT_EQ(to_text(import.sweep["command"]), R"(["x","--n=$${trialParameters.n}"])");
  EXPECT_TRUE(says(import.lost, "env is not translated"));
  EXPECT_TRUE(says(import.lost, "'--n=${trialParameters.n}' is not translated"));
  EXPECT_TRUE(says(import.lost, "of the Job only the command of one container"));
  EXPECT_NE(refusal("katib", "kind: Experiment\nspec: {nasConfig: {}}\n").find("architectures"),
            std::string::npos);
}

TEST(ImportNni, snake_case_and_advisors_are_read) {
  const Import import = import_of_text(
      "nni",
      "search_space: {a: {_type: uniform, _value: [0, 1]}}\ntrial_command: echo ${HOME}\n"
      "max_trial_number: 5\nadvisor: {name: Hyperband, classArgs: {optimize_mode: minimize, eta: 3, "
      "R: 60}}\n");
  EXPECT_EQ(to_text(import.sweep["search"]), R"({"method":"random","trials":5})");
  EXPECT_EQ(to_text(import.sweep["terminator"]), R"({"rule":"hyperband","eta":3})");
  EXPECT_EQ(import.sweep["objective"]["goal"], "minimize");
  EXPECT_EQ(import.sweep["command"][2], "echo $${HOME}");
  EXPECT_TRUE(says(import.lost, "advisor.classArgs.R is not translated"));
}

// In a file that the configuration names, too.
TEST(ImportNni, places_of_a_search_space_are_in_its_own_file) {
  const auto file = read_sweep_text("searchSpaceFile: bad.json\n", "x.yaml");
  const auto sibling = [](const std::string&) -> Result<Json> {
    return Json{{"a", {{"_type", "odd"}, {"_value", {1}}}}};
  };
  const auto result = find_import_format("nni")->translate(file->document, sibling);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().at, "bad.json#/a");
}

}  // namespace
}  // namespace hone
