// submit: a sweep file becomes a sweep.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/show_texts.hpp"
#include "sdk/cli/commands/watch.hpp"
#include "sdk/cli/flags.hpp"
#include "sdk/cli/interrupt.hpp"
#include "sdk/cli/output.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/system/request_id.hpp"
#include "sdk/cli/system/workflow.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/sweep_file.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string file;
  std::vector<std::string> assignments;
  bool watch = false;
  bool dry_run = false;
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

std::string dry_run_text(const Json& spec, const Screen& screen) {
  const auto trials = int_at(spec, "/search/trials");
  const auto seeds = std::max<std::int64_t>(1, int_at(spec, "/replicates/seeds"));
  const auto phases = int_at(spec, "/budget/phases");
  const auto per_run = int_at(spec, "/budget/per_run");
  std::vector<RecordLine> lines = {
      {"objective", text_at(spec, "/objective/goal") + " " + text_at(spec, "/objective/metric")},
      {"trainer", trainer_text(spec)},
      {"search", text_at(spec, "/search/method") + ", " + std::to_string(trials) + " trials"},
      {"terminator",
       text_at(spec, "/terminator/rule") + settings_text(member(spec, "/terminator"), "rule")},
      {"budget", budget_text(spec)},
      {"at most", std::to_string(trials * seeds) + " runs, " +
                      std::to_string(trials * seeds * phases) + " phases, " +
                      count_text(trials * seeds * per_run) + " " + text_at(spec, "/budget/unit")}};
  bool first = true;
  for (const auto& [name, domain] : member(spec, "/parameters").items()) {
    lines.push_back({first ? "parameters" : "", name + ": " + domain_text(domain)});
    first = false;
  }
  return paint(screen, Ink::bold, text_at(spec, "/name")) + "  (nothing is submitted)\n" +
         record_text(lines, screen);
}

Result<Exit> dry_run(Session& session, const SweepSpec& spec) {
  const Json document = encode(spec);
  return print_object(session, document, dry_run_text(document, session.screen()));
}

bool may_try_again(Code code) {
  return code == Code::unavailable || code == Code::busy || code == Code::timed_out;
}

// The request id makes trying again harmless: a sweep that arrived the first time is not submitted
// twice.
Result<SweepId> submit_patiently(Client& client, const SweepFile& file,
                                 const WorkflowInfo& workflow) {
  const std::string request_id = new_request_id();
  auto sweep = client.submit(request_id, file.document, workflow);
  for (const auto wait : {milliseconds(200), milliseconds(400), milliseconds(800)}) {
    if (sweep || !may_try_again(sweep.error().code)) return sweep;
    if (interrupted_within(wait)) return sweep;
    sweep = client.submit(request_id, file.document, workflow);
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

void say_what_next(Session& session, SweepId sweep) {
  const std::string id = text(sweep);
  session.note("follow it: hone watch " + id + "   leaderboard: hone best " + id +
               "   end it: hone stop " + id);
}

Result<Exit> submit(Session& session, const Wish& wish) {
  const auto file = read_file(wish);
  if (!file) return file.error();
  const auto spec = decode_sweep_spec(file->document);
  if (!spec) return placed(wish, *file, spec.error());
  if (wish.dry_run) return dry_run(session, *spec);
  auto client = session.client();
  if (!client) return client.error();
  const auto sweep = submit_patiently(**client, *file, record_workflow());
  if (!sweep)
    return sweep.error().code == Code::invalid ? placed(wish, *file, sweep.error()) : sweep.error();
  print_submitted(session, *sweep, *spec);
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
  flags.flag("--watch", wish->watch, "follow it until it ends");
  flags.flag("--dry-run", wish->dry_run, "check the file and say what would run; submits nothing");
  return [wish](Session& session) { return submit(session, *wish); };
}

Work declare_plan(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  wish->dry_run = true;
  add_file(flags, *wish);
  return [wish](Session& session) { return submit(session, *wish); };
}

}  // namespace hone::cli
