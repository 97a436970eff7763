// confirm: shows what a confirmation found; with --start, trains the leaders of a sweep again on
// seeds that no run of it has used.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/types/wire.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/start/plan.hpp"
#include "sdk/cli/commands/start/watch.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

struct ConfirmOptions {
  std::string sweep;
  int top = 0, seeds = 0;  // 0: the default
  bool start = false;
  bool again = false;  // of earlier versions: as start
  bool yes = false;    // no question
  bool watch = false;
};

std::string percent_text(const Json& share) {
  if (!share.is_number()) return "";
  return number_text(std::round(100 * share.get<double>())) + " %";
}

// Adds the cells that are not members of the reply. Programs get shares as numbers.
Json with_intervals(Json item, Format format) {
  const auto share = [&](const char* place) {
    const Json& value = member(item, place);
    const bool exact = format == Format::csv || format == Format::value;
    return exact ? value : Json(percent_text(value));
  };
  Json shown = Json::object();
  shown["interval"] = range_text(member(item, "/interval"));
  shown["chance"] = share("/chance_best");
  shown["beaten"] = share("/improvement/probability");
  shown["near"] = share("/bar/share");
  item["shown"] = std::move(shown);
  return item;
}

std::string optimism_text(double optimism) {
  if (optimism == 0) return ".\n";
  return ": " + number_text(std::abs(optimism)) + (optimism > 0 ? " worse.\n" : " better.\n");
}

// Explains the columns that are shown.
std::string legend(const std::vector<std::string>& columns, const Json& report) {
  const auto shows = [&](const char* name) { return std::ranges::count(columns, name) > 0; };
  std::string out = "iqm: the interquartile mean of " + std::to_string(int_at(report, "/seeds")) +
                    " seeds that tuning never used";
  if (const Json& bar = member(report, "/items/0/bar/value"); bar.is_number() && shows("near best"))
    out += "; near best: the share of seeds that reach " + number_text(bar.get<double>());
  if (shows("chance best")) out += "; chance best: of 2000 bootstrap resamples";
  if (shows("tuned")) out += "; tuned: the value in tuning";
  return out + ".\n";
}

// An interquartile mean leaves out the quarter of the seeds that did worst.
std::string collapse_text(const Json& first) {
  const Json& iqm = member(first, "/iqm");
  const Json& mean = member(first, "/mean");
  const Json& share = member(first, "/bar/share");
  if (!iqm.is_number() || !share.is_number() || share.get<double>() >= 1) return {};
  const auto seeds = int_at(first, "/seeds");
  const double missed =
      static_cast<double>(seeds) - std::round(share.get<double>() * static_cast<double>(seeds));
  return number_text(missed) + " of the first's " + std::to_string(seeds) +
         " seeds fell short of " + value_text(member(first, "/bar/value")) +
         " (the bar of near best); its mean is " + value_text(mean) + ", its worst seed " +
         value_text(member(first, "/min")) + ".\n";
}

// The table shows the parameters with which a schedule begins.
std::string schedules_text(const Json& items) {
  for (const Json& item : items)
    if (const Json& later = member(item, "/schedule"); later.is_array() && !later.empty())
      return "Parameters changed while " + text_at(item, "/trial") +
             " trained: hone curve --schedule " + text_at(item, "/trial") + "\n";
  return {};
}

std::string confirmation_summary(const std::vector<std::string>& columns, const Json& report) {
  const Json& items = member(report, "/items");
  const Json& first = member(report, "/items/0");
  std::string out = legend(columns, report) + collapse_text(first) + schedules_text(items);
  if (const Json& optimism = member(first, "/optimism"); optimism.is_number())
    out += "Tuning reported " + number_text(number_at(first, "/tuned_value")) +
           " for the first; confirmed, its value is " + number_text(number_at(first, "/iqm")) +
           optimism_text(optimism.get<double>());
  if (const std::string ledger = text_at(report, "/ledger"); !ledger.empty())
    out += "Newest event and its link, for hone db check --link:\n" + ledger + "\n";
  const std::string applied = text_at(report, "/seed_applied");
  if (applied == "no") out += "The program did not apply its seeds: these are plain repeats.\n";
  if (applied == "partly") out += "Not every run applied its seed.\n";
  if (applied == "unknown")
    out += "The program did not report whether it applied its seeds (seed_applied).\n";
  if (text_at(report, "/state") != "completed")
    out += "The confirmation " + text_at(report, "/confirmation") + " is " +
           text_at(report, "/state") + ": these are the runs so far.\n";
  return out;
}

