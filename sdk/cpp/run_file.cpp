#include "sdk/cpp/run_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "schemas/codec/body.hpp"
#include "schemas/codec/json.hpp"
#include "schemas/codec/trainer_codec.hpp"

namespace hone {
namespace {

// Throws nlohmann's exceptions for a malformed document; parse_run_file turns them into an Error.
Result<TrainerSpec> take_trainer(const Json& document) {
  if (document.contains("command")) {
    auto command = decode_command(document.at("command"), "/trainer/command");
    if (!command) return std::move(command).error();
    return TrainerSpec{*std::move(command)};
  }
  BuiltinTrainer trainer{document.at("name").get<std::string>(), {}};
  if (!document.contains("settings")) return TrainerSpec{trainer};
  auto settings = decode_params(document.at("settings"), "/trainer/settings");
  if (!settings) return std::move(settings).error();
  trainer.settings = std::move(*settings);
  return TrainerSpec{trainer};
}

RunFile::Resume take_resume(const Json& document) {
  return {document.at("model").get<std::string>(), document.at("path").get<std::string>(),
          document.at("step").get<std::int64_t>(), document.at("phase").get<int>()};
}

Objective take_objective(const Json& document) {
  Objective objective{document.at("metric").get<std::string>()};
  objective.goal = document.at("goal") == "minimize" ? Goal::minimize : Goal::maximize;
  return objective;
}

void take_budget(const Json& document, BudgetSpec& budget) {
  document.at("unit").get_to(budget.unit);
  document.at("per_run").get_to(budget.per_run);
  document.at("phases").get_to(budget.phases);
}

Result<RunFile> take_all(const Json& document) {
  RunFile file;
  auto trainer = take_trainer(document.at("trainer"));
  if (!trainer) return std::move(trainer).error();
  auto params = decode_params(document.at("params"), "/params");
  if (!params) return std::move(params).error();
  file.trainer = std::move(*trainer);
  file.params = std::move(*params);
  document.at("run").get_to(file.run);
  document.at("attempt").get_to(file.attempt);
  document.at("sweep").get_to(file.sweep);
  file.sweep_name = document.value("sweep_name", "");
  document.at("seed").get_to(file.seed);
  file.objective = take_objective(document.at("objective"));
  for (const Json& one : document.value("further_objectives", Json::array()))
    file.further_objectives.push_back(take_objective(one));
  take_budget(document.at("budget"), file.budget);
  document.at("next_phase").get_to(file.next_phase);
  if (document.contains("resume") && !document.at("resume").is_null())
    file.resume = take_resume(document.at("resume"));
  return file;
}

}  // namespace

Result<RunFile> parse_run_file(std::string_view text) {
  const auto document = parse_json(text);
  if (!document) return refuse(Code::invalid, "the run file is " + document.error().detail);
  try {
    auto file = take_all(*document);
    if (!file) return file;
    const auto& budget = file->budget;
    if (budget.per_run < 1 || budget.phases < 1 || budget.phases > budget.per_run)
      return refuse(Code::invalid, "the run file's budget has no phases to train for", "/budget");
    if (file->next_phase < 0 || file->next_phase > budget.phases)
      return refuse(Code::invalid, "the run file's next_phase is not one of its phases",
                    "/next_phase");
    return file;
  } catch (const nlohmann::json::exception& fault) {
    return refuse(
        Code::invalid,
        std::string("the run file is not of the form hone-worker writes: ") + fault.what());
  }
}

Result<RunFile> read_run_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) return refuse(Code::not_found, "cannot read the run file " + path.string());
  return parse_run_file(text.str());
}

}  // namespace hone
