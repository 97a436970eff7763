// Sweepers of Hydra: its basic one, Optuna, Ax and Nevergrad.
#include <algorithm>
#include <cmath>

#include "sdk/cpp/import/draft.hpp"
#include "sdk/cpp/import/formats.hpp"
#include "sdk/cpp/import/hydra_parameter.hpp"
#include "sdk/cpp/import/source.hpp"
#include "sdk/cpp/import/term.hpp"

namespace hone {
namespace {

using Sweeper = HydraSweeper;

class Params {
 public:
  Params(Draft& draft, Sweeper sweeper) : draft_(draft), sweeper_(sweeper) {}

  Status read(const Json& params, const std::string& at) {
    if (!params.is_object()) return refuse(Code::invalid, "must be an object of parameters", at);
    for (const auto& [name, entry] : params.items()) {
      const std::string place = pointer_to(at, name);
      if (is_list_of_files(entry)) {
        draft_.lose(place, dotted(place) +
                               " is not translated: glob() names files of the program; "
                               "write {values: [...]}");
        continue;
      }
      auto translated = hydra_parameter(entry, place, sweeper_, draft_.lost());
      if (!translated)
        return refuse(Code::invalid, "no sweep of Hydra that hone can read: " + shown(entry),
                      place);
      const std::string bare = name.substr(std::min(name.find_first_not_of('+'), name.size()));
      if (bare.empty()) return refuse(Code::invalid, "a parameter without a name", place);
      draft_.add(bare, *std::move(translated));
    }
    return Done{};
  }

 private:
  static bool is_list_of_files(const Json& entry) {
    return entry.is_string() && entry.get<std::string>().find("glob(") != std::string::npos;
  }

  static std::string shown(const Json& entry) {
    constexpr std::size_t shown_max = 200;
    const std::string text = text_in(&entry);
    if (text.size() > term_text_max) return "it is longer than 64 KiB";
    return text.size() > shown_max ? "its " + std::to_string(text.size()) + " bytes" : text;
  }

