// train --track: trains one run on this machine, recorded by a server as a sweep of one trial.
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/codec/words.hpp"
#include "schemas/trainers/trainers.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/steer/workflow_upload.hpp"
#include "sdk/cli/local/child.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/local/temporary_folder.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone::cli {
namespace {

struct TrackOptions {
  std::vector<std::string> words;  // a built-in trainer, or a program and its arguments
  std::vector<std::string> settings;
  std::string env, budget, name, project;
  std::string metric = "return", goal = "maximize", unit = "steps";
  std::int64_t seed = 1;
  int phases = 10;
  int gpus = 0;
};

// The training as the document of a sweep whose only run fits no worker but the one with `label`.
Result<Json> sweep_of(const TrackOptions& options, const std::string& label) {
  Json document;
  const TrainerInfo* trainer = options.words.size() == 1 ? find_trainer(options.words[0]) : nullptr;
  std::string name = std::filesystem::path(options.words[0]).filename().string();
  if (trainer != nullptr) {
    document["trainer"]["name"] = trainer->name;
    if (!options.env.empty()) document["trainer"]["env"] = options.env, name += " " + options.env;
    document["objective"]["metric"] = usual_objective(*trainer);
  } else {
    document["command"] = options.words;
    document["objective"]["metric"] = options.metric;
  }
  document["objective"]["goal"] =
      trainer != nullptr && usual_objective(*trainer) == "step_ms" ? "minimize" : options.goal;
  document["name"] = options.name.empty() ? name : options.name;
  if (!options.project.empty()) document["project"] = options.project;
  document["seed"] = options.seed;
  document["search"] = {{"method", drawing_method}, {"trials", 1}};
  document["terminator"]["rule"] = rule_none;
  document["budget"] = {{"unit", trainer != nullptr ? trainer->unit : options.unit},
                        {"phases", options.phases}};
  const std::string usual =
      trainer != nullptr ? std::string(trainer->budget) : std::to_string(options.phases);
  const auto budget =
      set_path(document, "budget.per_run=" + (options.budget.empty() ? usual : options.budget));
  if (!budget) return budget.error();
  document["resources"] = {{"gpus", options.gpus}, {"labels", {label}}};
  document["limits"]["max_retries"] = 0;  // no other worker may continue it
  document["parameters"] = Json::object();
  for (const std::string& setting : options.settings) {
    const auto equals = setting.find('=');
    const auto set = set_path(document, "parameters." + setting.substr(0, equals) + ".value" +
                                            setting.substr(std::min(equals, setting.size())));
    if (!set) return refuse(Code::invalid, "--set " + setting + ": " + set.error().detail);
  }
  return document;
}

Result<SweepSpec> checked(const Json& document) {
  auto spec = decode_request<SweepSpec>(document);
  if (!spec) return spec;
  if (const auto fits = check_spec(*spec); !fits) return fits.error();
  return spec;
}

// A worker of this machine for the run with `label` alone, which ends with it.
Result<Program> worker_for(Session& session, const std::string& label, const TrackOptions& options,
                           const std::filesystem::path& folder) {
  const auto path = find_program("hone-worker");
  if (!path) return path.error();
  Program program{"worker",
                  {*path, "--server", session.options().server, "--slots", "1", "--gpus",
                   std::to_string(options.gpus), "--label", label, "--data",
                   (folder / "worker").string(), "--until-idle", "--die-with-parent"},
                  (folder / "worker.log").string()};
  Credentials credentials = session.options().credentials;
  if (!credentials.token.empty()) {
    credentials.token_file = (folder / "token").string();
    if (const auto kept = replace_file(credentials.token_file, credentials.token, {.mode = 0600});
        !kept)
      return kept.error();
  }
  const auto pass_on = [&](const char* option, const std::string& value) {
    if (!value.empty()) program.argv.insert(program.argv.end(), {option, value});
  };
  pass_on("--token-file", credentials.token_file);
  pass_on("--tls-ca", credentials.tls_ca);
  pass_on("--tls-cert", credentials.tls_cert);
  pass_on("--tls-key", credentials.tls_key);
  return program;
}

void show_progress(Session& session, const std::string& path, std::int64_t& shown) {
  const auto sweep = session.get(path);
  if (!sweep || int_at(*sweep, "/phases/done") == shown) return;
  shown = int_at(*sweep, "/phases/done");
  const auto curve = session.get("/v1/sweeps/" + text_at(*sweep, "/id") + "/best?limit=1");
  const Json& items = curve ? member(*curve, "/items") : Json();
  session.note("phase " + std::to_string(shown) + " of " +
               std::to_string(int_at(*sweep, "/spec/budget/phases")) + "  " +
               text_at(*sweep, "/objective/metric") + " " +
               (items.empty() ? "-" : value_text(member(items[0], "/value"))));
}

// Waits for the end of the worker, and cancels the run when the user interrupts.
void wait_for(Session& session, Client& client, SweepId sweep, pid_t worker) {
  constexpr Duration poll = milliseconds(200);
  const InterruptsHeld held;  // also while a request waits for its answer
  std::int64_t shown = 0;
  while (waitpid(worker, nullptr, WNOHANG) == 0) {
    show_progress(session, "/v1/sweeps/" + text(sweep), shown);
    if (!interrupted_within(poll)) continue;
    session.note("\ncanceling " + text(sweep));
    if (const auto canceled = client.steer(sweep, Verb::cancel); !canceled)
      session.note("cannot cancel it: " + canceled.error().detail);
  }
}

// The sweep as it ended. One that its worker left open is canceled.
Result<Exit> ended(Session& session, Client& client, SweepId sweep, const Program& worker) {
  const std::string path = "/v1/sweeps/" + text(sweep);
  auto row = session.get(path);
  if (!row) return row.error();
  const auto state = parse_word<SweepState>(text_at(*row, "/state"));
  if (!state || !is_end(*state)) {
    if (const auto canceled = client.steer(sweep, Verb::cancel); !canceled) return canceled.error();
    return refuse(Code::internal, text(sweep) + " is canceled, as its worker ended: " +
                                      last_sentence(worker.log, 0));
  }
  const std::string value = value_text(member(*row, "/best/value"));
  const auto printed = print_object(
      session, *row,
      text(sweep) + "  " + text_at(*row, "/best/run") + "  " + text_at(*row, "/objective/metric") +
          " " + (value.empty() ? "-" : value) + "  " + text_at(*row, "/state") + "\n");
  if (!printed) return printed;
  session.note("hone show, curve, logs, lineage, evaluate and reproduce know it");
  return exit_for(*state);
}

Result<Exit> track(Session& session, const TrackOptions& options) {
  if (options.words.empty())
    return refuse(Code::invalid, "name a trainer, or a program after --; see hone train --help");
  const std::string id = new_request_id();
  const std::string label = std::string(only_label) + "track-" + id;
  const auto document = sweep_of(options, label);
  if (!document) return document.error();
  const auto spec = checked(*document);
  if (!spec) return spec.error();
  const auto folder = TemporaryFolder::make("hone-track");
  if (!folder) return folder.error();
  const auto worker = worker_for(session, label, options, folder->path());
  if (!worker) return worker.error();
  auto client = session.client();
  if (!client) return client.error();
  const auto sweep =
      (*client)->submit(id, *document, record_and_store(session, **client, spec->trainer));
  if (!sweep) return sweep.error();
  TagRequest tag{*sweep};
  tag.add.emplace_back("tracked");
  if (const auto tagged = session.post("/v1/tags", encode(tag)); !tagged)
    session.note("cannot tag " + text(*sweep) + ": " + tagged.error().detail);
  session.note("tracked as " + text(*sweep));
  const auto child = start(*worker, false);
  if (!child) {
    static_cast<void>((*client)->steer(*sweep, Verb::cancel));
    return child.error();
  }
  wait_for(session, **client, *sweep, child->pid);
  return ended(session, **client, *sweep, *worker);
}

}  // namespace

CommandAction declare_track(Flags& flags) {
  return with_options(track, [&](TrackOptions& options) {
    flags.arguments("NAME", options.words,
                    "a built-in trainer; or after --, a program and its arguments");
    flags.text("--env ENV", options.env, "environment to learn");
    flags.texts("--set NAME=VALUE", options.settings, "a setting of the trainer; repeatable");
    flags.integer("--seed N", options.seed, {0, 9e15}, "the seed of the run follows from it (1)");
    flags.text("--frames,--episodes,--budget N", options.budget,
               "how long to train: 5000, 200k, 1M (as the trainer does alone)");
    flags.integer("--phases K", options.phases, {1, 10'000}, "reports to make (10)");
    flags.integer("--gpus N", options.gpus, {0, 64}, "GPUs of this machine to use (0)");
    flags.text("--name NAME", options.name, "of the sweep (the trainer and its environment)");
    flags.text("--project NAME", options.project, "project of the sweep");
    flags.text("--metric NAME", options.metric, "what a program reports (return)");
    flags.text("--goal GOAL", options.goal, "of a program: maximize or minimize (maximize)");
    flags.text("--unit UNIT", options.unit, "of a program's budget (steps)");
  });
}

}  // namespace hone::cli
