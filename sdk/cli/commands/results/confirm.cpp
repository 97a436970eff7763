// confirm: the leaders of a sweep trained again on seeds that tuning never used, and what came out.
#include "sdk/cli/commands/results/confirm.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "schemas/codec/body.hpp"
#include "sdk/cli/local/request_id.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"

namespace hone::cli {
namespace {

struct Wish {
  std::string sweep;
  int top = 0, seeds = 0;  // 0: not said
  bool again = false;
};

Fields fields() {
  return {{"rank", "/rank", Manner::number},
          {"trial", "/of"},
          {"iqm", "/iqm", Manner::score},
          {"95 % interval", "/shown/interval", Manner::text},
          {"n", "/seeds", Manner::number},
          {"failed", "/failed", Manner::number, Where::everywhere, true},
          {"mean", "/mean", Manner::score, Where::data_only},
          {"best in", "/shown/chance", Manner::text},
          {"beaten", "/shown/beaten", Manner::text},
          {"tuned", "/tuned_value", Manner::score},
          {"expected", "/tuned_expected", Manner::score, Where::everywhere, true},
          {"tuned rank", "/tuned_rank", Manner::number},
          {"optimism", "/optimism", Manner::score},
          {"parameters", "/params", Manner::params}};
}

std::string percent(const Json& share) {
  if (!share.is_number()) return "";
  return std::to_string(std::lround(100 * share.get<double>())) + " %";
}

std::string end_text(const Json& value) {
  return value.is_number() ? number_text(value.get<double>()) : "diverged";
}

// What the table says in words of its own.
Json with_shown(Json item) {
  Json shown = Json::object();
  if (const Json& range = member(item, "/interval"); range.is_array())
    shown["interval"] = end_text(range[0]) + " .. " + end_text(range[1]);
  shown["chance"] = percent(member(item, "/chance_best"));
  shown["beaten"] = percent(member(item, "/improvement/probability"));
  item["shown"] = std::move(shown);
  return item;
}

std::string difference(double optimism) {
  if (optimism == 0) return ".\n";
  return ": " + number_text(std::abs(optimism)) + (optimism > 0 ? " less.\n" : " more.\n");
}

std::string summary(const Json& report) {
  const Json& items = member(report, "/items");
  const Json& first = items[0];
  std::string out =
      "Values are interquartile means over " + std::to_string(int_at(report, "/seeds")) +
      " seeds that tuning never used; 'best in' of 2000 bootstrap resamples, 'beaten' "
      "is how often a run of the first is better.\n";
  if (const Json& optimism = member(first, "/optimism"); optimism.is_number())
    out += "Tuning had promised " + number_text(member(first, "/tuned_value").get<double>()) +
           " of the first; confirmed it is worth " +
           number_text(member(first, "/iqm").get<double>()) + difference(optimism.get<double>());
  const std::string applied = text_at(report, "/seed_applied");
  if (applied == "no")
    out += "The program did not apply the seeds it was given: these are plain repeats.\n";
  if (applied == "partly") out += "Not every run applied the seed it was given.\n";
  if (applied == "unknown")
    out += "The program did not say whether it applied its seeds (seed_applied of its reports).\n";
  if (text_at(report, "/state") != "completed")
    out += "The confirmation " + text_at(report, "/confirmation") + " is " +
           text_at(report, "/state") + ": these are the runs so far.\n";
  return out;
}

Result<Exit> show(Session& session, const Json& report) {
  if (session.options().format == Format::json) return print_object(session, report, "");
  const Format format = session.options().format;
  std::vector<Json> rows;
  for (const Json& item : member(report, "/items"))
    rows.push_back(format == Format::jsonl ? item : with_shown(item));
  const std::string waiting = "no run of " + text_at(report, "/confirmation") +
                              " has ended yet; follow it with: hone watch " +
                              text_at(report, "/confirmation");
  auto printed = print_list(session, fields(), rows, waiting);
  if (printed && format == Format::table && !rows.empty()) session.note(summary(report));
  return printed;
}

Result<Exit> start(Session& session, SweepId sweep, const Wish& wish) {
  ConfirmRequest request{new_request_id()};
  if (wish.top > 0) request.top = wish.top;
  if (wish.seeds > 0) request.seeds = wish.seeds;
  const auto reply = session.post("/v1/sweeps/" + text(sweep) + "/confirm", encode(request));
  if (!reply) return reply.error();
  const std::string made = text_at(*reply, "/sweep");
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(made + "\n");
  session.note("the " + std::to_string(request.top) + " leaders of " + text(sweep) + " train on " +
               std::to_string(request.seeds) + " new seeds each. Follow it with: hone watch " +
               made + "; see what came out with: hone confirm " + text(sweep));
  return Exit::ok;
}

Result<Exit> confirm(Session& session, const Wish& wish) {
  const auto sweep = sweep_of(session, wish.sweep);
  if (!sweep) return sweep.error();
  if (wish.top > 0 || wish.seeds > 0 || wish.again) return start(session, *sweep, wish);
  const auto report = session.get("/v1/sweeps/" + text(*sweep) + "/confirm");
  if (report) return show(session, *report);
  if (report.error().code != Code::not_found) return report.error();
  return start(session, *sweep, wish);
}

}  // namespace

Work declare_confirm(Flags& flags) {
  auto wish = std::make_shared<Wish>();
  flags.optional_argument("SWEEP", wish->sweep,
                          "the sweep (or anything of it); default: the newest");
  flags.integer("--top N", wish->top, {1, 100}, "confirm so many leaders (3)");
  flags.integer("--seeds N", wish->seeds, {2, 1000}, "on so many new seeds each (10)");
  flags.flag("--again", wish->again, "once more, though there is a confirmation");
  return [wish](Session& session) { return confirm(session, *wish); };
}

}  // namespace hone::cli
