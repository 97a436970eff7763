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
    else if (std::floor(*number) == *number && text_in(&one).find('.') == std::string::npos)
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

Status read_parameters(Source& spec, Draft& draft) {
  const Json* list = spec.take("parameters");
  if (list == nullptr || !list->is_array())
    return refuse(Code::invalid, "must be a list", "/spec/parameters");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string at = "/spec/parameters/" + std::to_string(i);
    Source entry((*list)[i], "spec.parameters." + std::to_string(i), draft.lost());
    const std::string name = entry.text("name"), type = entry.text("parameterType");
    const Json* feasible = entry.take("feasibleSpace");
    if (name.empty() || feasible == nullptr)
      return refuse(Code::invalid, "must have a name and a feasibleSpace", at);
    Source space(*feasible, "spec.parameters." + name, draft.lost());
    auto translated = parameter(type, space);
    if (!translated) return refuse(Code::invalid, "no feasible space of type '" + type + "'", at);
    draft.add(name, *std::move(translated));
  }
  return Done{};
}

// The first list of containers anywhere in a template, whatever its kind.
const Json* containers_in(const Json& json) {
  if (!json.is_structured()) return nullptr;
  if (json.is_object() && json.contains("containers")) return &json["containers"];
  for (const auto& [key, value] : json.items())
    if (const Json* found = containers_in(value)) return found;
  return nullptr;
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// GPUs are a sweep's resource; memory and the rest are named.
void read_resources(const Json& container, Draft& draft) {
  const Json* resources = member_of(container, "resources");
  const Json* limits = resources == nullptr ? nullptr : member_of(*resources, "limits");
  if (limits == nullptr || !limits->is_object()) return;
  for (const auto& [name, value] : limits->items()) {
    const auto amount = number_in(&value);
    if (name.ends_with("/gpu") && amount && *amount >= 1 && *amount <= 4096)
      draft.set("resources", {{"gpus", static_cast<std::int64_t>(*amount)}},
                "the container's limit of " + name);
    else
      draft.lose("spec.trialTemplate: the limit " + name + " is not translated; hone's resources " +
                 "are cpus and gpus");
  }
}

void read_template(Source& spec, Draft& draft) {
  const Json* trial = spec.take("trialTemplate");
  if (trial == nullptr) return;
  Source from(*trial, "spec.trialTemplate", draft.lost());
  const std::string primary = from.text("primaryContainerName");
  const Json* parameters = from.take("trialParameters");
  const Json* spec_of_trial = from.take("trialSpec");
  const Json* containers = spec_of_trial == nullptr ? nullptr : containers_in(*spec_of_trial);
  const Json kept = containers == nullptr || !containers->is_array() ? Json::array() : *containers;
  from.skip("retain"), from.skip("primaryPodLabels");
  from.skip("successCondition"), from.skip("failureCondition");
  if (kept.empty())
    return draft.lose("spec.trialTemplate has no containers to read a command from");
  const auto named = std::find_if(kept.begin(), kept.end(), [&](const Json& one) {
    return text_in(member_of(one, "name")) == primary;
  });
  const Json& container = named == kept.end() ? kept.front() : *named;
  read_resources(container, draft);
  Json argv = Json::array();
  for (const char* key : {"command", "args"}) {
    const Json* words = member_of(container, key);
    if (words == nullptr || !words->is_array()) continue;
    for (const Json& word : *words) {
      std::string text = text_in(&word);
      for (const Json& one : parameters == nullptr ? Json::array() : *parameters)
        replace(text, "${trialParameters." + text_in(member_of(one, "name")) + "}",
                "${" + draft.name_of(text_in(member_of(one, "reference"))) + "}");
      argv.push_back(text);
    }
  }
  if (argv.empty()) return draft.lose("spec.trialTemplate names no command");
  draft.set("command", argv,
            "ran in the image " + text_in(member_of(container, "image"), "(none)") +
                ": the workers need its programs; the program must print its metric for hone: "
                "@hone {\"report\": {\"step\": 1, \"value\": 0.5}} on its own line");
}

void read_algorithm(Source& spec, Draft& draft) {
  const Json none = Json::object();
  const Json* given = spec.take("algorithm");
  Source from(given == nullptr ? none : *given, "spec.algorithm", draft.lost());
  const std::string name = from.text("algorithmName", "random");
  std::string method = "tpe", remark;
  for (const char* same : {"random", "grid", "sobol", "cmaes", "tpe"})
    if (name == same) method = name;
  if (method != name && name != "multivariate-tpe") remark = "Katib's algorithm was " + name;
  if (name == "hyperband") method = "random";
  from.lose("algorithmSettings", "the settings of hone's methods are others");
  draft.search(method, spec.number("maxTrialCount"), "Katib", remark);
  if (name == "hyperband")
    draft.set("terminator", {{"rule", "hyperband"}}, "needs budget.phases to judge at");
}

void read_stopping(Source& spec, Draft& draft) {
  const Json* stopping = spec.take("earlyStopping");
  if (stopping == nullptr) return;
  Source from(*stopping, "spec.earlyStopping", draft.lost());
  if (from.text("algorithmName") != "medianstop")
    return draft.lose("spec.earlyStopping: only medianstop is known");
  Json terminator = {{"rule", "median"}};
  if (const Json* settings = from.take("algorithmSettings"); settings && settings->is_array())
    for (const Json& one : *settings) {
      const std::string name = text_in(member_of(one, "name"));
      const auto value = number_in(member_of(one, "value"));
      if (name == "min_trials_required" && value)
        terminator["min_runs"] = static_cast<std::int64_t>(*value);
      else
        draft.lose("spec.earlyStopping." + name + ": say terminator.grace in phases");
    }
  draft.set("terminator", terminator, "judges at the ends of phases: give budget.phases");
}

void read_objective(Source& spec, Draft& draft) {
  const Json none = Json::object();
  const Json* given = spec.take("objective");
  Source from(given == nullptr ? none : *given, "spec.objective", draft.lost());
  draft.objective(from.text("objectiveMetricName", "loss"), from.text("type") == "maximize");
  from.lose("goal", "hone ends a sweep by trials and limits");
  from.skip("additionalMetricNames"), from.skip("metricStrategies");
}

}  // namespace

Result<Import> import_katib(const Json& document, const Sibling&) {
  const Json* whole = member_of(document, "spec");
  if (text_in(member_of(document, "kind")) != "Experiment" || whole == nullptr)
    return refuse(Code::invalid, "a Katib file has kind: Experiment and a spec", "/kind");
  Draft draft;
  Source from(document, "", draft.lost());
  from.skip("apiVersion"), from.skip("kind"), from.skip("status");
  from.skip("spec");
  if (const Json* metadata = from.take("metadata"))
    if (const Json* name = member_of(*metadata, "name")) draft.set("name", text_in(name));
  Source spec(*whole, "spec", draft.lost());
  read_objective(spec, draft);
  if (auto read = read_parameters(spec, draft); !read) return read.error();
  read_template(spec, draft);
  read_algorithm(spec, draft);
  read_stopping(spec, draft);
  spec.lose("parallelTrialCount", "the workers' slots say how many runs at once");
  spec.lose("maxFailedTrialCount", "failed trials count as trials");
  spec.lose("nasConfig", "hone does not search architectures");
  spec.lose("metricsCollectorSpec", "the program reports its metric itself");
  spec.skip("resumePolicy");
  spec.done();
  from.done();
  return std::move(draft).finish("Katib");
}

}  // namespace hone
