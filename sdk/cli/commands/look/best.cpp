// The command best: the leaderboard, the front of several objectives, and the best value by cost.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "schemas/codec/fields.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/look/filters.hpp"
#include "sdk/cli/commands/look/objective_text.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/progress.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"

namespace hone::cli {
namespace {

struct BestOptions {
  std::string id;
  int limit = 0;  // 0: the default
  std::string where;
  bool pareto = false;
  bool named = false;
  std::string by;
  std::string within;
};

Result<Exit> list_front(Session& session, SweepId sweep, int limit) {
  const auto reply =
      session.get("/v1/sweeps/" + text(sweep) + "/pareto?limit=" + std::to_string(limit));
  if (!reply) return reply.error();
  const std::vector<Json> items = items_at(*reply, "/items");
  const auto shown = static_cast<std::int64_t>(items.size());
  const auto printed =
      print_list(session, pareto_columns(), items,
                 text(sweep) + " has no completed trial yet; " + next_look(session, sweep));
  if (const auto all = int_at(*reply, "/front"); printed && all > shown)
    session.note(std::to_string(all - shown) + " more; see them with -n " + std::to_string(all));
  return printed;
}

// The trial that the search method names best, which need not have the luckiest report.
Result<Exit> list_incumbent(Session& session, SweepId sweep) {
  const auto reply = session.get("/v1/sweeps/" + text(sweep) + "/incumbent");
  if (!reply) return reply.error();
  std::vector<Json> items;
  if (const Json& trial = member(*reply, "/trial"); trial.is_object()) items.push_back(trial);
  return print_list(session, incumbent_columns(), items, text(sweep) + " has no reports yet");
}

Json with_ranges(Json item) {
  Json shown = Json::object();
  shown["interval"] = range_text(member(item, "/interval"));
  shown["ranks"] = range_text(member(item, "/ranks"));
  item["shown"] = std::move(shown);
  add_spread(item);
  if (int_at(item, "/confirmed_seeds") == 0) item["confirmed"] = nullptr;
  return item;
}

// Single seeds need no column that counts them.
void drop_single_seeds(std::vector<Json>& items) {
  const bool single = std::all_of(items.begin(), items.end(),
                                  [](const Json& item) { return int_at(item, "/seeds") < 2; });
  for (Json& item : items)
    if (single) item["seeds"] = nullptr;
}

// Explains the columns that are shown, in one line.
std::string legend(const std::vector<std::string>& columns, const Json& reply, const Json& sweep) {
  const auto shows = [&](const char* name) { return std::ranges::count(columns, name) > 0; };
  std::optional<std::int64_t> seeds;
  if (text_at(reply, "/aggregate").empty()) seeds = 1;
  std::string text = "value: the " + value_meaning(member(sweep, "/spec"), seeds) + ". ";
  const std::string noise = noise_text(sweep);
  if (!noise.empty())
    text += noise +
            ": trials rank by `expected`, the likely value in another training by a model "
            "of all trials" +
            (shows("spread") ? ", with one standard deviation" : "") + ". ";
  else if (shows("expected"))
    text += "expected: the likely value on new seeds. ";
  if (shows("ranks")) text += "ranks: best and worst plausible place. ";
  if (shows("confirmed")) text += "confirmed: on new seeds; it decides the rank. ";
  return text;
}

// The parameters of the first trial where the table has one column for all of them and cuts it.
std::string first_parameters(const std::vector<std::string>& columns, const Json& first) {
  const std::string all = params_text(member(first, "/params"));
  constexpr int least_shown = 30;
  if (std::ranges::count(columns, "parameters") == 0 || display_width(all) <= least_shown)
    return {};
  return text_at(first, "/id") + ": " + all;
}

// Empty if the values are those of the objective.
std::string scale_note(const Json& reply) {
  const std::string scale = text_at(reply, "/scale");
  if (scale == "ranks")
    return "values are ranks: the share of all trials with a lower value on the same problem. ";
  if (scale == "references") return "values are scaled from the worst (0) to the best (1). ";
  return {};
}

// Names the trials of which a further objective diverged: the order is by the first one.
std::string further_note(const std::vector<Json>& items, SweepId sweep) {
  std::string diverged;
  for (const Json& item : items)
    for (const auto& [metric, value] : member(item, "/further").items())
      if (value == "diverged")
        diverged += (diverged.empty() ? "" : ", ") + metric + " of " + text_at(item, "/id");
  if (diverged.empty()) return {};
  return "ranked by the first objective alone; " + diverged + " diverged, and hone best " +
         text(sweep) + " --pareto leaves that out. ";
}

// How far the order of this table can be trusted.
std::string caution(const Json& reply, const Json& sweep_row, SweepId sweep) {
  bool single = false;
  for (const Json& item : member(reply, "/items")) single = single || int_at(item, "/seeds") < 2;
  const std::string confirmation = text_at(reply, "/confirmation");
  if (!confirmation.empty())
    return "confirmed by " + confirmation + " on new seeds: hone confirm " + text(sweep);
  if (const std::string confirmed = text_at(reply, "/confirms"); !confirmed.empty())
    return "trained on new seeds to confirm " + confirmed + ": hone confirm " + confirmed;
  if (single && !noise_text(sweep_row).empty())
    return "Train the leaders on new seeds with: hone confirm " + text(sweep) + " --start";
  if (single)
    return "ranked by single runs: the best of " + std::to_string(int_at(reply, "/trials")) +
           " is likely the luckiest. Train the leaders on new seeds with: hone confirm " +
           text(sweep) + " --start";
  return "tuning scores are optimistic; train the leaders on new seeds with: hone confirm " +
         text(sweep) + " --start";
}

// "by=cost&within=7200".
Result<std::string> cost_query(const BestOptions& options) {
  if (!options.by.empty() && options.by != "cost")
    return refuse(Code::invalid, "--by: '" + options.by + "' is no order; write cost");
  std::string query = "by=cost";
  if (options.limit > 0) query += "&limit=" + std::to_string(options.limit);
  if (options.within.empty()) return query;
  const auto within = codec::parse_duration(options.within);
  if (!within)
    return refuse(Code::invalid,
                  "--within: '" + options.within + "' is no duration; write 90s, 15m, 2h or 7d");
  return query + "&within=" + std::to_string(within->us / 1'000'000);
}

std::string no_front(const Json& reply, SweepId sweep, const std::string& within) {
  if (int_at(reply, "/cost/trials") > 0)
    return text(sweep) + " has no trial with a value for at most " + within;
  if (int_at(reply, "/cost/without") > 0)
    return "the seconds of the trials of " + text(sweep) +
           " are not known: no worker measured them, and no hone tell had --seconds";
  return text(sweep) + " has no trial with a value yet";
}

// The best value by cost. The last row is the answer to: what do I get for this time?
Result<Exit> list_by_cost(Session& session, SweepId sweep, const BestOptions& options) {
  if (!options.where.empty() || options.named || options.pareto)
    return refuse(Code::invalid, "--by cost excludes --where, --named and --pareto");
  const auto query = cost_query(options);
  if (!query) return query.error();
  const auto reply = session.get("/v1/sweeps/" + text(sweep) + "/best?" + *query);
  if (!reply) return reply.error();
  const Format format = session.options().format;
  const bool raw = format == Format::json || format == Format::jsonl;
  std::vector<Json> items;
  for (const auto& item : member(*reply, "/items")) items.push_back(raw ? item : with_ranges(item));
  if (format == Format::table) drop_single_seeds(items);
  auto printed =
      print_list(session, front_columns(), items, no_front(*reply, sweep, options.within));
  if (!printed || format != Format::table || items.empty()) return printed;
  session.note(
      "cost: a training of the trial so far, by its worker's clock. Each row is better than all "
      "trials that took no longer. " +
      caution(*reply, Json::object(), sweep));
  if (const auto without = int_at(*reply, "/cost/without"); without > 0)
    session.note(std::to_string(without) +
                 " trials with a value are left out: their seconds are not known");
  return printed;
}

Result<Exit> list_best(Session& session, const BestOptions& options) {
  const auto sweep = resolve_sweep(session, options.id);
  if (!sweep) return sweep.error();
  if (!options.by.empty() || !options.within.empty()) return list_by_cost(session, *sweep, options);
  if (options.named) return list_incumbent(session, *sweep);
  if (options.pareto) return list_front(session, *sweep, options.limit == 0 ? 1000 : options.limit);
  const std::string path = "/v1/sweeps/" + text(*sweep) +
                           "/best?limit=" + std::to_string(options.limit == 0 ? 10 : options.limit);
  const auto reply = session.get(path + where_query(path, options.where));
  if (!reply) return with_caret(reply.error(), options.where);
  std::vector<Json> items;
  const Format format = session.options().format;
  const bool raw = format == Format::json || format == Format::jsonl;
  for (const auto& item : member(*reply, "/items")) items.push_back(raw ? item : with_ranges(item));
  Marks marks;
  if (format == Format::table) {
    drop_single_seeds(items);
  }
  if (format == Format::table || format == Format::md || format == Format::latex)
    for (Json& item : items) marks.add(mark_rank(item));
  auto printed =
      print_list(session, best_columns(), items,
                 text(*sweep) + " has no trial with a value yet; " + next_look(session, *sweep));
  if (!printed || format != Format::table || items.empty()) return printed;
  const auto whole = session.get("/v1/sweeps/" + text(*sweep));
  if (!whole) return whole.error();
  const auto columns = shown_columns(session, best_columns(), items);
  session.note(first_parameters(columns, items.front()));
  session.note(further_note(items, *sweep) + legend(columns, *reply, *whole) + marks_text(marks) +
               scale_note(*reply) + caution(*reply, *whole, *sweep));
  for (const std::string& remark : remarks_of(*reply)) session.note(remark);
  return printed;
}

}  // namespace

CommandAction declare_best(Flags& flags) {
  return with_options(list_best, [&](BestOptions& options) {
    flags.optional_argument("SWEEP", options.id,
                            "id of the sweep, or of anything in it (the newest)");
    flags.integer("-n,--limit N", options.limit, {1, 1000}, "list the best N (10)");
    flags.text("--where FILTER", options.where,
               "only those that match, as 'params.gamma >= 0.99 and state = completed'");
    flags.flag("--named", options.named, "show the method's own choice of the best trial");
    flags.flag("--pareto", options.pareto,
               "of several objectives: list the completed trials that no other beats");
    flags.text("--by KEY", options.by, "cost: the best value for each time that a training takes");
    flags.text("--within TIME", options.within,
               "with --by cost: what a training of at most this time gets, as in 2h");
  });
}

}  // namespace hone::cli
