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
      const std::string place = at + "/" + name;
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

void read_tuner(Source& from, Draft& draft) {
  const Json none = Json::object();
  const Json* given = from.take("tuner");
  Source tuner(given == nullptr ? none : *given, "tuner", draft.lost());
  std::string name = tuner.text("name");
  if (name.empty()) name = tuner.text("builtinTunerName");  // version 1
  tuner.skip("builtinTunerName");
  bool maximize = true;
  if (const Json* args = tuner.take("classArgs")) {
    Source fields(*args, "tuner.classArgs", draft.lost());
    maximize = fields.text("optimize_mode", "maximize") == "maximize";
  }
  draft.objective("default", maximize, "NNI's only metric is called default");
  std::string remark;
  const std::string method = nni_method(name, remark);
  auto trials = from.number("maxTrialNumber");
  const auto old = from.number("maxTrialNum");
  draft.search(method, trials ? trials : old, "NNI", remark);
}

void read_assessor(Source& from, Draft& draft) {
  const Json* given = from.take("assessor");
  if (given == nullptr) return;
  Source assessor(*given, "assessor", draft.lost());
  std::string name = assessor.text("name");
  if (name.empty()) name = assessor.text("builtinAssessorName");
  assessor.skip("builtinAssessorName");
  assessor.lose("classArgs", "terminators of hone count phases");
  if (name == "Medianstop")
    draft.set("terminator", {{"rule", "median"}},
              "judges at the ends of phases: give budget.phases");
  else
    draft.lose("assessor: " + name + " has no counterpart; see hone plan for the rules there are");
}

void read_trial(Source& from, Draft& draft) {
  std::string command = from.text("trialCommand");
  if (const Json* trial = from.take("trial")) {  // version 1
    Source fields(*trial, "trial", draft.lost());
    command = fields.text("command", command);
    fields.skip("codeDir");
    if (const auto gpus = fields.number("gpuNum"); gpus && *gpus > 0)
      draft.set("resources", {{"gpus", static_cast<std::int64_t>(*gpus)}});
  }
  if (!command.empty())
    draft.set("command", {"sh", "-c", command},
              "nni.get_next_parameter() becomes \"params\" of the JSON file that HONE_RUN_FILE "
              "names; nni.report_final_result(x) becomes a report (hone's SDK, or a line @hone "
              "{\"report\": {\"step\": 1, \"value\": 0.5}})");
  if (const auto gpus = from.number("trialGpuNumber"); gpus && *gpus > 0)
    draft.set("resources", {{"gpus", static_cast<std::int64_t>(*gpus)}});
  std::string duration = from.text("maxExperimentDuration");
  if (duration.empty()) duration = from.text("maxExecDuration");
  from.skip("maxExecDuration");
  if (!duration.empty()) draft.set("limits", {{"duration", duration}});
}

bool is_space(const Json& document) {
  return std::any_of(document.begin(), document.end(),
                     [](const Json& one) { return one.is_object() && one.contains("_type"); });
}

}  // namespace

Result<Import> import_nni(const Json& document, const Sibling& sibling) {
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
  if (const Json* name = from.take("experimentName")) draft.set("name", text_in(name));
  Json space = document.value("searchSpace", Json());
  from.skip("searchSpace");
  std::string file = from.text("searchSpaceFile");
  if (file.empty()) file = from.text("searchSpacePath");
  from.skip("searchSpacePath");
  if (!file.empty()) {
    auto read = sibling(file);
    if (!read) return read.error();
    space = *std::move(read);
  }
  if (!space.is_object())
    return refuse(Code::invalid, "has no searchSpace and no searchSpaceFile", "/searchSpace");
  if (auto read = Spaces(draft).read(space, "", "", "/searchSpace"); !read) return read.error();
  read_trial(from, draft);
  read_tuner(from, draft);
  read_assessor(from, draft);
  from.lose("trialConcurrency", "the workers' slots say how many runs at once");
  from.lose("trainingService", "start hone-worker on the machines");
  for (const char* key : {"authorName", "experimentWorkingDirectory", "trialCodeDirectory",
                          "useAnnotation", "trainingServicePlatform", "debug", "logLevel"})
    from.skip(key);
  from.done();
  return std::move(draft).finish("NNI");
}

}  // namespace hone