Result<Exit> print_confirmation(Session& session, const Json& report) {
  if (session.options().format == Format::json) return print_object(session, report, "");
  const Format format = session.options().format;
  std::vector<Json> rows;
  for (const Json& item : member(report, "/items"))
    rows.push_back(format == Format::jsonl ? item : with_intervals(item, format));
  const std::string waiting = "no run of " + text_at(report, "/confirmation") +
                              " has ended yet; follow it with: hone watch " +
                              text_at(report, "/confirmation");
  auto printed = print_list(session, confirmation_columns(), rows, waiting);
  if (printed && format == Format::table && !rows.empty())
    session.note(
        confirmation_summary(shown_columns(session, confirmation_columns(), rows), report));
  return printed;
}

// A sweep without workers waits for a user's program.
bool is_asked(const Json& sweep) { return text_at(sweep, "/spec/trainer/name") == "ask"; }

// Describes the training that would start, as a question.
std::string question_text(Session& session, const Json& sweep, const ConfirmRequest& request) {
  const auto spec = decode_request<SweepSpec>(member(sweep, "/spec"));
  const std::int64_t instances = spec ? instances_of(*spec) : 1;
  const std::int64_t runs = std::int64_t{request.top} * request.seeds * instances;
  const std::string time = time_of_runs(session, sweep, runs);
  return "train " + counted(request.seeds, "new seed") + " of " +
         (request.top == 1 ? "the first trial"
                           : "the first " + std::to_string(request.top) + " trials") +
         ": " + counted(runs, "run") + (time.empty() ? "" : ", " + time) + "?";
}

Result<Exit> start_confirmation(Session& session, SweepId id, const ConfirmOptions& options) {
  const auto sweep = session.get("/v1/sweeps/" + text(id));
  if (!sweep) return sweep.error();
  ConfirmRequest request{new_request_id()};
  if (options.top > 0) request.top = options.top;
  if (options.seeds > 0) request.seeds = options.seeds;
  const bool asks = !options.yes && session.options().format == Format::table && can_ask();
  if (asks && !is_agreed(question_text(session, *sweep, request))) {
    session.note("nothing was started");
    return Exit::ok;
  }
  const auto reply = session.post("/v1/sweeps/" + text(id) + "/confirm", encode(request));
  if (!reply) return reply.error();
  const std::string made = text_at(*reply, "/sweep");
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(made + "\n");
  session.note("the " + std::to_string(request.top) + " leaders of " + text(id) + " train on " +
               std::to_string(request.seeds) + " new seeds each" +
               (is_asked(*sweep) ? " as soon as a program asks for them: hone ask " + made
                                 : "; follow it with: hone watch " + made) +
               "   result: hone confirm " + text(id));
  const auto confirmation = parse_id<SweepId>(made);
  if (!options.watch || !confirmation) return Exit::ok;
  return watch(session, *confirmation, seconds(5), Lines::messages);
}

// Follows the newest confirmation.
Result<Exit> watch_confirmation(Session& session, SweepId id) {
  const auto report = session.get("/v1/sweeps/" + text(id) + "/confirm");
  if (!report) return report.error();
  const auto confirmation = parse_id<SweepId>(text_at(*report, "/confirmation"));
  if (!confirmation) return refuse(Code::not_found, text(id) + " has no confirmation");
  return watch(session, *confirmation, seconds(5), Lines::data);
}

Result<Exit> confirm(Session& session, const ConfirmOptions& options) {
  const auto sweep = resolve_sweep(session, options.sweep);
  if (!sweep) return sweep.error();
  if (options.start || options.again) return start_confirmation(session, *sweep, options);
  if (options.top > 0 || options.seeds > 0)
    return refuse(Code::invalid, "--top and --seeds choose what to train: add --start");
  if (options.watch) return watch_confirmation(session, *sweep);
  const auto report = session.get("/v1/sweeps/" + text(*sweep) + "/confirm");
  if (!report) return report.error();
  return print_confirmation(session, *report);
}

}  // namespace

CommandAction declare_confirm(Flags& flags) {
  return with_options(confirm, [&](ConfirmOptions& options) {
    flags.optional_argument("SWEEP", options.sweep,
                            "id of the sweep, or of anything in it (the newest)");
    flags.flag("--start", options.start,
               "train the leaders on new seeds; results add to those of earlier confirmations");
    flags.integer("--top N", options.top, {1, 100}, "with --start: train the best N trials (3)");
    flags.integer("--seeds N", options.seeds, {2, 1000},
                  "with --start: train each on N new seeds (10)");
    flags.flag("--watch", options.watch, "follow the confirmation until it has ended");
    flags.flag("--yes", options.yes, "with --start: ask no question on a terminal");
    flags.flag("--again", options.again, "as --start");
  });
}

}  // namespace hone::cli
