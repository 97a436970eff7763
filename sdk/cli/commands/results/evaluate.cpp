// evaluate: plays the episodes of a saved checkpoint on this machine and records their returns.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/results/measuring.hpp"
#include "sdk/cli/local/consent.hpp"
#include "sdk/cli/local/conversation.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/local/temporary_folder.hpp"
#include "sdk/cli/local/ticker.hpp"
#include "sdk/cli/local/workflow.hpp"
#include "sdk/cli/render/evaluation.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

constexpr int episodes_max = 10'000;  // returns that the server accepts in one evaluation

struct EvaluateOptions {
  std::string model;
  int episodes = 100;
  std::int64_t seed = 1;
  bool sample = false;
  bool yes = false;  // no question
  bool sandbox = false;
};

// The arguments of hone-train that choose the trainer and the number of episodes. No program is
// known that plays models of others.
Result<std::vector<std::string>> player_of(const SweepSpec& spec, const Json& model, int episodes) {
  if (const auto* trainer = std::get_if<BuiltinTrainer>(&spec.trainer)) {
    // Where --episodes is the budget, the option is called --plays.
    const char* option = spec.budget.unit == "episodes" ? "--plays" : "--episodes";
    return std::vector<std::string>{trainer->name, option, std::to_string(episodes)};
  }
  const std::string id = text_at(model, "/id");
  return refuse(
      Code::conflict,
      id +
          " was saved by a program of yours, which hone cannot play: name a command under "
          "evaluate: in the sweep file (docs/commands.md). Or play it yourself and "
          "record the returns: POST /v1/models/" +
          id + R"(/evaluations {"request_id": ..., "metric": ..., "values": [...]})");
}

// A holder of `submit` wrote it.
std::string command_text(const std::vector<std::string>& argv) {
  std::string text = "the sweep's command runs in this folder and environment:\n ";
  for (const std::string& word : argv) text += " " + printable(word);
  return text;
}

// What `hone-train NAME --evaluate FILE` prints at its end.
Result<Json> play(Session& session, const EvaluateOptions& options,
                  const std::vector<std::string>& player, const std::string& file) {
  const auto program = find_program("hone-train");
  if (!program) return program.error();
  std::vector<std::string> argv = {*program};
  argv.insert(argv.end(), player.begin(), player.end());
  argv.insert(argv.end(),
              {"--evaluate", file, "--seed", std::to_string(options.seed), "--format", "jsonl"});
  if (options.sample) argv.emplace_back("--sample");
  if (auto agreed = agree_to_run(session, command_text(argv), options.yes, options.sandbox);
      !agreed)
    return agreed.error();
  auto started = Conversation::start(argv, options.sandbox);
  if (!started) return started.error();
  Ticker ticker(session, options.episodes, "episodes");
  for (;;) {
    const auto line = (*started)->hear(seconds(1));
    if (!line)
      return refuse(Code::conflict, "hone-train could not play " + options.model + ": " +
                                        line.error().detail + ", and gave its reason above");
    if (!*line) continue;
    auto json = parse_json(**line);
    if (!json || !json->is_object()) continue;
    ticker.reach(int_at(*json, "/finished"));
    if (!json->contains("returns")) continue;
    ticker.done();
    return json;
  }
}

Result<EvaluationInfo> evaluation_of(Session& session, const EvaluateOptions& options,
                                     const Json& model, const SweepSpec& spec,
                                     const std::string& file) {
  const auto player = player_of(spec, model, options.episodes);
  if (!player) return player.error();
  const auto played = play(session, options, *player, file);
  if (!played) return played.error();
  EvaluationInfo info{.metric = text_at(*played, "/metric"), .values = {}};
  const Json& returns = member(*played, "/returns");
  for (const Json& value : returns)
    if (value.is_number()) info.values.push_back(value.get<double>());
  if (info.values.size() < returns.size())
    return refuse(Code::conflict,
                  std::to_string(returns.size() - info.values.size()) + " of " +
                      counted(returns.size(), "episode") +
                      " returned no number; nothing is recorded. Evaluate another model");
  info.environment = text_at(*played, "/env");
  info.seed = static_cast<std::uint64_t>(options.seed);
  info.sample = options.sample;
  info.author = user_at_host();
  return info;
}

