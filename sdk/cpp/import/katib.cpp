// Experiments of Kubeflow Katib. Numbers are strings, and the program is in a Kubernetes template.
#include <algorithm>
#include <cmath>

#include "sdk/cpp/import/draft.hpp"
#include "sdk/cpp/import/formats.hpp"
#include "sdk/cpp/import/source.hpp"

namespace hone {
namespace {

// "0.01" as 0.01; other strings unchanged.
Json numbers_of(const Json& list) {
  Json result = Json::array();
  for (const Json& one : list) {
    const auto number = number_in(&one);
    if (!number)
      result.push_back(one);
    else if (std::floor(*number) == *number && std::abs(*number) < 9e15 &&
             text_in(&one).find('.') == std::string::npos)
      result.push_back(static_cast<std::int64_t>(*number));
    else
      result.push_back(*number);
  }
  return result;
}

std::optional<Translated> numeric(const std::string& type, Source& space) {
  const auto low = space.number("min"), high = space.number("max"), step = space.number("step");
  if (!low || !high) return std::nullopt;
  const std::string distribution = space.text("distribution", "uniform");
  const bool log = distribution.starts_with("log");
  Translated result = interval({*low, *high, log, type == "int", step});
  if (!distribution.ends_with("ormal") || !result.domain.contains("min")) return result;
  const double center = log ? std::sqrt(*low * *high) : (*low + *high) / 2;
  result.domain["prior"] = tidy(center);
  result.remark = "Katib's normal distribution, as a prior around the middle of the range";
  return result;
}

std::optional<Translated> parameter(const std::string& type, Source& space) {
  if (type == "double" || type == "int") return numeric(type, space);
  const Json* list = space.take("list");
  if (list == nullptr || !list->is_array() || list->empty()) return std::nullopt;
  if (type == "categorical") return choice(*list);
  if (type != "discrete") return std::nullopt;
  const Json numbers = numbers_of(*list);
  Translated result = choice(numbers);
  if (numbers != *list)
    result.remark = "the numbers were texts" + (result.remark.empty() ? "" : "; " + result.remark);
  return result;
}

Status read_parameters(Source& spec, const Json* whole, Draft& draft) {
  if (member_of(*whole, "nasConfig") != nullptr)
    return refuse(Code::invalid, "hone does not search architectures (nasConfig)",
                  "/spec/nasConfig");
  const Json* list = spec.take("parameters");
  if (list == nullptr || !list->is_array())
    return refuse(Code::invalid, "must be a list", "/spec/parameters");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string at = "/spec/parameters/" + std::to_string(i);
    Source entry((*list)[i], at, draft.lost());
    const std::string name = entry.text("name"), type = entry.text("parameterType");
    const Json* feasible = entry.take("feasibleSpace");
    if (name.empty() || feasible == nullptr)
      return refuse(Code::invalid, "must have a name and a feasibleSpace", at);
    Source space(*feasible, at + "/feasibleSpace", draft.lost());
    auto translated = parameter(type, space);
    if (!translated) return refuse(Code::invalid, "no feasible space of type '" + type + "'", at);
    draft.add(name, *std::move(translated));
  }
  return Done{};
}

// A container, and its pointer in the document.
struct Container {
  const Json* json = nullptr;
  std::string at;
};

constexpr int template_depth_max = 64;

// The container of this name, else the first object with a command anywhere in a template, whatever
// its kind.
Container container_in(const Json& json, const std::string& primary, const std::string& at,
                       int depth = 0) {
  Container first;
  if (!json.is_structured() || depth > template_depth_max) return first;
  if (json.is_object() && member_of(json, "command") != nullptr &&
      member_of(json, "command")->is_array()) {
    if (primary.empty() || text_in(member_of(json, "name")) == primary) return {&json, at};
    first = {&json, at};
  }
  std::size_t index = 0;
  for (const auto& [key, value] : json.items()) {
    const std::string name = json.is_array() ? std::to_string(index++) : key;
    Container found = container_in(value, primary, pointer_to(at, name), depth + 1);
    if (found.json == nullptr) continue;
    if (text_in(member_of(*found.json, "name")) == primary) return found;
    if (first.json == nullptr) first = std::move(found);
  }
  return first;
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// GPUs are a sweep's resource; cores, memory and the rest are named.
void read_resources(Source& container, Draft& draft) {
  const Json* given = container.take("resources");
  if (given == nullptr) return;
  Source resources(*given, container.pointer("resources"), draft.lost());
  const Json* limits = resources.take("limits");
  if (limits == nullptr || !limits->is_object()) return;
  for (const auto& [name, value] : limits->items()) {
    const auto amount = number_in(&value);
    if (name.ends_with("/gpu") && amount && *amount >= 1 && *amount <= 4096)
      draft.set("resources", {{"gpus", static_cast<std::int64_t>(*amount)}},
                "the container's limit of " + name);
    else
      draft.lose(pointer_to(resources.pointer("limits"), name),
                 "the container's limit " + name + " is not translated; hone's resources are " +
                     "cpus and gpus");
  }
}

// The words of `command` and `args`, with hone's names of the parameters.
Json read_argv(Source& container, const Json* parameters, Draft& draft) {
  Json argv = Json::array();
  for (const char* key : {"command", "args"}) {
    const Json* words = container.take(key);
    if (words == nullptr || !words->is_array()) continue;
    for (const Json& word : *words) {
      std::string text = text_in(&word);
      for (const Json& one : parameters == nullptr ? Json::array() : *parameters) {
        const std::string reference = text_in(member_of(one, "reference"));
        if (!reference.starts_with("${"))
          replace(text, "${trialParameters." + text_in(member_of(one, "name")) + "}",
                  "${" + draft.name_of(reference) + "}");
      }
      for (const char* left : {"${trialParameters.", "{{"})
        if (text.find(left) != std::string::npos)
          draft.lose(container.pointer(key), "'" + text +
                                                 "' is not translated: hone knows no such "
                                                 "value; ${hone.run} is the run's id");
      replace(text, "${trialParameters.", "$${trialParameters.");
      argv.push_back(text);
    }
  }
  return argv;
}

void read_template(Source& spec, Draft& draft) {
  const Json* trial = spec.take("trialTemplate");
  if (trial == nullptr) return;
  Source from(*trial, "/spec/trialTemplate", draft.lost());
  const std::string primary = from.text("primaryContainerName");
  const Json* parameters = from.take("trialParameters");
  const Json* spec_of_trial = from.take("trialSpec");
  for (const char* key : {"successCondition", "failureCondition", "primaryPodLabels"})
    from.lose(key, "exit status 0 is success");
  from.lose("retain", "a worker keeps the folder of every run");
  if (spec_of_trial == nullptr) return;
  const Container container = container_in(*spec_of_trial, primary, from.pointer("trialSpec"));
  if (container.json == nullptr)
    return draft.lose(from.pointer("trialSpec"),
                      "spec.trialTemplate names no command: write it as command");
  draft.lose(from.pointer("trialSpec"),
             "of the " + text_in(member_of(*spec_of_trial, "kind"), "template") +
                 " only the command of one container is translated: hone starts one process for "
                 "each run");
  Source fields(*container.json, container.at, draft.lost());
  fields.skip("name");
  fields.lose("imagePullPolicy", "the workers need the image's programs");
  read_resources(fields, draft);
  const Json argv = read_argv(fields, parameters, draft);
  draft.set("command", argv,
            "ran in the image " + fields.text("image", "(none)") +
                ": the workers need its programs; the program must print its metric for hone: "
                "@hone {\"report\": {\"step\": 1, \"value\": 0.5}} on its own line");
}

void read_algorithm(Source& spec, Draft& draft) {
  const Json none = Json::object();
  const Json* given = spec.take("algorithm");
  Source from(given == nullptr ? none : *given, "/spec/algorithm", draft.lost());
  const std::string name = from.text("algorithmName", "random");
  std::string method = "tpe", remark;
  for (const char* same : {"random", "grid", "sobol", "cmaes", "tpe"})
    if (name == same) method = name;
  if (method != name && name != "multivariate-tpe") remark = "Katib's algorithm was " + name;
  if (name == "hyperband") method = "random";
  from.lose("algorithmSettings", "the settings of hone's methods are others");
  draft.search(method, spec.whole("maxTrialCount", 1, 1e6), "Katib", remark);
  if (name == "hyperband")
    draft.set("terminator", {{"rule", "hyperband"}}, "needs budget.phases to judge at");
}

void read_stopping(Source& spec, Draft& draft) {
  const Json* stopping = spec.take("earlyStopping");
  if (stopping == nullptr) return;
  Source from(*stopping, "/spec/earlyStopping", draft.lost());
  if (from.text("algorithmName") != "medianstop")
    return draft.lose("/spec/earlyStopping", "spec.earlyStopping: only medianstop is known");
  Json terminator = {{"rule", "median"}};
  if (const Json* settings = from.take("algorithmSettings"); settings && settings->is_array())
    for (const Json& one : *settings) {
      const std::string name = text_in(member_of(one, "name"));
      const auto value = number_in(member_of(one, "value"));
      if (name == "min_trials_required" && value && *value >= 1 && *value <= 1e6)
        terminator["min_runs"] = static_cast<std::int64_t>(*value);
      else if (name == "min_trials_required")
        draft.lose("/spec/earlyStopping/algorithmSettings",
                   "spec.earlyStopping.min_trials_required is not translated: no number from 1 to "
                   "1000000");
      else
        draft.lose("/spec/earlyStopping/algorithmSettings",
                   "spec.earlyStopping." + name + ": say terminator.grace in phases");
    }
  draft.set("terminator", terminator, "judges at the ends of phases: give budget.phases");
}

void read_objective(Source& spec, Draft& draft) {
  const Json none = Json::object();
  const Json* given = spec.take("objective");
  Source from(given == nullptr ? none : *given, "/spec/objective", draft.lost());
  draft.objective(from.text("objectiveMetricName", "loss"), from.text("type") == "maximize");
  from.lose("goal", "hone ends a sweep by trials and limits");
  from.lose("additionalMetricNames", "the program logs them as metrics");
  from.lose("metricStrategies", "a run's value is its last report (docs/leaderboard.md)");
}

}  // namespace

Result<ImportedSpec> import_katib(const Json& document, const Sibling&) {
  const Json* whole = member_of(document, "spec");
  if (text_in(member_of(document, "kind")) != "Experiment" || whole == nullptr)
    return refuse(Code::invalid, "a Katib file has kind: Experiment and a spec", "/kind");
  Draft draft;
  Source from(document, "", draft.lost());
  from.skip("apiVersion"), from.skip("kind");
  from.lose("status", "hone import does not bring trials of Katib");
  from.skip("spec");
  if (const Json* metadata = from.take("metadata"))
    if (const Json* name = member_of(*metadata, "name")) draft.set("name", text_in(name));
  Source spec(*whole, "/spec", draft.lost());
  read_objective(spec, draft);
  if (auto read = read_parameters(spec, whole, draft); !read) return read.error();
  read_template(spec, draft);
  read_algorithm(spec, draft);
  read_stopping(spec, draft);
  if (const auto parallel = spec.whole("parallelTrialCount", 1, 1e6))
    draft.limit("concurrency", *parallel);
  if (const auto failed = spec.whole("maxFailedTrialCount", 1, 1e6))
    draft.limit("max_failed", *failed);
  spec.lose("metricsCollectorSpec", "the program reports its metric itself");
  spec.lose("resumePolicy", "every sweep can be continued: hone edit SWEEP --trials N");
  spec.done();
  from.done();
  return std::move(draft).finish("Katib");
}

}  // namespace hone
