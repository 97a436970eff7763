// Configurations of Microsoft NNI, and search spaces: {"lr": {"_type": "loguniform", "_value":
// [1e-5, 0.1]}}. Note that randint excludes its upper bound, and that choices nest whole spaces
// under a `_name`.
#include <algorithm>
#include <cmath>

#include "sdk/cpp/import/draft.hpp"
#include "sdk/cpp/import/formats.hpp"
#include "sdk/cpp/import/source.hpp"

namespace hone {
namespace {

std::optional<Translated> numeric(const std::string& type, const Json& value) {
  std::vector<double> x;
  for (const Json& one : value) {
    const auto number = number_in(&one);
    if (!number) return std::nullopt;
    x.push_back(*number);
  }
  if (type == "randint" && (x.size() == 1 || x.size() == 2)) {
    if (x.size() == 1) x.insert(x.begin(), 0);
    Translated result = interval({x[0], x[1] - 1, false, true, {}});
    result.remark = "NNI left out the upper bound, " + to_text(value.back());
    return result;
  }
  const bool quantized = type.starts_with("q");
  if (x.size() != (quantized ? 3U : 2U)) return std::nullopt;
  const bool log = type.find("log") != std::string::npos;
  if (type.ends_with("uniform"))
    return quantized ? multiples(x[0], x[1], x[2], log, true)
                     : interval({x[0], x[1], log, false, {}});
  if (type.ends_with("normal"))
    return bell(x[0], x[1], log, quantized ? std::optional(x[2]) : std::nullopt);
  return std::nullopt;
}

bool nests(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::all_of(value.begin(), value.end(),
                     [](const Json& one) { return one.is_object() && one.contains("_name"); });
}

class Spaces {
 public:
  explicit Spaces(Draft& draft) : draft_(draft) {}

  // The parameters of one level, active while `when` holds.
  Status read(const Json& space, const std::string& outer, const std::string& when,
              const std::string& at) {
    for (const auto& [name, entry] : space.items()) {
      if (name == "_name") continue;
      const std::string place = pointer_to(at, name);
      if (!entry.is_object() || !entry.contains("_type") || !entry.contains("_value"))
        return refuse(Code::invalid, "must be {\"_type\": ..., \"_value\": [...]}", place);
      const std::string type = text_in(&entry["_type"]);
      const Json& value = entry["_value"];
      if (type == "choice" && nests(value)) {
        if (auto done = read_nested(outer + name, value, when, place); !done) return done;
        continue;
      }
      auto translated = type == "choice" && value.is_array() && !value.empty()
                            ? std::optional(choice(value))
                            : numeric(type, value);
      if (!translated)
        return refuse(Code::invalid, "hone knows no '" + type + "' with such values", place);
      draft_.add(outer + name, *std::move(translated), when);
    }
    return Done{};
  }

