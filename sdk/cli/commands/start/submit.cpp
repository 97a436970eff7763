// submit: submits a sweep file, or shows its plan.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "schemas/codec/default_methods.hpp"
#include "schemas/codec/problem.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/commands/start/plan.hpp"
#include "sdk/cli/commands/start/space_remarks.hpp"
#include "sdk/cli/commands/start/watch.hpp"
#include "sdk/cli/commands/steer/snapshot_upload.hpp"
#include "sdk/cli/commands/steer/workflow_upload.hpp"
#include "sdk/cli/local/dataset.hpp"
#include "sdk/cli/local/graph_digest.hpp"
#include "sdk/cli/local/passing_remarks.hpp"
#include "sdk/cli/local/place.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/local/workflow.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/shortage.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/deadline.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "server/sweep/submit/check.hpp"

namespace hone::cli {
namespace {

struct SubmitOptions {
  std::string file;
  std::vector<std::string> assignments;
  std::string dataset;
  std::string workflow;  // NAME or NAME@VERSION
  std::string description;
  bool watch = false;
  bool dry_run = false;
  int workers = 0;  // 0: all there are
};

// The --set whose field, or a field below it, is at the pointer; "" if the value is the file's own.
std::string assignment_at(const SubmitOptions& options, const std::string& pointer) {
  for (const auto& assignment : options.assignments) {
    std::string path = "/" + assignment.substr(0, assignment.find('='));
    std::replace(path.begin(), path.end(), '.', '/');
    if (pointer == path || pointer.starts_with(path + "/")) return "--set " + assignment;
  }
  return {};
}

// "sweep.yaml:7:12: /parameters/lr/min: the sentence". In a request the file is the member "spec".
Error with_place(const SubmitOptions& options, const SweepFile& file, const Error& error) {
  std::string at = error.at;
  if (at == "/spec" || at.starts_with("/spec/")) at.erase(0, 5);
  const std::string assigned = assignment_at(options, at);
  const std::string where = assigned.empty() ? file.place(at) : assigned;
  return refuse(error.code, where + ": " + (at.empty() ? "" : at + ": ") + error.detail);
}

// A missing file is a wrong command line, not an unknown object of the server.
Result<SweepFile> read_assigned_file(const SubmitOptions& options) {
  auto file = read_sweep_file(options.file);
  if (!file) return refuse(Code::invalid, file.error().detail);
  for (const auto& assignment : options.assignments)
    if (const auto set = set_path(file->document, assignment); !set)
      return refuse(Code::invalid,
                    options.file + ": --set " + assignment + ": " + set.error().detail);
  settle_deadline(file->document, now());
  record_place(file->document);
  return file;
}

// The request id makes retries harmless: a sweep that arrived is not submitted twice.
Result<SweepId> submit_with_retries(Client& client, const SweepFile& file,
                                    const WorkflowInfo& workflow,
                                    const std::optional<DatasetInfo>& dataset) {
  const std::string request_id = new_request_id();
  auto sweep = client.submit(request_id, file.document, workflow, dataset);
  for (const auto wait : {milliseconds(200), milliseconds(400), milliseconds(800)}) {
    if (sweep || !is_retryable(sweep.error().code)) return sweep;
    if (interrupted_within(wait)) return sweep;
    sweep = client.submit(request_id, file.document, workflow, dataset);
  }
  return sweep;
}

// How the sweep is run, and what the user calls that.
WorkflowInfo workflow_of(Session& session, Client& client, const SubmitOptions& options,
                         const TrainerSpec& trainer) {
  WorkflowInfo info = record_and_store(session, client, trainer);
  const auto at = options.workflow.find('@');
  info.name = options.workflow.substr(0, at);
  if (at != std::string::npos) info.version = options.workflow.substr(at + 1);
  info.description = options.description;
  return info;
}

void print_submitted(Session& session, SweepId sweep, const SweepSpec& spec) {
  switch (session.options().format) {
    case Format::json:
    case Format::jsonl:
      session.print_json(to_text(Json{{"sweep", text(sweep)}}) + "\n");
      break;
    case Format::csv:
      session.print("sweep\n" + text(sweep) + "\n");
      break;
    case Format::table:
    case Format::value:
    case Format::md:
    case Format::latex:
    case Format::curves:
      session.print(text(sweep) + "\n");
      break;
  }
  session.note(
      "submitted " + spec.name + ": " + std::to_string(spec.search.trials) + " trials, up to " +
      std::to_string(spec.search.trials * most_runs(spec) * spec.budget.phases) + " phases of " +
      count_text(spec.budget.per_run / std::max(1, spec.budget.phases)) + " " + spec.budget.unit);
}

void note_learned(Session& session, SweepId sweep) {
  const auto row = session.get("/v1/sweeps/" + text(sweep));
  if (!row) return;  // it is submitted: `hone show` has the counts
  for (const Json& one : member(*row, "/learned")) session.note("learned " + learned_text(one));
}

// Where its commands run: a worker on this machine has the folder and the interpreter, one on
// another may lack them.
void note_place(Session& session, const Json& spec) {
  const std::string place = place_text(spec);
  if (place.empty()) return;
  session.note("its command runs " + place);
  const auto workers = session.list("/v1/workers");
  if (!workers) return;
  std::string others;
  for (const Json& worker : *workers) {
    if (!is_connected(worker, now())) continue;
    if (text_at(worker, "/host") == host_name()) return;
    if (others.empty()) others = text_at(worker, "/id") + " on " + text_at(worker, "/host");
  }
  if (others.empty()) return;
  session.note("remark: no connected worker is on this machine, and " + others +
               " may lack these; code: snapshot sends the code along");
}

void print_next_steps(Session& session, SweepId sweep) {
  const std::string id = text(sweep);
  session.note("follow it: hone watch " + id + "   leaderboard: hone best " + id +
               "   end it: hone stop " + id);
}

Result<Exit> submit(Session& session, const SubmitOptions& options) {
  auto file = read_assigned_file(options);
  if (!file) return file.error();
  if (const auto named = name_graph(file->document); !named)
    return with_place(options, *file, named.error());
  auto spec = decode_request<SweepSpec>(file->document);
  if (!spec) return with_place(options, *file, spec.error());
  choose_version(*spec);
  if (const auto fits = check_new(*spec); !fits) return with_place(options, *file, fits.error());
  if (options.dry_run) {
    auto printed = print_plan(session, *spec, options.workers);
    return printed ? printed : with_place(options, *file, printed.error());
  }
  std::optional<DatasetInfo> dataset;
  if (!options.dataset.empty()) {
    auto named = dataset_of(options.dataset);
    if (!named) return named.error();
    dataset = *std::move(named);
  }
  auto client = session.client();
  if (!client) return client.error();
  const WorkflowInfo workflow = workflow_of(session, **client, options, spec->trainer);
  if (auto sent = upload_snapshots(session, **client, file->document); !sent)
    return with_place(options, *file, sent.error());
  const auto sweep = submit_with_retries(**client, *file, workflow, dataset);
  if (!sweep)
    return sweep.error().code == Code::invalid ? with_place(options, *file, sweep.error())
                                               : sweep.error();
  print_submitted(session, *sweep, *spec);
  note_place(session, file->document);
  for (const std::string& remark : passing_remarks(*spec)) session.note("remark: " + remark);
  for (const auto& remark : space_remarks(*spec)) session.note("remark: " + remark);
  if (!spec->search.warm_start.empty()) note_learned(session, *sweep);
  if (const auto why = find_shortage(session, encode(*spec)); !why.empty()) session.note(why);
  if (options.watch) return watch(session, *sweep, seconds(5), Lines::messages);
  print_next_steps(session, *sweep);
  return Exit::ok;
}

void add_file(Flags& flags, SubmitOptions& options) {
  flags.argument("FILE", options.file, "the sweep file");
  flags.texts("--set FIELD=VALUE", options.assignments,
              "change a field, as search.trials=64; repeatable");
}

}  // namespace

CommandAction declare_submit(Flags& flags) {
  return with_options(submit, [&](SubmitOptions& options) {
    add_file(flags, options);
    flags.text("--dataset FILE|NAME=DIGEST", options.dataset,
               "what it trains on: a file or folder, identified by its SHA-256, or NAME=DIGEST");
    flags.text("--workflow NAME[@VERSION]", options.workflow,
               "what you call this way of working, and which version of it this is");
    flags.text("--describe TEXT", options.description, "what it is for");
    flags.flag("--watch", options.watch, "follow the sweep until it ends");
    flags.flag("--dry-run", options.dry_run, "check the file and print the plan; submit nothing");
  });
}

CommandAction declare_plan(Flags& flags) {
  return with_options(submit, [&](SubmitOptions& options) {
    options.dry_run = true;
    add_file(flags, options);
    flags.integer("--workers N", options.workers, {0, 1e6},
                  "number of parallel runs; 0: all slots of the server, or this machine's cores");
  });
}

}  // namespace hone::cli
