// Commands that are one list: ls, trials, runs, models, workers.
#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/columns.hpp"
#include "sdk/cli/commands/look/filters.hpp"
#include "sdk/cli/commands/look/further.hpp"
#include "sdk/cli/commands/look/objective_text.hpp"
#include "sdk/cli/render/fields.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/progress.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cli/session/shortage.hpp"

namespace hone::cli {
namespace {

struct ListOptions {
  std::string id;
  int limit = 0;  // 0: the default
  std::string where;
  std::string order = "number";
  bool all = false;
};

constexpr std::size_t shown_sweeps = 100;  // of hone ls, without --limit

constexpr const char* where_help =
    "only those that match, as 'params.gamma >= 0.99 and state = completed'";
constexpr const char* sweep_help = "id of the sweep, or of anything in it (the newest)";

// Adds what the table shows and no member of the reply holds.
Json with_progress(Json sweep) {
  const auto done = int_at(sweep, "/phases/done");
  const auto expected = int_at(sweep, "/phases/expected");
  sweep["phases_shown"] = std::to_string(done) + "/" + std::to_string(expected);
  const auto share = expected > 0 ? std::min<std::int64_t>(100, done * 100 / expected) : 0;
  sweep["progress"] =
      text_at(sweep, "/state") == "completed" ? "100%" : std::to_string(share) + "%";
  return sweep;
}

// The time left of the newest running sweeps, each of which the server works out on its own.
void add_times_left(Session& session, std::vector<Json>& sweeps) {
  int looked_at = 0;
  for (Json& item : sweeps) {
    if (text_at(item, "/state") != "running" || ++looked_at > 10) continue;
    if (const auto sweep = session.get("/v1/sweeps/" + text_at(item, "/id")))
      item["time_left"] = time_left_range(member(*sweep, "/eta"));
  }
}

// Notes of the open sweeps that no worker can train. Their resources are not part of the list, so
// only the newest are looked at.
void note_shortages(Session& session, const std::vector<Json>& sweeps) {
  constexpr std::size_t looked_at = 10;
  std::vector<std::string> idle;
  for (const Json& item : sweeps)
    if (idle.size() < looked_at && text_at(item, "/state") == "running" &&
        int_at(item, "/runs/running") == 0)
      idle.push_back(text_at(item, "/id"));
  if (idle.empty()) return;
  const auto workers = session.list("/v1/workers");
  if (!workers) return;
  const auto fleets = session.list("/v1/fleets");
  for (const std::string& id : idle) {
    const auto sweep = session.get("/v1/sweeps/" + id);
    if (!sweep) return;
    if (const auto why = shortage_text(member(*sweep, "/spec"), *workers, now(),
                                       fleets ? *fleets : std::vector<Json>{});
        !why.empty())
      session.note(id + " waits: " + why);
  }
}

std::int64_t number_of(const Json& sweep) {
  const auto id = parse_id<SweepId>(text_at(sweep, "/id"));
  return id ? id->value : 0;
}

// The newest sweeps, the newest first, at most `most`.
Result<std::vector<Json>> newest_sweeps(Session& session, const ListOptions& options,
                                        std::size_t most) {
  const std::string path = "/v1/sweeps?limit=" + std::to_string(std::min<std::size_t>(most, 1000)) +
                           (options.all ? "&all=true" : "");
  if (options.where.empty()) return session.list(path, most);
  auto sweeps = list_where(session, path, options.where);  // these come in another order
  if (!sweeps) return sweeps;
  std::ranges::sort(*sweeps, std::greater{}, number_of);
  sweeps->resize(std::min(sweeps->size(), most));
  return sweeps;
}

Result<Exit> list_sweeps(Session& session, const ListOptions& options) {
  const bool for_people = session.options().format == Format::table;
  std::size_t most = std::numeric_limits<std::size_t>::max();
  if (options.limit > 0)
    most = static_cast<std::size_t>(options.limit);
  else if (for_people)
    most = shown_sweeps + 1;
  auto sweeps = newest_sweeps(session, options, most);
  if (!sweeps) return sweeps.error();
  const bool more = options.limit == 0 && for_people && sweeps->size() > shown_sweeps;
  if (more) sweeps->resize(shown_sweeps);
  if (for_people)
    for (auto& sweep : *sweeps) sweep = with_progress(std::move(sweep));
  if (for_people) add_times_left(session, *sweeps);
  const auto printed = print_list(
      session, sweep_columns(), *sweeps,
      options.where.empty()
          ? "no sweeps yet; submit one with: hone submit FILE"
          : "no sweep matches the filter" + std::string(options.all ? "" : "; archived: --all"));
  if (printed && more)
    session.note("these are the newest " + std::to_string(shown_sweeps) +
                 " sweeps; --limit N lists more, --where FILTER finds older ones");
  if (printed && for_people) note_shortages(session, *sweeps);
  return printed;
}

Result<Exit> list_trials(Session& session, const ListOptions& options) {
  const auto sweep = resolve_sweep(session, options.id);
  if (!sweep) return sweep.error();
  const std::string path = "/v1/sweeps/" + text(*sweep);
  auto order = trial_order(session, path, options.order);
  if (!order) return order.error();
  auto trials =
      list_where(session, path + "/trials?limit=1000&sort=" + order->of_server, options.where);
  if (!trials) return trials.error();
  if (order->further) sort_by(*trials, *order->further);
  if (trials->empty() && !options.where.empty())
    return print_list(session, trial_columns(), *trials, "no trial matches the filter");
  return print_list(
      session, trial_columns(), *trials,
      text(*sweep) + " has no trials yet; the first free worker starts one (hone workers)");
}

Result<std::vector<Json>> runs_of(Session& session, const ObjectId& id, const std::string& where) {
  if (const auto trial = resolve_trial(text(id)))
    return list_where(session, "/v1/trials/" + text(*trial) + "/runs", where);
  const auto sweep = resolve_sweep(session, text(id));
  if (!sweep) return sweep.error();
  return list_where(session, "/v1/sweeps/" + text(*sweep) + "/runs?limit=1000", where);
}

Result<ObjectId> object_or_newest(Session& session, const std::string& word) {
  if (!word.empty()) return parse_object(word);
  const auto newest = resolve_sweep(session, word);
  if (!newest) return newest.error();
  return ObjectId(*newest);
}

Result<Exit> list_runs(Session& session, const ListOptions& options) {
  const auto id = object_or_newest(session, options.id);
  if (!id) return id.error();
  const auto runs = runs_of(session, *id, options.where);
  if (!runs) return runs.error();
  if (runs->empty() && !options.where.empty())
    return print_list(session, run_columns(), *runs, "no run matches the filter");
  return print_list(
      session, run_columns(), *runs,
      text(*id) + " has no runs yet; the first free worker starts one (hone workers)");
}

Result<Exit> list_models(Session& session, const ListOptions& options) {
  const auto id = object_or_newest(session, options.id);
  if (!id) return id.error();
  if (std::holds_alternative<ModelId>(*id)) {
    const auto model = session.get("/v1/models/" + text(*id));
    if (!model) return model.error();
    return print_list(session, model_columns(), {*model}, "");
  }
  const auto models = session.list("/v1/models?" + std::string(kind_of(*id)) + "=" + in_path(*id));
  if (!models) return models.error();
  return print_list(session, model_columns(), *models,
                    text(*id) + " has no models: no checkpoint was saved");
}

Result<Exit> list_workers(Session& session, const ListOptions&) {
  auto workers = session.list("/v1/workers");
  if (!workers) return workers.error();
  std::string hint = "start one with: hone worker --server " + session.options().server;
  if (workers->empty())
    if (const auto fleets = session.list("/v1/fleets"))
      if (const auto promise = promise_of(*fleets); !promise.text.empty()) hint = promise.text;
  if (session.options().format == Format::table)
    for (Json& worker : *workers)  // a program that asks and tells is no process of hone
      if (int_at(worker, "/pid") == 0) worker.erase("pid");
  return print_list(session, worker_columns(), *workers, "no workers; " + hint);
}

}  // namespace

CommandAction declare_ls(Flags& flags) {
  return with_options(list_sweeps, [&](ListOptions& options) {
    flags.integer("-n,--limit N", options.limit, {1}, "list only the newest N (of a table 100)");
    flags.text("--where FILTER", options.where, where_help);
    flags.flag("--all", options.all, "list archived sweeps too");
  });
}

CommandAction declare_trials(Flags& flags) {
  return with_options(list_trials, [&](ListOptions& options) {
    flags.optional_argument("SWEEP", options.id, sweep_help);
    flags.text("--sort KEY", options.order,
               "sort by number, by value or by an objective (best first)");
    flags.text("--where FILTER", options.where, where_help);
  });
}

CommandAction declare_runs(Flags& flags) {
  return with_options(list_runs, [&](ListOptions& options) {
    flags.optional_argument("ID", options.id, "id of a trial or a sweep (the newest sweep)");
    flags.text("--where FILTER", options.where, where_help);
  });
}

CommandAction declare_models(Flags& flags) {
  return with_options(list_models, [&](ListOptions& options) {
    flags.optional_argument("ID", options.id,
                            "id of a sweep, trial, run or model (the newest sweep)");
  });
}

CommandAction declare_workers(Flags&) {
  return with_options(list_workers, [](ListOptions&) {});
}

}  // namespace hone::cli