  Draft& draft_;
  Sweeper sweeper_;
};

// "optuna" of {override hydra/sweeper: optuna} in the list of defaults.
std::string default_of(const Json& document, const std::string& group) {
  const Json* defaults = member_of(document, "defaults");
  if (defaults == nullptr || !defaults->is_array()) return {};
  for (const Json& one : *defaults) {
    if (!one.is_object()) continue;
    for (const auto& [key, value] : one.items())
      if (key.ends_with(group) && value.is_string()) return value.get<std::string>();
  }
  return {};
}

Sweeper sweeper_of(const Json& document, const Json& fields) {
  const std::string target = text_in(member_of(fields, "_target_"));
  const std::string name = target.empty() ? default_of(document, "hydra/sweeper") : target;
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("ax_sweeper") || name == "ax" || fields.contains("ax_config")) return Sweeper::ax;
  if (has("nevergrad") || fields.contains("optim")) return Sweeper::nevergrad;
  if (has("optuna") || fields.contains("n_trials")) return Sweeper::optuna;
  return Sweeper::basic;
}

std::string method_of(const std::string& sampler, std::string& remark) {
  std::string name = sampler.substr(sampler.rfind('.') + 1);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  if (const auto suffix = name.find("sampler"); suffix != std::string::npos) name.resize(suffix);
  for (const char* same : {"tpe", "random", "grid", "cmaes"})
    if (name == same) return name;
  if (name == "qmc") return "sobol";
  remark = name.empty() ? "" : "the sampler was " + name;
  return "tpe";
}

void read_directions(const Json* direction, const std::string& metric, Draft& draft) {
  if (direction == nullptr || !direction->is_array() || direction->size() < 2) {
    const Json* one = direction != nullptr && direction->is_array() && !direction->empty()
                          ? &direction->front()
                          : direction;
    return draft.objective(metric.empty() ? "value" : metric, text_in(one) == "maximize",
                           one == nullptr ? "minimized where no direction is named" : "");
  }
  Json objectives = Json::array();
  for (const Json& one : *direction) {
    Json objective = Json::object();
    objective["metric"] = "value_" + std::to_string(objectives.size());
    objective["goal"] = text_in(&one) == "maximize" ? "maximize" : "minimize";
    objectives.push_back(objective);
  }
  draft.set("objectives", objectives, "in the order in which the program returns them");
}

void read_sampler(Source& from, const Json& document, Draft& draft) {
  const Json none = Json::object();
  const Json* given = from.take("sampler");
  Source sampler(given == nullptr ? none : *given, "/hydra/sweeper/sampler", draft.lost());
  std::string name = sampler.text("_target_");
  if (name.empty()) name = default_of(document, "hydra/sweeper/sampler");
  if (const auto seed = sampler.whole("seed", 0, seed_max)) draft.set("seed", *seed);
  std::string remark;
  const std::string method = method_of(name, remark);
  draft.search(method, from.whole("n_trials", 1, 1e6).value_or(20), "Hydra", remark);
}

void read_optuna_sweeper(Source& from, const Json& document, const std::string& metric,
                         Draft& draft) {
  if (const Json* name = from.take("study_name"); name != nullptr && name->is_string())
    draft.set("name", name->get<std::string>());
  read_directions(from.take("direction"), metric, draft);
  read_sampler(from, document, draft);
  if (const auto jobs = from.whole("n_jobs", 1, 1e6)) draft.limit("concurrency", *jobs);
  from.lose("storage", "hone import optuna brings its trials");
  from.lose("custom_search_space", "it is Python: write parameters with when, and constraints");
  if (const auto rate = from.number("max_failure_rate"); rate && *rate > 0)
    draft.lose("/hydra/sweeper/max_failure_rate",
               "hydra.sweeper.max_failure_rate is not translated: it was of a batch; "
               "limits.max_failed is of the sweep");
}

void read_ax_sweeper(Source& from, const std::string& metric, Draft& draft) {
  const Json none = Json::object();
  const Json* given = from.take("ax_config");
  Source config(given == nullptr ? none : *given, "/hydra/sweeper/ax_config", draft.lost());
  const Json* experiment = config.take("experiment");
  Source fields(experiment == nullptr ? none : *experiment, config.pointer("experiment"),
                draft.lost());
  const Json* minimize = fields.take("minimize");
  if (const Json* name = fields.take("name")) draft.set("name", text_in(name));
  draft.objective(fields.text("objective_name", metric.empty() ? "value" : metric),
                  minimize != nullptr && *minimize == false);
  const Json* client = config.take("client");
  Source settings(client == nullptr ? none : *client, config.pointer("client"), draft.lost());
  if (const auto seed = settings.whole("random_seed", 0, seed_max)) draft.set("seed", *seed);
  config.skip("params");
  config.lose("early_stop", "hone ends a sweep by trials and limits");
  config.lose("is_noisy", "hone measures the noise");
  draft.search("tpe", config.whole("max_trials", 1, 1e6).value_or(10), "Ax", "Ax is Bayesian");
}

void read_nevergrad_sweeper(Source& from, const std::string& metric, Draft& draft) {
  const Json none = Json::object();
  const Json* given = from.take("optim");
  Source optim(given == nullptr ? none : *given, "/hydra/sweeper/optim", draft.lost());
  const Json* maximize = optim.take("maximize");
  draft.objective(metric.empty() ? "value" : metric, maximize != nullptr && *maximize == true);
  if (const auto seed = optim.whole("seed", 0, seed_max)) draft.set("seed", *seed);
  if (const auto workers = optim.whole("num_workers", 1, 1e6)) draft.limit("concurrency", *workers);
  draft.search("tpe", optim.whole("budget", 1, 1e6).value_or(80), "Nevergrad",
               "the optimizer was " + optim.text("optimizer", "NGOpt"));
  optim.lose("noisy", "hone measures the noise");
}

// The groups of the program's own configuration, which no sweep file replaces.
void name_the_rest(const Json& document, Draft& draft) {
  std::string keys, first;
  for (const auto& [key, value] : document.items()) {
    if (key == "hydra" || key == "optimized_metric") continue;
    if (first.empty()) first = pointer_to("", key);
    keys += (keys.empty() ? "" : ", ") + key;
  }
  if (!keys.empty())
    draft.lose(first, keys + ": not translated; the program's own configuration stays where it is");
}

Status read_hydra_params(Source& from, const Json& fields, Sweeper sweeper, Draft& draft) {
  bool any = false;
  Params params(draft, sweeper);
  for (const char* key : {"params", "search_space", "parametrization"}) {
    const Json* given = from.take(key);
    if (given == nullptr) continue;
    any = true;
    if (auto read = params.read(*given, from.pointer(key)); !read) return read;
  }
  if (const Json* config = member_of(fields, "ax_config"))
    if (const Json* given = member_of(*config, "params")) {
      any = true;
      if (auto read = params.read(*given, "/hydra/sweeper/ax_config/params"); !read) return read;
    }
  if (!any) return refuse(Code::invalid, "the sweeper has no params", "/hydra/sweeper");
  return Done{};
}

}  // namespace

Result<ImportedSpec> import_hydra(const Json& document, const Sibling&) {
  const Json* hydra = member_of(document, "hydra");
  const Json* fields = hydra == nullptr ? nullptr : member_of(*hydra, "sweeper");
  if (fields == nullptr || !fields->is_object())
    return refuse(Code::invalid,
                  "a configuration of Hydra with a sweeper has hydra: {sweeper: {params: ...}}",
                  "/hydra");
  Draft draft;
  Source outer(*hydra, "/hydra", draft.lost());
  outer.skip("sweeper"), outer.skip("mode");
  Source from(*fields, "/hydra/sweeper", draft.lost());
  from.skip("_target_");
  const Sweeper sweeper = sweeper_of(document, *fields);
  std::string metric = text_in(member_of(document, "optimized_metric"));
  if (metric.find("${") != std::string::npos) metric.clear();
  if (auto read = read_hydra_params(from, *fields, sweeper, draft); !read) return read.error();
  switch (sweeper) {
    case Sweeper::optuna:
      read_optuna_sweeper(from, document, metric, draft);
      break;
    case Sweeper::ax:
      read_ax_sweeper(from, metric, draft);
      break;
    case Sweeper::nevergrad:
      read_nevergrad_sweeper(from, metric, draft);
      break;
    case Sweeper::basic:
      draft.objective(metric.empty() ? "value" : metric, false,
                      "Hydra's basic sweeper has no goal");
      draft.search("grid", std::nullopt, "Hydra");
      break;
  }
  draft.remark("/trainer",
               "a program of Hydra takes parameters as overrides: command: [python3, "
               "app.py, \"x=${x}\"]; or keep its sweeps and search with hone by "
               "hydra/sweeper=hone (docs/sdk.md)");
  outer.done();
  from.done();
  name_the_rest(document, draft);
  return std::move(draft).finish("Hydra");
}

}  // namespace hone
