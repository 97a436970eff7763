// Commands that are one list: ls, trials, runs, best, models, workers.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/filters.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/targets.hpp"

namespace hone::cli {
namespace {

struct Target {
  std::string id;
  int limit = 0;
  std::string where;
  bool pareto = false;
  bool named = false;
  bool all = false;
};

std::shared_ptr<Target> add_target(Flags& flags, const char* name, const char* help) {
  auto target = std::make_shared<Target>();
  flags.optional_argument(name, target->id, help);
  return target;
}

constexpr const char* where_help =
    "only what it lets through, as 'params.gamma >= 0.99 and state = completed'";
constexpr const char* sweep_help = "the sweep (or anything of it); default: the newest";

Fields sweep_fields() {
  return {{"id", "/id"},
          {"name", "/name", Manner::long_text, Where::everywhere, false, 20},
          {"project", "/project", Manner::text, Where::data_only},
          {"state", "/state", Manner::state},
          {"reason", "/reason", Manner::text, Where::data_only},
          {"progress", "/progress", Manner::number, Where::table_only},
          {"phases", "/phases_shown", Manner::number, Where::table_only, true},
          {"phases_done", "/phases/done", Manner::number, Where::data_only},
          {"phases_expected", "/phases/expected", Manner::number, Where::data_only},
          {"trials", "/trials/proposed", Manner::number},
          {"running", "/runs/running", Manner::number, Where::everywhere, true},
          {"failed", "/runs/failed", Manner::number, Where::everywhere, true},
          {"best", "/best/value", Manner::score},
          {"best_run", "/best/run", Manner::text, Where::data_only},
          {"submitted", "/submitted_at", Manner::ago},
          {"ended", "/ended_at", Manner::ago, Where::data_only}};
}

// What the table shows of a sweep and the server does not say in one member.
Json with_progress(Json sweep) {
  const auto done = int_at(sweep, "/phases/done");
  const auto expected = int_at(sweep, "/phases/expected");
  sweep["phases_shown"] = std::to_string(done) + "/" + std::to_string(expected);
  const auto share = expected > 0 ? std::min<std::int64_t>(100, done * 100 / expected) : 0;
  sweep["progress"] =
      text_at(sweep, "/state") == "completed" ? "100%" : std::to_string(share) + "%";
  return sweep;
}

std::int64_t number_of(const Json& sweep) {
  const auto id = parse_id<SweepId>(text_at(sweep, "/id"));
  return id ? id->value : 0;
}

Result<Exit> list_sweeps(Session& session, const Target& target) {
  const int limit = target.limit;
  auto sweeps =
      list_where(session, target.all ? "/v1/sweeps?limit=1000&all=true" : "/v1/sweeps?limit=1000",
                 target.where);
  if (!sweeps) return sweeps.error();
  std::sort(sweeps->begin(), sweeps->end(),
            [](const Json& a, const Json& b) { return number_of(a) > number_of(b); });
  if (limit > 0 && sweeps->size() > static_cast<std::size_t>(limit))
    sweeps->resize(static_cast<std::size_t>(limit));
  if (session.options().format == Format::table)
    for (auto& sweep : *sweeps) sweep = with_progress(std::move(sweep));
  return print_list(session, sweep_fields(), *sweeps,
                    "no sweeps yet; submit one with: hone submit FILE");
}

Fields trial_fields() {
  return {{"id", "/id"},
          {"number", "/number", Manner::number, Where::data_only},
          {"state", "/state", Manner::state},
          {"reason", "/reason", Manner::text, Where::everywhere, true},
          {"value", "/value", Manner::score},
          {"phases", "/phase", Manner::number},
          {"runs", "/runs", Manner::number, Where::data_only},
          {"parameters", "/params", Manner::params}};
}

Result<Exit> list_trials(Session& session, const Target& target, const std::string& order) {
  const auto sweep = sweep_of(session, target.id);
  if (!sweep) return sweep.error();
  const auto trials = list_where(
      session, "/v1/sweeps/" + text(*sweep) + "/trials?limit=1000&sort=" + order, target.where);
  if (!trials) return trials.error();
  if (trials->empty() && !target.where.empty())
    return print_list(session, trial_fields(), *trials, "no trial fits the filter");
  return print_list(session, trial_fields(), *trials,
                    text(*sweep) +
                        " has no trials yet; a worker takes the first one as soon as it "
                        "is free (hone workers)");
}

Fields run_fields() {
  return {{"id", "/id"},
          {"trial", "/trial", Manner::text, Where::data_only},
          {"state", "/state", Manner::state},
          {"reason", "/reason", Manner::text},
          {"failure", "/failure", Manner::text, Where::everywhere, true},
          {"value", "/value", Manner::score},
          {"best", "/best", Manner::score, Where::everywhere, true},
          {"phases", "/phase", Manner::number},
          {"step", "/step", Manner::count},
          {"attempts", "/attempts", Manner::number, Where::everywhere, true},
          {"worker", "/worker", Manner::text, Where::everywhere, true},
          {"seed", "/seed", Manner::text, Where::data_only},
          {"exit_code", "/exit_code", Manner::number, Where::data_only},
          {"started", "/started_at", Manner::ago, Where::everywhere, true},
          {"ended", "/ended_at", Manner::ago, Where::data_only},
          {"detail", "/detail", Manner::long_text, Where::everywhere, false, 40}};
}

Result<std::vector<Json>> runs_of(Session& session, const ObjectId& id, const std::string& where) {
  if (const auto trial = trial_of(text(id)))
    return list_where(session, "/v1/trials/" + text(*trial) + "/runs", where);
  const auto sweep = sweep_of(session, text(id));
  if (!sweep) return sweep.error();
  return list_where(session, "/v1/sweeps/" + text(*sweep) + "/runs?limit=1000", where);
}

Result<ObjectId> object_or_newest(Session& session, const std::string& word) {
  if (!word.empty()) return object_of(word);
  const auto newest = sweep_of(session, word);
  if (!newest) return newest.error();
  return ObjectId(*newest);
}

Result<Exit> list_runs(Session& session, const Target& target) {
  const auto id = object_or_newest(session, target.id);
  if (!id) return id.error();
  const auto runs = runs_of(session, *id, target.where);
  if (!runs) return runs.error();
  if (runs->empty() && !target.where.empty())
    return print_list(session, run_fields(), *runs, "no run fits the filter");
  return print_list(session, run_fields(), *runs,
                    text(*id) +
                        " has no runs yet; they start as soon as a worker is free "
                        "(hone workers)");
}

Fields best_fields() {
  return {{"rank", "/rank", Manner::number},
          {"trial", "/id"},
          {"value", "/value", Manner::score},
          {"expected", "/expected", Manner::score, Where::everywhere, true},
          {"n", "/seeds", Manner::number},
          {"95 % interval", "/shown/interval", Manner::text},
          {"ranks", "/shown/ranks", Manner::text},
          {"run", "/run", Manner::text, Where::everywhere, true},
          {"state", "/state", Manner::state, Where::everywhere, true},
          {"phase", "/best_phase", Manner::phase},
          {"model", "/model", Manner::text, Where::everywhere, true},
          {"parameters", "/params", Manner::params}};
}

// Each objective in a column of its own.
Fields front_fields() {
  return {{"trial", "/id"},
          {"values", "/values", Manner::params},
          {"model", "/model", Manner::text, Where::everywhere, true},
          {"parameters", "/params", Manner::params}};
}

Result<Exit> list_front(Session& session, SweepId sweep, int limit) {
  const auto reply =
      session.get("/v1/sweeps/" + text(sweep) + "/pareto?limit=" + std::to_string(limit));
  if (!reply) return reply.error();
  const Json& front = member(*reply, "/items");
  const std::vector<Json> items(front.begin(), front.end());
  const auto shown = static_cast<std::int64_t>(items.size());
  const auto printed = print_list(
      session, front_fields(), items,
      text(sweep) + " has no completed trial yet; follow it with: hone watch " + text(sweep));
  if (const auto all = int_at(*reply, "/front"); printed && all > shown)
    session.note(std::to_string(all - shown) + " more; see them with -n " + std::to_string(all));
  return printed;
}

Fields named_fields() {
  return {{"trial", "/id"},
          {"state", "/state", Manner::state},
          {"phase", "/phase", Manner::number},
          {"runs", "/runs", Manner::number},
          {"parameters", "/params", Manner::params}};
}

// What the sweep's own method would name, which need not be the trial of the luckiest report.
Result<Exit> list_named(Session& session, SweepId sweep) {
  const auto reply = session.get("/v1/sweeps/" + text(sweep) + "/incumbent");
  if (!reply) return reply.error();
  std::vector<Json> items;
  if (const Json& trial = member(*reply, "/trial"); trial.is_object()) items.push_back(trial);
  return print_list(session, named_fields(), items, text(sweep) + " has no reports yet");
}

std::string range_text(const Json& range) {
  const auto end = [](const Json& value) {
    return value.is_number() ? number_text(value.get<double>()) : std::string("diverged");
  };
  return range.is_array() ? end(range[0]) + " .. " + end(range[1]) : std::string();
}

Json with_ranges(Json item) {
  Json shown = Json::object();
  shown["interval"] = range_text(member(item, "/interval"));
  shown["ranks"] = range_text(member(item, "/ranks"));
  item["shown"] = std::move(shown);
  return item;
}

// Nothing where values are the objective's own.
std::string scale_note(const Json& reply) {
  const std::string scale = text_at(reply, "/scale");
  if (scale == "ranks")
    return "values are ranks: the share of all trials that had reached less on the same problem. ";
  if (scale == "references") return "values are shares of the way from worst to best. ";
  return {};
}

// What the order of this table is worth.
std::string caution(const Json& reply, SweepId sweep) {
  bool single = false;
  for (const Json& item : member(reply, "/items")) single = single || int_at(item, "/seeds") < 2;
  const std::string confirmation = text_at(reply, "/confirmation");
  if (!confirmation.empty())
    return "confirmed by " + confirmation + " on seeds of its own: hone confirm " + text(sweep);
  if (const std::string confirmed = text_at(reply, "/confirms"); !confirmed.empty())
    return "trained on new seeds to confirm " + confirmed + ": hone confirm " + confirmed;
  if (single)
    return "ranked by single runs: the best of " + std::to_string(int_at(reply, "/trials")) +
           " is mostly the luckiest. Train the leaders on new seeds with: hone confirm " +
           text(sweep);
  return "tuning scores are optimistic; train the leaders on new seeds with: hone confirm " +
         text(sweep);
}

Result<Exit> list_best(Session& session, const Target& target) {
  const auto sweep = sweep_of(session, target.id);
  if (!sweep) return sweep.error();
  if (target.named) return list_named(session, *sweep);
  if (target.pareto) return list_front(session, *sweep, target.limit == 0 ? 1000 : target.limit);
  const std::string path = "/v1/sweeps/" + text(*sweep) +
                           "/best?limit=" + std::to_string(target.limit == 0 ? 10 : target.limit);
  const auto reply = session.get(path + where_query(path, target.where));
  if (!reply) return with_caret(reply.error(), target.where);
  std::vector<Json> items;
  const Format format = session.options().format;
  const bool raw = format == Format::json || format == Format::jsonl;
  for (const auto& item : member(*reply, "/items")) items.push_back(raw ? item : with_ranges(item));
  auto printed =
      print_list(session, best_fields(), items,
                 text(*sweep) + " has no reports yet; follow it with: hone watch " + text(*sweep));
  if (printed && format == Format::table && !items.empty())
    session.note(scale_note(*reply) + caution(*reply, *sweep));
  return printed;
}

Fields model_fields() {
  return {{"id", "/id"},
          {"run", "/run"},
          {"phase", "/phase", Manner::phase},
          {"step", "/step", Manner::count},
          {"value", "/value", Manner::score},
          {"size", "/bytes", Manner::bytes},
          {"parent", "/parent", Manner::text, Where::everywhere, true},
          {"sweep", "/sweep", Manner::text, Where::data_only},
          {"saved", "/saved_at", Manner::ago},
          {"dropped", "/dropped_at", Manner::ago},
          {"sha256", "/sha256", Manner::long_text, Where::everywhere, true}};
}

Result<Exit> list_models(Session& session, const std::string& word) {
  const auto id = word.empty() ? Result<ObjectId>(ObjectId{}) : object_of(word);
  if (!id) return id.error();
  if (word.empty()) {
    const auto sweep = sweep_of(session, word);
    return sweep ? list_models(session, text(*sweep)) : Result<Exit>(sweep.error());
  }
  if (std::holds_alternative<ModelId>(*id)) {
    const auto model = session.get("/v1/models/" + text(*id));
    if (!model) return model.error();
    return print_list(session, model_fields(), {*model}, "");
  }
  const auto models = session.list("/v1/models?" + std::string(kind_of(*id)) + "=" + in_path(*id));
  if (!models) return models.error();
  return print_list(session, model_fields(), *models,
                    text(*id) + " has no models: its trainer has saved no checkpoint");
}

Fields worker_fields() {
  return {{"id", "/id"},
          {"host", "/host", Manner::long_text},
          {"pid", "/pid", Manner::text},
          {"cpus", "/cpus", Manner::number},
          {"gpus", "/gpus", Manner::number},
          {"running", "/running", Manner::number},
          {"version", "/hone_version", Manner::text, Where::everywhere, true},
          {"joined", "/joined_at", Manner::ago},
          {"aside_until", "/aside_until", Manner::text, Where::data_only},
          {"set aside", "/aside_why", Manner::long_text, Where::everywhere, true, 20}};
}

}  // namespace

Work declare_ls(Flags& flags) {
  auto target = std::make_shared<Target>();
  flags.integer("-n,--limit N", target->limit, {1}, "only the newest N");
  flags.text("--where FILTER", target->where, where_help);
  flags.flag("--all", target->all, "those that were archived, too");
  return [target](Session& session) { return list_sweeps(session, *target); };
}

Work declare_trials(Flags& flags) {
  auto target = add_target(flags, "SWEEP", sweep_help);
  auto order = std::make_shared<std::string>("number");
  flags.text("--sort KEY", *order, "by number or by value (best first)");
  flags.text("--where FILTER", target->where, where_help);
  return [target, order](Session& session) { return list_trials(session, *target, *order); };
}

Work declare_runs(Flags& flags) {
  auto target = add_target(flags, "ID", "a trial or a sweep; default: the newest sweep");
  flags.text("--where FILTER", target->where, where_help);
  return [target](Session& session) { return list_runs(session, *target); };
}

Work declare_best(Flags& flags) {
  auto target = add_target(flags, "SWEEP", sweep_help);
  flags.integer("-n,--limit N", target->limit, {1, 1000}, "how many (10)");
  flags.text("--where FILTER", target->where, where_help);
  flags.flag("--named", target->named,
             "the one that the sweep's own method would name, if not the luckiest");
  flags.flag("--pareto", target->pareto,
             "of several objectives: the completed trials that no other beats");
  return [target](Session& session) { return list_best(session, *target); };
}

Work declare_models(Flags& flags) {
  auto target = add_target(flags, "ID", "a sweep, trial, run or model; default: the newest sweep");
  return [target](Session& session) { return list_models(session, target->id); };
}

Work declare_workers(Flags&) {
  return [](Session& session) -> Result<Exit> {
    const auto workers = session.list("/v1/workers");
    if (!workers) return workers.error();
    return print_list(
        session, worker_fields(), *workers,
        "no workers; start one with: hone worker --server " + session.options().server);
  };
}

}  // namespace hone::cli
