// Experiments of Ray Tune and RLlib ({name: {run: PPO, stop: ..., config: {lr: {grid_search:
// [...]}}}}), and search spaces (texts such as "tune.loguniform(1e-5, 0.1)", or {space: loguniform,
// lower: ..., upper: ...} as Ludwig writes them). Note that randint excludes its upper bound and
// qrandint includes it, and that num_samples repeats a grid.
#include <algorithm>
#include <cmath>

#include "sdk/cpp/import/draft.hpp"
#include "sdk/cpp/import/formats.hpp"
#include "sdk/cpp/import/ray_domain.hpp"
#include "sdk/cpp/import/source.hpp"

namespace hone {
namespace {

constexpr double drawn_max = 1'000'000;  // trials
constexpr double seeds_max = 1000;
constexpr double gpus_max = 4096;
constexpr double seconds_min = 0.001, seconds_max = 1e9;  // of a limit
constexpr int nesting_max = 64;

// The parameters of a search space, nested objects with dotted names.
class RaySpace {
 public:
  explicit RaySpace(Draft& draft) : draft_(draft) {}

  Status read(const Json& space, const std::string& outer, const std::string& at, int depth = 0) {
    if (depth > nesting_max) return refuse(Code::invalid, "nested too deeply", at);
    if (!space.is_object()) return refuse(Code::invalid, "must be an object of parameters", at);
    for (const auto& [name, entry] : space.items()) {
      const std::string place = pointer_to(at, name);
      const auto domain = ray_domain(entry, place, draft_.lost());
      if (!domain) return refuse(domain.error().code, domain.error().detail, place);
      if (domain->kind == RayDomain::Kind::nested) {
        if (auto done = read(entry, outer + name + ".", place, depth + 1); !done) return done;
        continue;
      }
      if (domain->kind == RayDomain::Kind::code) {
        draft_.lose(place, dotted(place) + " is not translated: it is Python; write expr or when");
        continue;
      }
      draft_.add(outer + name, domain->translated);
      if (domain->kind == RayDomain::Kind::grid) grid_ *= domain->size;
      sampled_ = sampled_ || domain->kind == RayDomain::Kind::sampled;
      gridded_ = gridded_ || domain->kind == RayDomain::Kind::grid;
    }
    return Done{};
  }

  // Every combination of the grids, `samples` times.
  void search(std::optional<double> samples, const std::string& algorithm) {
    const double times = samples && *samples >= 1 ? *samples : 1;
    if (!sampled_) {
      draft_.search("grid", gridded_ ? std::nullopt : std::optional(1.0), "Ray");
      if (times > 1)
        draft_.set("replicates", {{"seeds", static_cast<std::int64_t>(std::min(times, seeds_max))}},
                   "num_samples repeated every set");
      return;
    }
    std::string remark = gridded_ ? "Ray drew num_samples for every combination of the grids" : "";
    if (!algorithm.empty())
      remark += (remark.empty() ? "" : "; ") + ("the algorithm was " + algorithm);
    const auto trials =
        samples && *samples >= 1 ? std::optional(std::min(times * grid_, drawn_max)) : std::nullopt;
    draft_.search(algorithm.empty() || algorithm == "variant_generator" ? "random" : "tpe", trials,
                  "Ray", remark);
  }

