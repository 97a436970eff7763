// Configurations of Determined AI. Note that the bounds of type log are exponents of its base, and
// that `count` is the number of values that a grid takes from a range.
#include <algorithm>
#include <cmath>

#include "sdk/cpp/import/draft.hpp"
#include "sdk/cpp/import/formats.hpp"
#include "sdk/cpp/import/source.hpp"

namespace hone {
namespace {

std::optional<Translated> hyperparameter(const std::string& type, Source& from) {
  if (type == "const") {
    const Json* value = from.take("val");
    return value == nullptr ? std::nullopt : std::optional(fixed(*value));
  }
  if (type == "categorical") {
    const Json* values = from.take("vals");
    if (values == nullptr || !values->is_array() || values->empty()) return std::nullopt;
    return choice(*values);
  }
  const auto low = from.number("minval"), high = from.number("maxval");
  if (!low || !high) return std::nullopt;
  from.lose("count", "grids of hone take search.points values of each float, all of each int");
  if (type == "int" || type == "double") return interval({*low, *high, false, type == "int", {}});
  if (type != "log") return std::nullopt;
  const double base = from.number("base").value_or(10);
  Translated result =
      interval({tidy(std::pow(base, *low)), tidy(std::pow(base, *high)), true, false, {}});
  result.remark = "the bounds were exponents of " + to_text(Json(base)) + ": " +
                  to_text(Json(*low)) + " and " + to_text(Json(*high));
  return result;
}

Status read_all(const Json& object, const std::string& outer, const std::string& at, Draft& draft) {
  for (const auto& [name, entry] : object.items()) {
    const std::string place = pointer_to(at, name);
    if (!entry.is_object()) {
      draft.add(outer + name, fixed(entry));
      continue;
    }
    if (!entry.contains("type") || !entry["type"].is_string()) {
      if (auto done = read_all(entry, outer + name + ".", place, draft); !done) return done;
      continue;
    }
    Source from(entry, place, draft.lost());
    const std::string type = from.text("type");
    auto translated = hyperparameter(type, from);
    if (!translated)
      return refuse(Code::invalid, "no hyperparameter of type '" + type + "' with these fields",
                    place);
    draft.add(outer + name, *std::move(translated));
  }
  return Done{};
}

// {batches: 937}, or a number in the unit of time_metric.
void read_length(Source& searcher, Draft& draft) {
  const Json* length = searcher.take("max_length");
  const auto time = searcher.number("max_time");
  std::string unit = searcher.text("time_metric", "batches");
  std::optional<double> amount = time ? time : number_in(length);
  if (length != nullptr && length->is_object() && !length->empty()) {
    unit = length->begin().key();
    amount = number_in(&length->begin().value());
  }
  constexpr double amount_max = 1e15;
  if (length == nullptr && !time) return;
  if (!amount || !(*amount >= 1 && *amount <= amount_max))
    return draft.lose(searcher.pointer(time ? "max_time" : "max_length"),
                      "the length of the searcher is not translated: it is no number from 1 to "
                      "1000000000000000; write budget");
  Json budget = Json::object();
  budget["unit"] = unit;
  budget["per_run"] = static_cast<std::int64_t>(*amount);
  draft.set("budget", budget, "give phases: a run reports at the end of each");
}

void read_searcher(Source& from, Draft& draft) {
  const Json none = Json::object();
  const Json* given = from.take("searcher");
  Source searcher(given == nullptr ? none : *given, "/searcher", draft.lost());
  const Json* smaller = searcher.take("smaller_is_better");
  const bool minimize = smaller == nullptr || !smaller->is_boolean() || smaller->get<bool>();
  draft.objective(searcher.text("metric", "loss"), !minimize,
                  smaller == nullptr ? "Determined minimizes where nothing is said" : "");
  const std::string name = searcher.text("name", "random");
  auto trials = searcher.whole("max_trials", 1, 1e6);
  if (name == "single") trials = 1;
  const bool adaptive = name == "adaptive_asha" || name == "asha";
  draft.search(name == "grid" ? "grid" : "random", trials, "Determined",
               adaptive || name == "random" || name == "grid" || name == "single"
                   ? ""
                   : "Determined's searcher was " + name);
  read_length(searcher, draft);
  if (!adaptive) return;
  Json terminator = {{"rule", name == "asha" ? "asha" : "hyperband"}};
  if (const auto divisor = searcher.whole("divisor", 2, 1e6)) terminator["eta"] = *divisor;
  draft.set("terminator", terminator, "rungs follow from budget.phases: set them");
  for (const char* key : {"mode", "max_rungs", "num_rungs", "stop_once"})
    searcher.lose(key, "rungs follow from budget.phases");
}

void read_determined_command(Source& from, Draft& draft) {
  const Json* entry = from.take("entrypoint");
  if (entry == nullptr) return;
  Json argv = *entry;
  if (entry->is_string()) argv = {"sh", "-c", *entry};
  draft.set("command", argv,
            "hyperparameters are \"params\" of the JSON file that HONE_RUN_FILE names; reports go "
            "through hone's SDK or as lines @hone {\"report\": {\"step\": 1, \"value\": 0.5}}");
}

}  // namespace

Result<ImportedSpec> import_determined(const Json& document, const Sibling&) {
  if (!document.is_object() || !document.contains("hyperparameters") ||
      !document["hyperparameters"].is_object())
    return refuse(Code::invalid, "a configuration of Determined has hyperparameters",
                  "/hyperparameters");
  Draft draft;
  Source from(document, "", draft.lost());
  if (const Json* name = from.take("name")) draft.set("name", text_in(name));
  if (const Json* project = from.take("project")) draft.set("project", text_in(project));
  if (auto read = read_all(*from.take("hyperparameters"), "", "/hyperparameters", draft); !read)
    return read.error();
  read_determined_command(from, draft);
  read_searcher(from, draft);
  if (const Json* resources = from.take("resources")) {
    Source fields(*resources, "/resources", draft.lost());
    if (const auto slots = fields.whole("slots_per_trial", 0, 4096); slots && *slots > 0)
      draft.set("resources", {{"gpus", *slots}}, "a slot was a GPU");
  }
  if (const auto restarts = from.whole("max_restarts", 0, 1e6))
    draft.limit("max_retries", std::min<std::int64_t>(*restarts, 100));
  if (const Json* reproducible = from.take("reproducibility")) {
    Source fields(*reproducible, "/reproducibility", draft.lost());
    if (const auto seed = fields.whole("experiment_seed", 0, seed_max)) draft.set("seed", *seed);
  }
  for (const char* key : {"description", "workspace", "labels"})
    from.lose(key, "hone mark note and hone mark tag keep it with the sweep");
  from.done();
  return std::move(draft).finish("Determined");
}

}  // namespace hone