 private:
  Status read_nested(const std::string& name, const Json& branches, const std::string& when,
                     const std::string& at) {
    Json names = Json::array();
    for (const Json& branch : branches) names.push_back(branch["_name"]);
    Translated translated = choice(names);
    translated.remark = "was a choice of nested spaces: their parameters follow, with when";
    std::string readable = name;  // by conditions, in which - is a minus
    std::replace(readable.begin(), readable.end(), '-', '_');
    if (readable != name) translated.remark += "; was called '" + name + "'";
    const std::string ours = draft_.add(readable, translated, when);
    for (std::size_t i = 0; i < branches.size(); ++i) {
      const std::string branch = text_in(&names[i]);
      const std::string condition = ours + " == " + to_text(names[i]);
      auto done = read(branches[i], name + "." + branch + ".",
                       when.empty() ? condition : when + " and " + condition,
                       at + "/_value/" + std::to_string(i));
      if (!done) return done;
    }
    return Done{};
  }
  Draft& draft_;
};

std::string nni_method(std::string tuner, std::string& remark) {
  std::string lower = tuner;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (lower == "random" || lower == "tpe") return lower;
  if (lower == "gridsearch") return "grid";
  remark = tuner.empty() ? "NNI named no tuner" : "NNI's tuner was " + tuner;
  return "tpe";
}

// The name of a built-in algorithm in versions 2 and 1, or of a class of the user's.
std::string algorithm_name(Source& from, const char* old_key) {
  std::string name = from.text("name");
  const std::string old = from.text(old_key), own = from.text("className");
  if (name.empty()) name = old.empty() ? own : old;
  return name;
}

void read_brackets(Source& settings, Draft& draft) {
  Json terminator = Json::object();
  terminator["rule"] = "hyperband";
  if (const auto eta = settings.whole("eta", 2, 1e6)) terminator["eta"] = *eta;
  draft.set("terminator", terminator, "brackets follow from budget.phases: set it");
}

// An advisor is a tuner that also stops trials; it takes the tuner's place.
void read_tuner(Source& from, Draft& draft) {
  const Json none = Json::object();
  const Json* tuner = from.take("tuner");
  const Json* advisor = from.take("advisor");
  const Json* given = advisor == nullptr ? tuner : advisor;
  Source fields(given == nullptr ? none : *given, advisor == nullptr ? "/tuner" : "/advisor",
                draft.lost());
  fields.with_snake_case();
  const std::string name =
      algorithm_name(fields, advisor == nullptr ? "builtinTunerName" : "builtinAdvisorName");
  bool maximize = true;
  if (const Json* args = fields.take("classArgs")) {
    Source settings(*args, fields.pointer("classArgs"), draft.lost());
    maximize = settings.text("optimize_mode", "maximize") == "maximize";
    if (name == "Hyperband" || name == "BOHB") read_brackets(settings, draft);
  }
  draft.objective("default", maximize, "NNI's only metric is called default");
  std::string remark;
  const std::string method = name == "Hyperband" ? "random" : nni_method(name, remark);
  const auto trials = from.whole("maxTrialNumber", 1, 1e6);
  const auto old = from.whole("maxTrialNum", 1, 1e6);
  draft.search(method, trials ? trials : old, "NNI", remark);
}

void read_assessor(Source& from, Draft& draft) {
  const Json* given = from.take("assessor");
  if (given == nullptr) return;
  Source assessor(*given, "/assessor", draft.lost());
  assessor.with_snake_case();
  const std::string name = algorithm_name(assessor, "builtinAssessorName");
  assessor.lose("classArgs", "terminators of hone count phases");
  if (name == "Medianstop")
    draft.set("terminator", {{"rule", "median"}},
              "judges at the ends of phases: give budget.phases");
  else
    draft.lose(
        "/assessor",
        "assessor: " + name + " has no counterpart; docs/termination.md lists the rules there are");
}

void read_trial(Source& from, Draft& draft) {
  std::string command = from.text("trialCommand");
  if (const Json* trial = from.take("trial")) {  // version 1
    Source fields(*trial, "/trial", draft.lost());
    command = fields.text("command", command);
    fields.lose("codeDir", "start hone worker (or hone up) in that folder");
    if (const auto gpus = fields.whole("gpuNum", 0, 4096); gpus && *gpus >= 1)
      draft.set("resources", {{"gpus", *gpus}});
  }
  for (auto at = command.find("${"); at != std::string::npos; at = command.find("${", at + 3))
    command.insert(at, "$");  // the shell's variables, not hone's parameters
  if (!command.empty())
    draft.set("command", {"sh", "-c", command},
              "nni.get_next_parameter() becomes \"params\" of the JSON file that HONE_RUN_FILE "
              "names; nni.report_final_result(x) becomes a report (hone's SDK, or a line @hone "
              "{\"report\": {\"step\": 1, \"value\": 0.5}})");
  if (const auto gpus = from.whole("trialGpuNumber", 0, 4096); gpus && *gpus >= 1)
    draft.set("resources", {{"gpus", *gpus}});
  const std::string old = from.text("maxExecDuration");
  const std::string duration = from.text("maxExperimentDuration", old);
  if (!duration.empty()) draft.limit("duration", duration);
  if (const std::string run = from.text("maxTrialDuration"); !run.empty()) draft.limit("run", run);
  if (const auto parallel = from.whole("trialConcurrency", 1, 1e6))
    draft.limit("concurrency", *parallel);
}

bool is_space(const Json& document) {
  return std::any_of(document.begin(), document.end(),
                     [](const Json& one) { return one.is_object() && one.contains("_type"); });
}

}  // namespace

Result<ImportedSpec> import_nni(const Json& document, const Sibling& sibling) {
  if (!document.is_object()) return refuse(Code::invalid, "an NNI configuration is an object");
  Draft draft;
  if (is_space(document)) {
    if (auto read = Spaces(draft).read(document, "", "", ""); !read) return read.error();
    const Json none = Json::object();
    Source from(none, "", draft.lost());
    read_tuner(from, draft);
    return std::move(draft).finish("a search space");
  }
  Source from(document, "", draft.lost());
  from.with_snake_case();
  if (const Json* name = from.take("experimentName")) draft.set("name", text_in(name));
  const Json* given = from.take("searchSpace");
  Json space = given == nullptr ? Json() : *given;
  std::string at = document.contains("search_space") ? "/search_space" : "/searchSpace";
  const std::string old = from.text("searchSpacePath");  // version 1
  const std::string file = from.text("searchSpaceFile", old);
  if (!file.empty()) {
    at = file + "#";
    auto read = sibling(file);
    if (!read) return read.error();
    space = *std::move(read);
  }
  if (!space.is_object())
    return refuse(Code::invalid, "has no searchSpace and no searchSpaceFile", "/searchSpace");
  if (auto read = Spaces(draft).read(space, "", "", at); !read) return read.error();
  read_trial(from, draft);
  read_tuner(from, draft);
  read_assessor(from, draft);
  for (const char* key :
       {"trainingService", "trainingServicePlatform", "machineList", "remoteConfig", "localConfig",
        "kubeflowConfig", "frameworkcontrollerConfig", "paiConfig", "amlConfig", "dltsConfig",
        "adlConfig", "nniManagerIp"})
    from.lose(key, "start hone worker on the machines, or a fleet (docs/fleets.md)");
  from.lose("trialCodeDirectory", "start hone worker (or hone up) in that folder");
  for (const char* key : {"authorName", "experimentWorkingDirectory", "debug", "logLevel", "logDir",
                          "nniManagerPort"})
    from.lose(key, "it concerns NNI alone");
  if (const Json* annotated = from.take("useAnnotation");
      annotated != nullptr && *annotated != false)
    draft.lose("/useAnnotation",
               "useAnnotation is not translated: write the parameters that the "
               "program's comments name");
  from.done();
  return std::move(draft).finish("NNI");
}

}  // namespace hone
