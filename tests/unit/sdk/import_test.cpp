// Sweeps of other tools, as their documentation writes them (tests/data/import), become sweep files
// that hone reads, with the same meaning.
#include "sdk/cpp/import/import.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "server/search/samplers/sampler.hpp"
#include "server/search/terminators/terminator.hpp"
#include "tests/unit/case_name.hpp"
#include "tests/unit/sdk/imported.hpp"

namespace hone {
namespace {

struct Fixture {
  const char* format;
  const char* file;
};
void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.file; }

class ImportFile : public testing::TestWithParam<Fixture> {};

// Through the text, as a user's shell would pass it on.
TEST_P(ImportFile, becomes_a_sweep_that_hone_can_search) {
  const ImportedSpec import = import_of(GetParam().format, GetParam().file);
  const std::string yaml = import_text(import, GetParam().file);
  const auto file = read_sweep_text(yaml, "translated.yaml");
  ASSERT_TRUE(file.ok()) << file.error().detail << "\n" << yaml;
  EXPECT_EQ(file->document, import.sweep) << yaml;
  const auto spec = decode_request<SweepSpec>(file->document);
  ASSERT_TRUE(spec.ok()) << file->place(spec.error().at) << ": " << spec.error().detail << yaml;
  const auto space = SearchSpace::make(spec->parameters, spec->constraints);
  ASSERT_TRUE(space.ok()) << space.error().detail << "\n" << yaml;
  const auto sampler = make_sampler(spec->search, *space);
  ASSERT_TRUE(sampler.ok()) << sampler.error().detail << "\n" << yaml;
  const auto rule =
      make_terminator(spec->terminator, {spec->search.trials, 1, spec->budget.phases, false});
  ASSERT_TRUE(rule.ok()) << rule.error().detail << "\n" << yaml;
}

TEST_P(ImportFile, is_translated_as_recorded) {
  const ImportedSpec import = import_of(GetParam().format, GetParam().file);
  std::string text = import_text(import, GetParam().file);
  for (const Untranslated& one : import.lost)
    text += "# stderr: " + one.at + ": " + one.sentence + "\n";
  const auto path = folder + std::filesystem::path(GetParam().file).stem().string() + ".hone.yaml";
  if (std::getenv("HONE_RECORD") != nullptr) std::ofstream(path) << text;
  std::ifstream stream(path);
  std::stringstream recorded;
  recorded << stream.rdbuf();
  EXPECT_EQ(text, recorded.str()) << "HONE_RECORD=1 writes " << path << " again";
}

INSTANTIATE_TEST_SUITE_P(
    Fixtures, ImportFile,
    testing::Values(Fixture{"wandb", "wandb.yaml"}, Fixture{"katib", "katib.yaml"},
                    Fixture{"nni", "nni.yaml"}, Fixture{"nni", "nni_space.json"},
                    Fixture{"optuna", "optuna.json"}, Fixture{"ray", "ray.yaml"},
                    Fixture{"ray", "ray_space.json"}, Fixture{"ray", "ludwig.yaml"},
                    Fixture{"hydra", "hydra.yaml"}, Fixture{"hydra", "hydra_ax.yaml"},
                    Fixture{"hydra", "hydra_nevergrad.yaml"},
                    Fixture{"determined", "determined.yaml"}),
    [](const auto& one) { return case_name(one.param.file, one.index); });

// The nodes of a document, so that any of them can be damaged.
void collect(Json& json, std::vector<Json*>& nodes) {
  nodes.push_back(&json);
  if (json.is_structured())
    for (Json& inner : json) collect(inner, nodes);
}

// Whatever a foreign file holds, it is translated or refused.
TEST_P(ImportFile, damaged_documents_are_answered) {
  const Json scraps[] = {nullptr,
                         true,
                         -1,
                         1e300,
                         "x",
                         "1",
                         Json::array(),
                         Json::object(),
                         Json::array({1, "a"}),
                         {{"name", 1}},
                         {{"containers", {1, 2}}}};
  const Json whole = document_of(GetParam().file).value();
  std::mt19937 bits(20261121);
  for (int i = 0; i < 1000; ++i) {
    Json damaged = whole;
    for (int k = 0; k < 2; ++k) {
      std::vector<Json*> nodes;
      collect(damaged, nodes);
      *nodes[bits() % nodes.size()] = scraps[bits() % std::size(scraps)];
    }
    const auto result = find_import_format(GetParam().format)->translate(damaged, document_of);
    if (!result.ok()) continue;
    const std::string yaml = import_text(*result, "x");
    EXPECT_TRUE(read_sweep_text(yaml, "x.yaml").ok()) << yaml;
  }
}

TEST(ImportWandb, exponents_become_values) {
  const ImportedSpec import = import_of("wandb", "wandb.yaml");
  EXPECT_EQ(text_at(import, "learning_rate"),
            R"({"type":"float","min":0.0001,"max":0.1,"scale":"log"})");
  EXPECT_NE(remark(import, "/parameters/learning_rate").find("exponents of e"), std::string::npos);
  EXPECT_EQ(text_at(import, "entropy"), R"({"type":"float","min":0.0001,"max":0.1,"scale":"log"})");
}

TEST(ImportWandb, types_are_those_that_wandb_would_guess) {
  const ImportedSpec import = import_of("wandb", "wandb.yaml");
  EXPECT_EQ(text_at(import, "t_max"), R"({"type":"int","min":2,"max":100})");
  EXPECT_EQ(text_at(import, "clip"), R"({"type":"float","min":0.1,"max":1.0})");
  EXPECT_EQ(text_at(import, "batch"), R"({"type":"choice","values":[1,2,4],"ordered":true})");
}

// round(x / 8) * 8 of 7..33 is 8..32: multiples of q, not of q counted from min.
TEST(ImportWandb, quantized_ranges_are_multiples_of_q) {
  const ImportedSpec import = import_of("wandb", "wandb.yaml");
  EXPECT_EQ(text_at(import, "envs"), R"({"type":"int","min":8,"max":32,"step":8})");
  EXPECT_NE(remark(import, "/parameters/envs").find("rounded"), std::string::npos);
}

TEST(ImportWandb, macros_of_the_command_are_filled_in) {
  const Json command = import_of("wandb", "wandb.yaml").sweep["command"];
  EXPECT_EQ(command[0], "python3");
  EXPECT_EQ(command[1], "train.py");
  EXPECT_EQ(command[2], "--fast");
  EXPECT_EQ(command[3], "--learning_rate=${learning_rate}");
  EXPECT_EQ(command.back(), "${hone.params}");
  EXPECT_EQ(command[command.size() - 2], "--net.width=${net.width}");
}

TEST(ImportWandb, names_what_is_lost) {
  const ImportedSpec import = import_of("wandb", "wandb.yaml");
  for (const char* what : {"metric.target", "beta"}) EXPECT_TRUE(says(import.lost, what)) << what;
  EXPECT_TRUE(says(
      [] {
        const auto file =
            read_sweep_text("parameters: {a: {value: 1, colour: red}}\nimage: x\n", "w");
        return find_import_format("wandb")->translate(file->document, document_of)->lost;
      }(),
      "parameters.a.colour is not translated"));
}

TEST(ImportWandb, the_goal_is_to_minimize_where_nothing_is_said) {
  const auto file = read_sweep_text(
      "method: grid\nmetric: {name: loss}\nparameters: {a: {values: [x, y]}}\n", "w");
  const auto import = find_import_format("wandb")->translate(file->document, document_of);
  EXPECT_EQ(import->sweep["objective"]["goal"], "minimize");
  EXPECT_EQ(import->sweep["search"]["trials"], 2);  // every combination
}

TEST(ImportWandb, refuses_what_it_cannot_read) {
  EXPECT_EQ(refusal("wandb", "method: grid\n").substr(0, 12), "/parameters:");
  EXPECT_EQ(refusal("wandb", "parameters: {a: 3}\n").substr(0, 14), "/parameters/a:");
  EXPECT_EQ(refusal("wandb", "parameters: {a: {min: 1}}\n").substr(0, 14), "/parameters/a:");
}

TEST(ImportKatib, texts_become_numbers) {
  const ImportedSpec import = import_of("katib", "katib.yaml");
  EXPECT_EQ(text_at(import, "lr"), R"({"type":"float","min":0.001,"max":0.1,"scale":"log"})");
  EXPECT_EQ(text_at(import, "momentum"), R"({"type":"float","min":0.5,"max":0.9,"step":0.1})");
  EXPECT_EQ(text_at(import, "num-layers"), R"({"type":"int","min":2,"max":5})");
  EXPECT_EQ(text_at(import, "batch"), R"({"type":"choice","values":[16,32,64],"ordered":true})");
  EXPECT_EQ(text_at(import, "optimizer"), R"({"type":"choice","values":["sgd","adam"]})");
}

// A program that reads W&B's arguments expects Python's words.
TEST(ImportWandb, truth_values_are_spelled_as_wandb_passes_them) {
  const ImportedSpec import = import_of_text(
      "wandb", "program: x.py\nparameters: {a: {values: [true, false]}, b: {value: true}}\n");
  EXPECT_EQ(text_at(import, "a"), R"({"type":"choice","values":["True","False"]})");
  EXPECT_EQ(text_at(import, "b"), R"({"value":"True"})");
  EXPECT_NE(remark(import, "/parameters/a").find("as W&B passes such values to a program: True"),
            std::string::npos);
}

TEST(ImportKatib, gpus_are_kept_and_other_limits_named) {
  const ImportedSpec import = import_of_text(
      "katib",
      "kind: Experiment\nspec: {parameters: [], trialTemplate: {trialSpec: {containers: [{command: "
      "[x], resources: {limits: {nvidia.com/gpu: 2, memory: 4Gi}}}]}}}\n");
  EXPECT_EQ(to_text(import.sweep["resources"]), R"({"gpus":2})");
  EXPECT_TRUE(says(import.lost, "limit memory is not translated"));
}

TEST(ImportKatib, the_command_is_that_of_the_primary_container) {
  EXPECT_EQ(to_text(import_of("katib", "katib.yaml").sweep["command"]),
            R"(["python3","/opt/mnist.py","--lr=${lr}","--num-layers=${num-layers}"])");
}

TEST(ImportKatib, refuses_other_kinds) {
  EXPECT_EQ(refusal("katib", "kind: Pod\nspec: {}\n").substr(0, 6), "/kind:");
}

TEST(ImportNni, the_upper_bound_of_randint_is_left_out) {
  const ImportedSpec import = import_of("nni", "nni.yaml");
  EXPECT_EQ(text_at(import, "units"), R"({"type":"int","min":16,"max":127})");
  EXPECT_NE(remark(import, "/parameters/units").find("128"), std::string::npos);
}

TEST(ImportNni, nested_choices_become_conditions) {
  const ImportedSpec import = import_of("nni", "nni.yaml");
  EXPECT_EQ(text_at(import, "layer0"), R"({"type":"choice","values":["Empty","Conv","Pool"]})");
  EXPECT_EQ(parameter(import, "layer0.Conv.kernel")["when"], R"(layer0 == "Conv")");
  EXPECT_EQ(parameter(import, "layer0.Pool.kind.power.p")["when"],
            R"(layer0 == "Pool" and layer0.Pool.kind == "power")");
  EXPECT_EQ(text_at(import, "conv_size"), R"({"type":"choice","values":[2,3,5,7],"ordered":true})");
}

TEST(ImportNni, distributions_keep_their_shape) {
  const ImportedSpec import = import_of("nni", "nni.yaml");
  EXPECT_EQ(text_at(import, "dropout"), R"({"type":"float","min":0.1,"max":0.5,"step":0.1})");
  const Json scale = parameter(import, "scale");
  EXPECT_NEAR(scale["min"].get<double>(), std::exp(-1.0), 1e-9);
  EXPECT_NEAR(scale["max"].get<double>(), std::exp(1.0), 1e-9);
  EXPECT_EQ(scale["scale"], "log");
  EXPECT_EQ(scale["prior"]["center"], 1.0);
  EXPECT_EQ(scale["prior"]["spread"], 0.125);  // an eighth of four deviations to both sides
}

// NNI clips to the bounds: a momentum of 1.0 would lie outside of what the user allowed.
TEST(ImportNni, a_quantized_range_stays_between_its_bounds) {
  const ImportedSpec import = import_of_text(
      "nni",
      "searchSpace: {a: {_type: quniform, _value: [0.5, 0.99, 0.05]}, "
      "b: {_type: quniform, _value: [0.1, 0.5, 0.1]}, c: {_type: quniform, _value: [0.1, 0.3, 1]}}\n");
  EXPECT_EQ(text_at(import, "a"), R"({"type":"float","min":0.5,"max":0.95,"step":0.05})");
  EXPECT_NE(remark(import, "/parameters/a").find("bounds"), std::string::npos);
  EXPECT_EQ(text_at(import, "b"), R"({"type":"float","min":0.1,"max":0.5,"step":0.1})");
  EXPECT_EQ(text_at(import, "c"), R"({"type":"float","min":0.1,"max":0.3})");
}

TEST(ImportNni, a_missing_search_space_is_refused) {
  EXPECT_EQ(refusal("nni", "trialCommand: x\n").substr(0, 13), "/searchSpace:");
  EXPECT_NE(refusal("nni", "searchSpaceFile: none.json\n").find("none.json"), std::string::npos);
}

TEST(ImportOptuna, every_distribution_has_its_counterpart) {
  const ImportedSpec import = import_of("optuna", "optuna.json");
  EXPECT_EQ(text_at(import, "lr"), R"({"type":"float","min":1e-05,"max":0.1,"scale":"log"})");
  EXPECT_EQ(text_at(import, "dropout"), R"({"type":"float","min":0.0,"max":0.5,"step":0.1})");
  EXPECT_EQ(text_at(import, "layers"), R"({"type":"int","min":1,"max":8})");
  EXPECT_EQ(text_at(import, "units"), R"({"type":"int","min":16,"max":1024,"scale":"log"})");
  EXPECT_EQ(text_at(import, "old"), R"({"type":"float","min":0.0,"max":1.0,"step":0.25})");
  EXPECT_EQ(import.sweep["trainer"]["name"], "ask");
}

TEST(ImportDetermined, exponents_become_values) {
  const ImportedSpec import = import_of("determined", "determined.yaml");
  EXPECT_EQ(text_at(import, "learning_rate"),
            R"({"type":"float","min":0.0001,"max":0.1,"scale":"log"})");
  EXPECT_EQ(text_at(import, "optimizer.nesterov"), R"({"value":true})");
  EXPECT_EQ(to_text(import.sweep["budget"]), R"({"unit":"batches","per_run":937})");
  EXPECT_TRUE(says(import.lost, "checkpoint_policy"));
}

TEST(ImportText, quotes_what_another_reader_could_take_for_something_else) {
  ImportedSpec import;
  import.sweep["name"] = "no";
  import.sweep["command"] = {"a b", "1e-4", "${x}", "plain", ""};
  import.sweep["parameters"]["y"]["value"] = 1e-5;
  import.remarks["/name"] = "two\nlines";
  EXPECT_EQ(import_text(import, "x"),
            "# Translated from x by hone import. Read the remarks; hone plan checks the file.\n"
            "# two lines\n"
            "name: \"no\"\n"
            "command: [\"a b\", \"1e-4\", \"${x}\", plain, \"\"]\n"
            "parameters:\n"
            "  \"y\": {value: 1.0e-05}\n");
}

}  // namespace
}  // namespace hone
