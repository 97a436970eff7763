// submit: a sweep file becomes a sweep.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/commands/start/plan.hpp"
#include "sdk/cli/commands/start/watch.hpp"
#include "sdk/cli/commands/steer/recorded.hpp"
#include "sdk/cli/local/dataset.hpp"
#include "sdk/cli/local/graph_digest.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/interrupt.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/sweep_file.hpp"
#include "server/sweep/check.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string file;
  std::vector<std::string> assignments;
  std::string dataset;
  bool watch = false;
  bool dry_run = false;
  int workers = 0;  // 0: those at hand
};

// The assignment whose field, or a field below it, is at the pointer; "" where the file itself says
// it.
std::string assignment_at(const Wish& wish, const std::string& pointer) {
  for (const auto& assignment : wish.assignments) {
    std::string path = "/" + assignment.substr(0, assignment.find('='));
    std::replace(path.begin(), path.end(), '.', '/');
    if (pointer == path || pointer.starts_with(path + "/")) return "--set " + assignment;
  }
  return {};
}

// "sweep.yaml:7:12: /parameters/lr/min: the sentence". The server sees the file as the member
// "spec" of its request.
Error placed(const Wish& wish, const SweepFile& file, const Error& error) {
  std::string at = error.at;
  if (at == "/spec" || at.starts_with("/spec/")) at.erase(0, 5);
  const std::string assigned = assignment_at(wish, at);
  const std::string where = assigned.empty() ? file.place(at) : assigned;
  return refuse(error.code, where + ": " + (at.empty() ? "" : at + ": ") + error.detail);
}

// A file that is not there is a wrong command line, not an unknown object of the server's.
Result<SweepFile> read_file(const Wish& wish) {
  auto file = read_sweep_file(wish.file);
  if (!file) return refuse(Code::invalid, file.error().detail);
  for (const auto& assignment : wish.assignments)
    if (const auto set = set_path(file->document, assignment); !set)
      return refuse(Code::invalid, "--set " + assignment + ": " + set.error().detail);
  return file;
}

bool may_try_again(Code code) {
  return code == Code::unavailable || code == Code::busy || code == Code::timed_out ||
         code == Code::rate_limited;
}

// The request id makes trying again harmless: a sweep that arrived the first time is not submitted
// twice.
Result<SweepId> submit_patiently(Client& client, const SweepFile& file,
                                 const WorkflowInfo& workflow,
                                 const std::optional<DatasetInfo>& dataset) {
  const std::string request_id = new_request_id();
  auto sweep = client.submit(request_id, file.document, workflow, dataset);
  for (const auto wait : {milliseconds(200), milliseconds(400), milliseconds(800)}) {
    if (sweep || !may_try_again(sweep.error().code)) return sweep;
    if (interrupted_within(wait)) return sweep;
    sweep = client.submit(request_id, file.document, workflow, dataset);
  }
  return sweep;
}

void print_submitted(Session& session, SweepId sweep, const SweepSpec& spec) {
  switch (session.options().format) {
    case Format::json:
    case Format::jsonl:
      session.print(to_text(Json{{"sweep", text(sweep)}}) + "\n");
      break;
    case Format::csv:
      session.print("sweep\n" + text(sweep) + "\n");
      break;
    case Format::table:
    case Format::value:
    case Format::curves:
      session.print(text(sweep) + "\n");
      break;
  }
  session.note(
      "submitted " + spec.name + ": " + std::to_string(spec.search.trials) + " trials, up to " +
      std::to_string(spec.search.trials * spec.seeds * spec.budget.phases) + " phases of " +
      count_text(spec.budget.per_run / std::max(1, spec.budget.phases)) + " " + spec.budget.unit);
}

// A rule that pauses runs costs a program without checkpoints dearly.
void warn_of_pauses(Session& session, const SweepSpec& spec) {
  static constexpr std::array<std::string_view, 4> pausing{"hone", "asha", "sha", "hyperband"};
  if (!std::holds_alternative<CommandTrainer>(spec.trainer) ||
      std::find(pausing.begin(), pausing.end(), spec.terminator.rule) == pausing.end())
    return;
  session.note("terminator " + spec.terminator.rule +
               " pauses runs, which go on from their last checkpoint: if the command saves none, "
               "name a rule that never pauses, as terminator: {rule: hypertrick}");
}

void say_what_next(Session& session, SweepId sweep) {
  const std::string id = text(sweep);
  session.note("follow it: hone watch " + id + "   leaderboard: hone best " + id +
               "   end it: hone stop " + id);
}

Result<Exit> submit(Session& session, const Wish& wish) {
  auto file = read_file(wish);
  if (!file) return file.error();
  if (const auto named = name_graph(file->document); !named)
    return placed(wish, *file, named.error());
  const auto spec = decode_sweep_spec(file->document);
  if (!spec) return placed(wish, *file, spec.error());
  if (const auto fits = check_spec(*spec); !fits) return placed(wish, *file, fits.error());
  if (wish.dry_run) return print_plan(session, *spec, wish.workers);
  std::optional<DatasetInfo> dataset;
  if (!wish.dataset.empty()) {
    auto named = dataset_of(wish.dataset);
    if (!named) return named.error();
    dataset = *std::move(named);
  }
  auto client = session.client();
  if (!client) return client.error();
  const auto sweep =
      submit_patiently(**client, *file, record_and_store(session, **client, *spec), dataset);
  if (!sweep)
    return sweep.error().code == Code::invalid ? placed(wish, *file, sweep.error()) : sweep.error();
  print_submitted(session, *sweep, *spec);
  warn_of_pauses(session, *spec);
  if (wish.watch) return watch(session, *sweep, seconds(5));
  say_what_next(session, *sweep);
  return Exit::ok;
}

void add_file(Flags& flags, Wish& wish) {
  flags.argument("FILE", wish.file, "the sweep file");
  flags.texts("--set FIELD=VALUE", wish.assignments,
              "change a field, as search.trials=64; may be repeated");
}

}  // namespace

Work declare_submit(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  add_file(flags, *wish);
  flags.text("--dataset FILE|NAME=DIGEST", wish->dataset,
             "what it trains on: a file or folder, by its SHA-256, or as it stands");
  flags.flag("--watch", wish->watch, "follow it until it ends");
  flags.flag("--dry-run", wish->dry_run, "check the file and say what would run; submits nothing");
  return [wish](Session& session) { return submit(session, *wish); };
}

Work declare_plan(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  wish->dry_run = true;
  add_file(flags, *wish);
  flags.integer("--workers N", wish->workers, {0, 1e6},
                "runs at a time; 0: the server's free slots, or this machine's cores");
  return [wish](Session& session) { return submit(session, *wish); };
}

}  // namespace hone::cli