// What the sweep's own command measures of the model: an evaluation for each metric.
Result<std::vector<EvaluationInfo>> measured(Session& session, const EvaluateOptions& options,
                                             const Json& model, const SweepSpec& spec,
                                             const std::string& file) {
  const std::string run = text_at(model, "/run");
  const auto trial = session.get("/v1/trials/tr_" + run.substr(3, run.find('.') - 3));
  if (!trial) return trial.error();
  auto values = decode_params(member(*trial, "/params"), "");
  if (!values) return values.error();
  values->push_back({"hone.model", file});
  values->push_back({"hone.episodes", std::int64_t{options.episodes}});
  values->push_back({"hone.seed", options.seed});
  values->push_back({"hone.sample", options.sample});
  values->push_back({"hone.run", run});
  const auto argv = evaluation_words(spec.evaluate, *values);
  if (!argv) return argv.error();
  if (auto agreed = agree_to_run(session, command_text(*argv), options.yes, options.sandbox);
      !agreed)
    return agreed.error();
  const auto found = measure(session, *argv, spec.objective.metric, options.sandbox);
  if (!found) return found.error();
  std::vector<EvaluationInfo> infos;
  for (const auto& [metric, of_metric] : *found)
    infos.push_back({.metric = metric,
                     .values = of_metric,
                     .seed = static_cast<std::uint64_t>(options.seed),
                     .sample = options.sample,
                     .author = user_at_host()});
  return infos;
}

// Downloads the checkpoint to a folder that is removed afterwards, and measures it there.
Result<std::vector<EvaluationInfo>> evaluations_of(Session& session, const EvaluateOptions& options,
                                                   const Json& model) {
  const auto sweep = session.get("/v1/sweeps/" + text_at(model, "/sweep"));
  if (!sweep) return sweep.error();
  const auto spec = decode_request<SweepSpec>(member(*sweep, "/spec"));
  if (!spec) return spec.error();
  const auto folder = TemporaryFolder::make("hone-evaluate");
  if (!folder) return folder.error();
  const std::string file = (folder->path() / "model").string();
  auto client = session.client();
  if (!client) return client.error();
  if (const auto fetched = (*client)->get_blob(text_at(model, "/sha256"), file); !fetched)
    return fetched.error();
  if (!spec->evaluate.empty()) return measured(session, options, model, *spec, file);
  auto info = evaluation_of(session, options, model, *spec, file);
  if (!info) return info.error();
  return std::vector{*std::move(info)};
}

Result<Exit> evaluate(Session& session, const EvaluateOptions& options) {
  const auto id = parse_object(options.model);
  if (!id) return id.error();
  const auto model = kept_model(session, *id);
  if (!model) return model.error();
  const auto infos = evaluations_of(session, options, *model);
  if (!infos) return infos.error();
  Json all = Json::array();
  std::string lines;
  for (const EvaluationInfo& info : *infos) {
    const auto reply = session.post("/v1/models/" + text(*id) + "/evaluations",
                                    encode(EvaluateRequest{new_request_id(), info}));
    if (!reply) return reply.error();
    auto recorded = session.get("/v1/evaluations/" + text_at(*reply, "/evaluation"));
    if (!recorded) return recorded.error();
    lines += evaluation_line(*recorded);
    all.push_back(*std::move(recorded));
  }
  return print_object(session, all.size() == 1 ? all.front() : all, lines);
}

}  // namespace

CommandAction declare_evaluate(Flags& flags) {
  return with_options(evaluate, [&](EvaluateOptions& options) {
    flags.argument("MODEL", options.model, "id of a model (md_9)");
    flags.integer("--episodes N", options.episodes, {1, episodes_max}, "episodes to play (100)");
    flags.integer("--seed N", options.seed, {0, 9e15},
                  "seed of the episodes: the same seed gives the same returns (1)");
    flags.flag("--sample", options.sample,
               "draw actions from the policy instead of taking the most probable");
    flags.flag("--yes", options.yes, "run the command that is shown, without a question");
    flags.flag("--sandbox", options.sandbox, std::string(sandbox_help));
  });
}

}  // namespace hone::cli
