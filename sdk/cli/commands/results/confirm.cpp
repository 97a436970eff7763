// confirm: trains the leaders of a sweep again on seeds that tuning never used, and shows the
// result.

#include <cmath>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

struct ConfirmOptions {
  std::string sweep;
  int top = 0, seeds = 0;  // 0: the default
  bool again = false;
};

std::string percent_text(const Json& share) {
  if (!share.is_number()) return "";
  return std::to_string(std::lround(100 * share.get<double>())) + " %";
}

std::string end_text(const Json& value) {
  return value.is_number() ? number_text(value.get<double>()) : "diverged";
}

// Adds the cells that are not members of the reply.
Json with_intervals(Json item) {
  Json shown = Json::object();
  if (const Json& range = member(item, "/interval"); range.is_array())
    shown["interval"] = end_text(range[0]) + " .. " + end_text(range[1]);
  shown["chance"] = percent_text(member(item, "/chance_best"));
  shown["beaten"] = percent_text(member(item, "/improvement/probability"));
  item["shown"] = std::move(shown);
  return item;
}

std::string optimism_text(double optimism) {
  if (optimism == 0) return ".\n";
  return ": " + number_text(std::abs(optimism)) + (optimism > 0 ? " less.\n" : " more.\n");
}

std::string confirmation_summary(const Json& report) {
  const Json& items = member(report, "/items");
  const Json& first = items[0];
  std::string out =
      "Values are interquartile means over " + std::to_string(int_at(report, "/seeds")) +
      " seeds that tuning never used. 'best in' is the share of 2000 bootstrap resamples, 'beaten' "
      "is how often a run of the first is better.\n";
  if (const Json& optimism = member(first, "/optimism"); optimism.is_number())
    out += "Tuning reported " + number_text(member(first, "/tuned_value").get<double>()) +
           " for the first; confirmed, its value is " +
           number_text(member(first, "/iqm").get<double>()) + optimism_text(optimism.get<double>());
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
    rows.push_back(format == Format::jsonl ? item : with_intervals(item));
  const std::string waiting = "no run of " + text_at(report, "/confirmation") +
                              " has ended yet; follow it with: hone watch " +
                              text_at(report, "/confirmation");
  auto printed = print_list(session, confirmation_columns(), rows, waiting);
  if (printed && format == Format::table && !rows.empty())
    session.note(confirmation_summary(report));
  return printed;
}

Result<Exit> start_confirmation(Session& session, SweepId sweep, const ConfirmOptions& options) {
  ConfirmRequest request{new_request_id()};
  if (options.top > 0) request.top = options.top;
  if (options.seeds > 0) request.seeds = options.seeds;
  const auto reply = session.post("/v1/sweeps/" + text(sweep) + "/confirm", encode(request));
  if (!reply) return reply.error();
  const std::string made = text_at(*reply, "/sweep");
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(made + "\n");
  session.note("the " + std::to_string(request.top) + " leaders of " + text(sweep) + " train on " +
               std::to_string(request.seeds) + " new seeds each. Follow it with: hone watch " +
               made + "; see the result with: hone confirm " + text(sweep));
  return Exit::ok;
}

Result<Exit> confirm(Session& session, const ConfirmOptions& options) {
  const auto sweep = resolve_sweep(session, options.sweep);
  if (!sweep) return sweep.error();
  if (options.top > 0 || options.seeds > 0 || options.again)
    return start_confirmation(session, *sweep, options);
  const auto report = session.get("/v1/sweeps/" + text(*sweep) + "/confirm");
  if (report) return print_confirmation(session, *report);
  if (report.error().code != Code::not_found) return report.error();
  return start_confirmation(session, *sweep, options);
}

}  // namespace

CommandAction declare_confirm(Flags& flags) {
  return with_options(confirm, [&](ConfirmOptions& options) {
    flags.optional_argument("SWEEP", options.sweep,
                            "id of the sweep, or of anything in it (the newest)");
    flags.integer("--top N", options.top, {1, 100}, "confirm the best N trials (3)");
    flags.integer("--seeds N", options.seeds, {2, 1000}, "train each on N new seeds (10)");
    flags.flag("--again", options.again, "start another confirmation");
  });
}

}  // namespace hone::cli
