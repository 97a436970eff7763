// What single formats mean, of documents that the tests write and of tests/data/import.
#include <fstream>
#include <iterator>

#include "tests/unit/sdk/imported.hpp"

namespace hone {
namespace {

// randint leaves its upper bound out, qrandint does not.
TEST(ImportRay, distributions_keep_their_bounds) {
  const ImportedSpec import = import_of("ray", "ray_space.json");
  EXPECT_EQ(text_at(import, "lr"), R"({"type":"float","min":1e-05,"max":0.1,"scale":"log"})");
  EXPECT_EQ(text_at(import, "layers"), R"({"type":"int","min":1,"max":4})");
  EXPECT_EQ(text_at(import, "units"), R"({"type":"int","min":16,"max":128,"step":16})");
  EXPECT_EQ(text_at(import, "net.activation"), R"({"type":"choice","values":["relu","tanh"]})");
  EXPECT_EQ(text_at(import, "epochs"), R"({"value":10})");
  EXPECT_TRUE(says(import.lost, "width is not translated: it is Python"));
}

TEST(ImportRay, a_repeated_grid_has_several_seeds) {
  const ImportedSpec import = import_of("ray", "ray.yaml");
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
  const ImportedSpec import = import_of("hydra", "hydra.yaml");
  EXPECT_EQ(text_at(import, "model.lr"), R"({"type":"float","min":1e-05,"max":1.0,"scale":"log"})");
  EXPECT_EQ(text_at(import, "x"), R"({"type":"float","min":-5.5,"max":5.5,"step":0.5})");
  EXPECT_EQ(text_at(import, "optimizer"), R"({"type":"choice","values":["adam","sgd"]})");
  EXPECT_EQ(import.sweep["seed"], 7);
  EXPECT_EQ(import.sweep["objective"]["metric"], "val/acc");
  EXPECT_TRUE(says(import.lost, "hydra.sweeper.params.db is not translated: glob()"));
  const ImportedSpec basic =
      import_of_text("hydra", "hydra: {sweeper: {params: {a: 'range(1, 4)', b: 'x,y'}}}\n");
  EXPECT_EQ(text_at(basic, "a"), R"({"type":"choice","values":[1,2,3],"ordered":true})");
  EXPECT_EQ(text_at(basic, "b"), R"({"type":"choice","values":["x","y"]})");
  EXPECT_EQ(to_text(basic.sweep["search"]), R"({"method":"grid","trials":6})");
}

// The same cases hold for the sweeper plug-in (e2e/test_python_libraries.py).
TEST(ImportHydra, the_two_translators_of_overrides_searched_other_ranges) {
  std::ifstream file(HONE_SOURCE_DIR "/tests/data/import/hydra_overrides.json");
  const auto cases = parse_json(std::string(std::istreambuf_iterator<char>(file), {}));
  ASSERT_TRUE(cases && cases->size() > 20);
  for (const Json& one : *cases) {
    const auto text = one["override"].get<std::string>();
    const std::string document = "hydra: {sweeper: {params: {a: '" + text + "'}}}\n";
    if (one.contains("error")) {
      EXPECT_NE(refusal("hydra", document), "") << text;
      continue;
    }
    const Json domain = import_of_text("hydra", document).sweep["parameters"]["a"];
    for (const auto& [key, value] : one.items()) {
      if (key == "override") continue;
      EXPECT_EQ(domain.value(key, Json()), value) << text << ": " << domain;
    }
    for (const char* optional : {"step", "scale", "values"})
      EXPECT_EQ(domain.contains(optional), one.contains(optional)) << text << ": " << domain;
  }
}

TEST(ImportHydra, refuses_what_it_cannot_read) {
  const std::string params = "hydra: {sweeper: {params: {a: '";
  EXPECT_EQ(refusal("hydra", params + "${b},${c}'}}}\n").substr(0, 24), "/hydra/sweeper/params/a:");
  EXPECT_EQ(refusal("hydra", params + "interval(1'}}}\n").substr(0, 24),
            "/hydra/sweeper/params/a:");
  EXPECT_EQ(refusal("hydra", "hydra: {mode: x}\n").substr(0, 7), "/hydra:");
}

TEST(ImportKatib, everything_of_a_template_is_translated_or_named) {
  const ImportedSpec import = import_of_text(
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
  const ImportedSpec import = import_of_text(
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

// Ray's qrandint draws multiples of q, wherever the lower bound is.
TEST(ImportRay, quantized_ints_are_multiples_of_q) {
  const ImportedSpec import = import_of_text(
      "ray",
      "{a: 'tune.qrandint(1, 10, 3)', b: 'tune.qrandint(4, 5, 3)', c: 'tune.qrandint(1, 9)'}\n");
  EXPECT_EQ(text_at(import, "a"), R"({"type":"int","min":3,"max":9,"step":3})");
  EXPECT_EQ(text_at(import, "b"), R"({"type":"int","min":4,"max":5})");
  EXPECT_EQ(text_at(import, "c"), R"({"type":"int","min":1,"max":9})");
}

TEST(ImportRay, what_cannot_be_read_is_named) {
  const ImportedSpec import = import_of_text(
      "ray",
      "{run: PPO, stop: 5, max_failures: -1, num_samples: many, config: {lr: 0.1, num_gpus: 1e300}}\n");
  for (const char* what :
       {"stop is not translated: it is no object", "max_failures is not translated",
        "num_samples is not translated", "config.num_gpus is a parameter, but not translated"})
    EXPECT_TRUE(says(import.lost, what)) << what;
  EXPECT_FALSE(import.sweep.contains("limits"));
  EXPECT_EQ(refusal("ray", "{run: PPO, config: 5}\n"), "/config: must be an object of parameters");
}

TEST(ImportRay, only_one_bound_becomes_the_budget) {
  const ImportedSpec import = import_of_text(
      "ray",
      "{run: PPO, stop: {timesteps_total: 1e300, training_iteration: 9, episodes_total: 4, "
      "time_total_s: 0}, config: {lr: 0.1}}\n");
  EXPECT_EQ(to_text(import.sweep["budget"]), R"({"unit":"iterations","per_run":9})");
  for (const char* what : {"stop.timesteps_total is not translated: no number from 1",
                           "stop.episodes_total is not translated: budget counts another unit",
                           "stop.time_total_s is not translated: no number from 0.001"})
    EXPECT_TRUE(says(import.lost, what)) << what;
}

TEST(ImportRay, an_executor_of_ludwig_is_translated_or_named) {
  const ImportedSpec import = import_of_text(
      "ray",
      "hyperopt: {parameters: {a: {space: uniform, lower: 0, upper: 1}}, search_alg: bayesopt, "
      "executor: {num_samples: 0, time_budget_s: -1, gpu_resources_per_trial: 1e300, scheduler: "
      "{type: hyperband, reduction_factor: 1e300}}}\n");
  for (
      const char* what :
      {"hyperopt.search_alg is not translated: it is no object",
       "hyperopt.executor.num_samples is not translated",
       "hyperopt.executor.time_budget_s is not translated",
       "hyperopt.executor.gpu_resources_per_trial is not translated: no whole number from 0 to 4096",
       "hyperopt.executor.scheduler.reduction_factor is not translated"})
    EXPECT_TRUE(says(import.lost, what)) << what;
  EXPECT_FALSE(import.sweep.contains("resources"));
  EXPECT_EQ(to_text(import.sweep["terminator"]), R"({"rule":"hyperband"})");
}

TEST(ImportRay, long_texts_are_refused) {
  const std::string text = "tune.choice([" + std::string(65'536, ' ') + "1])";
  EXPECT_EQ(refusal("ray", "{a: '" + text + "'}\n"), "/a: longer than 64 KiB");
}

// 1,2,3,4 of range(1, 5) stay four values as floats.
TEST(ImportHydra, a_range_of_floats_keeps_its_step) {
  const ImportedSpec import = import_of_text(
      "hydra", "hydra: {sweeper: {n_trials: 5, params: {a: 'float(range(1, 5))'}}}\n");
  EXPECT_EQ(text_at(import, "a"), R"({"type":"float","min":1,"max":5,"step":1})");
}

TEST(ImportHydra, names_of_plus_signs_alone_are_refused) {
  EXPECT_EQ(refusal("hydra", "hydra: {sweeper: {params: {'++': '1,2'}}}\n"),
            "/hydra/sweeper/params/++: a parameter without a name");
  const ImportedSpec import =
      import_of_text("hydra", "hydra: {sweeper: {params: {'++a': '1,2', '+b': 'x,y'}}}\n");
  EXPECT_EQ(text_at(import, "a"), R"({"type":"choice","values":[1,2]})");
  EXPECT_EQ(text_at(import, "b"), R"({"type":"choice","values":["x","y"]})");
}

TEST(ImportHydra, what_cannot_be_read_is_named) {
  const ImportedSpec optuna = import_of_text(
      "hydra", "hydra: {sweeper: {n_trials: 1e300, n_jobs: -1, sampler: 7, params: {a: '1,2'}}}\n");
  for (const char* what :
       {"hydra.sweeper.n_trials is not translated", "hydra.sweeper.n_jobs is not translated",
        "hydra.sweeper.sampler is not translated: it is no object"})
    EXPECT_TRUE(says(optuna.lost, what)) << what;
  const ImportedSpec ax =
      import_of_text("hydra",
                     "hydra: {sweeper: {ax_config: {client: {random_seed: 1e300}, "
                     "params: {a: {type: range, bounds: [0, 1]}}}}}\n");
  EXPECT_TRUE(says(ax.lost, "client.random_seed is not translated: no whole number from 0"));
  const ImportedSpec nevergrad = import_of_text(
      "hydra",
      "hydra: {sweeper: {optim: {seed: 1e300, num_workers: 0.5}, parametrization: {a: '1,2'}}}\n");
  for (const char* what : {"optim.seed is not translated", "optim.num_workers is not translated"})
    EXPECT_TRUE(says(nevergrad.lost, what)) << what;
  EXPECT_FALSE(nevergrad.sweep.contains("seed"));
}

TEST(ImportHydra, long_texts_and_large_objects_are_refused) {
  std::string object;
  for (int i = 0; i < 1001; ++i) object += "k" + std::to_string(i) + ":1,";
  const std::string before = "hydra: {sweeper: {params: {a: '";
  EXPECT_NE(refusal("hydra", before + "choice({" + object + "})'}}}\n").find("can read: its "),
            std::string::npos);
  EXPECT_NE(refusal("hydra", before + std::string(65'537, '1') + "'}}}\n").find("64 KiB"),
            std::string::npos);
}

TEST(ImportDetermined, what_lies_out_of_range_is_named) {
  const ImportedSpec import = import_of_text(
      "determined",
      "{hyperparameters: {a: 1}, searcher: {name: asha, max_trials: 1e300, max_length: {batches: "
      "1e300}, divisor: 1e300}, resources: {slots_per_trial: 1e300}, max_restarts: -1, "
      "reproducibility: {experiment_seed: 1e300}}\n");
  for (const char* what :
       {"searcher.max_trials is not translated", "the length of the searcher is not translated",
        "searcher.divisor is not translated", "resources.slots_per_trial is not translated",
        "max_restarts is not translated", "reproducibility.experiment_seed is not translated"})
    EXPECT_TRUE(says(import.lost, what)) << what;
  for (const char* key : {"budget", "resources", "limits", "seed"})
    EXPECT_FALSE(import.sweep.contains(key)) << key;
  const ImportedSpec retried =
      import_of_text("determined", "{hyperparameters: {a: 1}, max_restarts: 5000}\n");
  EXPECT_EQ(retried.sweep["limits"]["max_retries"], 100);
}

TEST(ImportNni, what_lies_out_of_range_is_named) {
  const ImportedSpec import = import_of_text(
      "nni",
      "{search_space: {a: {_type: uniform, _value: [0, 1]}}, trial_gpu_number: 1e300, "
      "max_trial_number: -3, trialConcurrency: x, trial: {command: y, gpuNum: 5000}, advisor: "
      "{name: Hyperband, classArgs: {eta: 1e300}}, assessor: Medianstop}\n");
  for (const char* what :
       {"trial_gpu_number is not translated: no whole number from 0 to 4096",
        "max_trial_number is not translated", "trialConcurrency is not translated",
        "trial.gpuNum is not translated", "advisor.classArgs.eta is not translated",
        "assessor is not translated: it is no object"})
    EXPECT_TRUE(says(import.lost, what)) << what;
  EXPECT_FALSE(import.sweep.contains("resources"));
}

TEST(ImportKatib, what_lies_out_of_range_is_named) {
  const ImportedSpec import = import_of_text(
      "katib",
      "{kind: Experiment, spec: {parameters: [{name: a, parameterType: discrete, feasibleSpace: "
      "{list: ['1e300', '2']}}], parallelTrialCount: 0, earlyStopping: {algorithmName: medianstop, "
      "algorithmSettings: [{name: min_trials_required, value: '1e300'}]}}}\n");
  EXPECT_EQ(text_at(import, "a"), R"({"type":"choice","values":[1e+300,2]})");
  EXPECT_EQ(to_text(import.sweep["terminator"]), R"({"rule":"median"})");
  EXPECT_TRUE(says(import.lost, "min_trials_required is not translated: no number from 1"));
  EXPECT_TRUE(says(import.lost, "spec.parallelTrialCount is not translated"));
}

TEST(ImportWandb, what_lies_out_of_range_is_named) {
  const ImportedSpec import = import_of_text(
      "wandb",
      "{parameters: {a: {value: 1}}, run_cap: 1e300, early_terminate: {type: hyperband, min_iter: "
      "soon, eta: 1e300}}\n");
  for (const char* what : {"run_cap is not translated", "early_terminate.eta is not translated",
                           "early_terminate.min_iter is not translated: its value is no number"})
    EXPECT_TRUE(says(import.lost, what)) << what;
  EXPECT_EQ(refusal("wandb", "parameters: {a: {parameters: 5}}\n"),
            "/parameters/a/parameters: must be an object of parameters");
}

// Names that become the same one stay distinct; what is beyond the bound is named once.
TEST(ImportDraft, a_sweep_holds_a_thousand_parameters) {
  Json document = Json::object();
  for (int i = 0; i < 5000; ++i)
    document["parameters"][std::string(70, 'n') + std::to_string(i)]["value"] = i;
  const auto result = find_import_format("wandb")->translate(document, document_of);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->sweep["parameters"].size(), 1000U);
  EXPECT_EQ(result->names.size(), 1000U);
  ASSERT_EQ(result->lost.size(), 1U);
  EXPECT_EQ(result->lost[0].sentence,
            "parameters after the 1000th are not translated: a sweep holds 1000");
}

TEST(ImportDraft, repeated_values_are_left_out_and_named_once) {
  Json document = Json::object();
  Json& values = document["parameters"]["a"]["values"];
  values = {3, 3.0, "3", nullptr, "null"};
  for (int i = 0; i < 100'000; ++i) values.push_back(3);
  const auto result = find_import_format("wandb")->translate(document, document_of);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(text_at(*result, "a"), R"({"type":"choice","values":[3,"3",null,"null"]})");
  EXPECT_EQ(remark(*result, "/parameters/a"), "a value that stood twice is left out");
}

// The sweep had a command without any parameter in it; one sentence on stderr was all.
TEST(ImportWandb, the_macro_of_boolean_flags_dropped_every_parameter) {
  const auto words = [](const char* macro) {
    const ImportedSpec import = import_of_text(
        "wandb", std::string("program: train.py\nparameters: {lr: {min: 0.1, max: 1.0}, "
                             "anneal: {values: [true, false]}, clip: {values: [null, 0.5]}, "
                             "net: {values: [[64, 64], ['a']]}}\ncommand: [python3, ") +
                     macro + "]\n");
    std::string text;
    for (const Json& word : import.sweep["command"]) text += word.get<std::string>() + " ";
    return text + text_at(import, "anneal") + text_at(import, "clip") + text_at(import, "net");
  };
  const std::string kept = R"({"type":"choice","values":[)";
  EXPECT_EQ(words("'${args_no_boolean_flags}'"),
            "python3 --lr=${lr} ${anneal?--anneal} --clip=${clip} --net=${net} " + kept +
                "true,false]}" + kept + R"("None",0.5]})" + kept + R"("[64, 64]","['a']"]})");
  EXPECT_EQ(words("'${args}'"),
            "python3 --lr=${lr} --anneal=${anneal} --clip=${clip} --net=${net} " + kept +
                R"("True","False"]})" + kept + R"("None",0.5]})" + kept +
                R"("[64, 64]","['a']"]})");
  EXPECT_EQ(words("'${args_json_file}'"), "python3 ${hone.params_file} " + kept + "true,false]}" +
                                              kept + "null,0.5]}" + kept + R"([64,64],["a"]]})");
  EXPECT_EQ(words("'${args_json}'").substr(0, 22), "python3 ${hone.params}");
}

TEST(ImportDraft, a_command_that_names_no_parameter_is_remarked_on) {
  const ImportedSpec import =
      import_of_text("determined",
                     "hyperparameters: {lr: {type: double, minval: 0, maxval: 1}, layers: 3}\n"
                     "entrypoint: python3 train.py\n");
  EXPECT_TRUE(says(import.lost, "not passed by any word: lr, layers; the program must read"));
  const ImportedSpec katib =
      import_of("katib", "katib.yaml");  // its template names lr and num-layers
  EXPECT_TRUE(says(katib.lost, "not passed by any word: momentum, batch, optimizer;"));
}

}  // namespace
}  // namespace hone