 private:
  Draft& draft_;
  double grid_ = 1;
  bool sampled_ = false;
  bool gridded_ = false;
};

// The first bound that counts work is the budget; others are named.
void read_stop(const Json* stop, const std::string& at, Draft& draft) {
  if (stop == nullptr) return;
  Source from(*stop, at, draft.lost());
  for (const char* key : {"timesteps_total", "num_env_steps_sampled_lifetime", "training_iteration",
                          "episodes_total"}) {
    if (draft.sweep().contains("budget")) {
      from.lose(key, "budget counts another unit");
      continue;
    }
    const auto amount = from.number(key, 1, 1e15);
    if (!amount) continue;
    Json budget = Json::object();
    budget["unit"] = std::string(key) == "training_iteration" ? "iterations"
                     : std::string(key) == "episodes_total"   ? "episodes"
                                                              : "timesteps";
    budget["per_run"] = static_cast<std::int64_t>(*amount);
    draft.set("budget", budget, "give phases: a run reports at the end of each");
  }
  if (const auto seconds = from.number("time_total_s", seconds_min, seconds_max))
    draft.limit("run", *seconds);
}

void read_gpus(Source& from, Draft& draft) {
  const Json* given = from.take("num_gpus");
  const auto gpus = number_in(given);
  if (given != nullptr && !(gpus && (*gpus == 0 || (*gpus >= 1 && *gpus <= gpus_max))))
    draft.lose(from.pointer("num_gpus"), dotted(from.pointer("num_gpus")) +
                                             " is a parameter, but not translated as resources: "
                                             "no number from 1 to 4096");
  if (gpus && *gpus >= 1 && *gpus <= gpus_max)
    draft.set("resources", {{"gpus", static_cast<std::int64_t>(*gpus)}},
              "config.num_gpus; num_workers is not counted: write cpus");
}

Status read_experiment(const Json& experiment, const std::string& at, Draft& draft) {
  Source from(experiment, at, draft.lost());
  from.lose("run", "write a command that trains it (RLlib's algorithm needs Ray)");
  read_stop(from.take("stop"), from.pointer("stop"), draft);
  RaySpace space(draft);
  if (const Json* env = from.take("env")) {
    Json one = Json::object();
    one["env"] = *env;
    if (auto read = space.read(one, "", at); !read) return read;
  }
  const Json* given = from.take("config");
  const Json* scaling = from.take("param_space");
  for (const Json* config : {given, scaling})
    if (config != nullptr)
      if (auto read =
              space.read(*config, "", from.pointer(config == given ? "config" : "param_space"));
          !read)
        return read;
  if (given != nullptr) {
    std::vector<Untranslated> ignored;  // these fields are parameters already
    Source config(*given, at + "/config", ignored);
    read_gpus(config, draft);
  }
  draft.objective(from.text("metric", "episode_reward_mean"), from.text("mode", "max") == "max",
                  "RLlib's usual metric: say which your program reports");
  space.search(from.whole("num_samples", 1, drawn_max), "");
  if (const auto failures = from.whole("max_failures", 0, 1e6))
    draft.limit("max_retries", std::min<std::int64_t>(*failures, 100));
  for (const char* key : {"checkpoint_freq", "checkpoint_at_end", "keep_checkpoints_num",
                          "checkpoint_score_attr", "checkpoint_config"})
    from.lose(key, "the program saves checkpoints, hone keeps the best (checkpoints: {keep: all})");
  return Done{};
}

void read_ludwig_executor(Source& from, RaySpace& space, Draft& draft) {
  const Json none = Json::object();
  const Json* given = from.take("executor");
  Source executor(given == nullptr ? none : *given, from.pointer("executor"), draft.lost());
  const Json* algorithm = from.take("search_alg");
  Source fields(algorithm == nullptr ? none : *algorithm, from.pointer("search_alg"), draft.lost());
  const std::string type_of_executor = executor.text("type", "ray");
  const std::string usual = type_of_executor == "ray" ? "" : type_of_executor;
  space.search(executor.whole("num_samples", 1, drawn_max), fields.text("type", usual));
  if (const auto seconds = executor.number("time_budget_s", seconds_min, seconds_max))
    draft.limit("duration", *seconds);
  if (const auto gpus = executor.whole("gpu_resources_per_trial", 0, gpus_max); gpus && *gpus >= 1)
    draft.set("resources", {{"gpus", *gpus}});
  const Json* scheduler = executor.take("scheduler");
  if (scheduler == nullptr) return;
  Source rule(*scheduler, executor.pointer("scheduler"), draft.lost());
  const std::string type = rule.text("type");
  if (type != "async_hyperband" && type != "asynchyperband" && type != "hyperband" &&
      type != "median_stopping_rule")
    return draft.lose(executor.pointer("scheduler"),
                      "the scheduler '" + type + "' has no counterpart");
  Json terminator = Json::object();
  terminator["rule"] = type == "hyperband" ? "hyperband" : type[0] == 'm' ? "median" : "asha";
  if (const auto eta = rule.whole("reduction_factor", 2, 1e6)) terminator["eta"] = *eta;
  draft.set("terminator", terminator, "judges at the ends of phases: give budget.phases");
}

// The section `hyperopt` of a configuration of Ludwig, which runs on Ray Tune.
Status read_ludwig(const Json& document, Draft& draft) {
  Source from(document["hyperopt"], "/hyperopt", draft.lost());
  draft.objective(from.text("metric", "loss"), from.text("goal", "minimize") == "maximize");
  RaySpace space(draft);
  const Json* parameters = from.take("parameters");
  if (parameters == nullptr || !parameters->is_object())
    return refuse(Code::invalid, "hyperopt has parameters: {name: {space: ...}}",
                  "/hyperopt/parameters");
  if (auto read = space.read(*parameters, "", "/hyperopt/parameters"); !read) return read;
  read_ludwig_executor(from, space, draft);
  std::string keys, first;
  for (const auto& [key, value] : document.items()) {
    if (key == "hyperopt") continue;
    if (first.empty()) first = pointer_to("", key);
    keys += (keys.empty() ? "" : ", ") + key;
  }
  if (!keys.empty())
    draft.lose(first, keys + ": not translated; the program's own configuration stays where it is");
  return Done{};
}

bool is_experiment(const Json& json) {
  return json.is_object() &&
         ((json.contains("run") && json["run"].is_string()) || json.contains("param_space") ||
          (json.contains("config") && json.contains("stop")));
}

}  // namespace

Result<ImportedSpec> import_ray(const Json& document, const Sibling&) {
  if (!document.is_object() || document.empty())
    return refuse(Code::invalid, "an experiment or a search space of Ray Tune is an object");
  Draft draft;
  if (document.contains("hyperopt") && document["hyperopt"].is_object()) {
    if (auto read = read_ludwig(document, draft); !read) return read.error();
    return std::move(draft).finish("Ray");
  }
  if (is_experiment(document)) {
    if (auto read = read_experiment(document, "", draft); !read) return read.error();
    return std::move(draft).finish("Ray");
  }
  if (is_experiment(document.front())) {
    const std::string name = document.begin().key();
    draft.set("name", name.substr(0, 100));
    if (auto read = read_experiment(document.front(), pointer_to("", name), draft); !read)
      return read.error();
    for (const auto& [other, experiment] : document.items())
      if (other != name)
        draft.lose(pointer_to("", other), other +
                                              " is not translated: a sweep file holds one "
                                              "experiment; put it into its own file");
    return std::move(draft).finish("Ray");
  }
  RaySpace space(draft);
  if (auto read = space.read(document, "", ""); !read) return read.error();
  draft.objective("loss", false, "a search space names no metric: say which and to what end");
  space.search(std::nullopt, "");
  return std::move(draft).finish("a search space");
}

}  // namespace hone
