#include "sdk/cli/commands/start/import_study.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/spec.hpp"
#include "schemas/values/member.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cpp/import/import.hpp"
#include "server/search/space/search_space.hpp"
#include "server/sweep/rules_now.hpp"

namespace hone::cli {
namespace {

using upkeep::OptunaParam;
using upkeep::OptunaState;
using upkeep::OptunaStudy;
using upkeep::OptunaTrial;

constexpr const char* intermediate_name = "intermediate_value";

bool is_left_out(const OptunaTrial& trial) { return trial.state == OptunaState::waiting; }

// Joins what trials of one parameter were drawn from: the widest range, all categories.
void widen(Json& known, const Json& more) {
  Json& to = known["attributes"];
  const Json& from = more.at("attributes");
  const auto has_range = [](const Json& one) {
    const auto low = one.find("low"), high = one.find("high");
    return low != one.end() && high != one.end() && low->is_number() && high->is_number();
  };
  if (has_range(to) && has_range(from)) {
    if (from["low"] < to["low"]) to["low"] = from["low"];
    if (from["high"] > to["high"]) to["high"] = from["high"];
  }
  const auto has_choices = [](const Json& one) {
    const auto choices = one.find("choices");
    return choices != one.end() && choices->is_array();
  };
  if (!has_choices(to) || !has_choices(from)) return;
  for (const Json& one : from["choices"])
    if (std::find(to["choices"].begin(), to["choices"].end(), one) == to["choices"].end())
      to["choices"].push_back(one);
}

class StudyDocument {
 public:
  StudyDocument(const OptunaStudy& study, std::string origin)
      : study_(study), origin_(std::move(origin)) {}

  Result<Json> make() {
    if (auto read = read_space(); !read) return read.error();
    if (auto spec = write_submission(); !spec) return spec.error();
    for (const OptunaTrial& trial : study_.trials) add_trial(trial);
    if (number_ == 0) return refuse(Code::invalid, "the study has no trials");
    name_what_is_lost();
    return document();
  }

  [[nodiscard]] const std::vector<std::string>& lost() const { return lost_; }
  // "78 of 78 trials lie in the space": those that a search can learn from.
  [[nodiscard]] std::string fitting() const {
    return std::to_string(fitting_) + " of " + counted(number_, "trial") + " lie in the space" +
           (fitting_ == 0 ? ": no search learns from them (the first: " + why_outside_ + ")" : "");
  }

 private:
  struct Moment {
    Instant at;
    std::size_t order;
    Json event;
  };

  Status read_space() {
    Json space = Json::object();
    std::set<std::string> widened;
    for (const OptunaTrial& trial : study_.trials)
      for (const OptunaParam& param : trial.params) {
        const Json& distribution = study_.distributions[param.distribution];
        const auto known = space.find(param.name);
        if (known == space.end()) {
          space[param.name] = distribution;
        } else if (*known != distribution && distribution.is_object() && known->is_object()) {
          const Json before = *known;
          widen(*known, distribution);
          if (*known != before) widened.insert(param.name);
        }
      }
    if (space.empty()) return refuse(Code::invalid, "no trial of the study has parameters");
    for (const std::string& name : widened)
      lost_.push_back(name + ": its range changed between trials; hone's is the widest");
    auto import = find_import_format("optuna")->translate(space, {});
    if (!import) return import.error();
    import_ = *std::move(import);
    for (const auto& [theirs, ours] : import_.names) names_[theirs] = ours;
    return Done{};
  }

  Status write_submission() {
    Json spec = import_.sweep;
    const std::string name = study_.name.substr(0, 100);
    spec["name"] = name.empty() ? "optuna" : name;
    spec.erase("objective");
    Json objectives = Json::array();
    const std::size_t count = std::max<std::size_t>(study_.maximize.size(), 1);
    for (std::size_t i = 0; i < count; ++i)
      objectives.push_back(
          {{"metric", count == 1 ? "value" : "value_" + std::to_string(i)},
           {"goal", !study_.maximize.empty() && study_.maximize[i] ? "maximize" : "minimize"}});
    if (count == 1)
      spec["objective"] = objectives[0];
    else
      spec["objectives"] = objectives;
    const auto trials = std::count_if(study_.trials.begin(), study_.trials.end(),
                                      [](const OptunaTrial& one) { return !is_left_out(one); });
    spec["search"] = {{"method", "tpe"}, {"trials", std::max<std::int64_t>(trials, 1)}};
    spec["terminator"] = {{"rule", "none"}};
    spec["budget"] = {{"unit", "trials"}, {"per_run", 1}, {"phases", 1}};
    const auto decoded = decode_request<SweepSpec>(spec);
    if (!decoded) return decoded.error();
    auto space = SearchSpace::make(decoded->parameters, decoded->constraints);
    if (!space) return space.error();
    space_ = *std::move(space);
    Instant first{};
    for (const OptunaTrial& trial : study_.trials)
      if (trial.started && (first == Instant{} || *trial.started < first)) first = *trial.started;
    last_start_ = first;
    add(first, "sweep_submitted",
        {{"sweep", "sw_1"},
         {"request_id", "optuna"},
         {"spec", encode(*decoded)},
         {"workflow", "wf_1"},
         {"dataset", nullptr},
         {"rules", rules_now}});
    return Done{};
  }

  void add(Instant at, const char* kind, Json body) {
    moments_.push_back({at, moments_.size(), {{"kind", kind}, {"body", std::move(body)}}});
  }

  void add_trial(const OptunaTrial& trial) {
    if (is_left_out(trial)) return;
    ++number_;
    const std::string id = std::to_string(number_);
    Json params = params_of(trial);
    count_fitting(params);
    // Trials are proposed by number, also where clocks of several machines differed.
    last_start_ = std::max(last_start_, trial.started.value_or(last_start_));
    const Instant end = std::max(last_start_, trial.ended.value_or(last_start_));
    add(last_start_, "trial_proposed",
        {{"trial", "tr_" + id},
         {"sweep", "sw_1"},
         {"number", number_ - 1},
         {"params", std::move(params)}});
    add(last_start_, "lease_granted",
        {{"lease", "le_" + id},
         {"attempt", "rn_" + id + ".0#1"},
         {"worker", "wk_1"},
         {"request_id", "optuna/" + id},
         {"resume", nullptr},
         {"expires_at_us", never.us}});
    if (trial.state == OptunaState::complete && !trial.values.empty()) add_report(trial, id, end);
    add(end, "run_ended", run_end(trial, id));
    add_metrics(trial, id, end);
  }

  void add_report(const OptunaTrial& trial, const std::string& id, Instant at) {
    const auto score = [](const std::optional<double>& value) {
      return value ? Json(*value) : Json("diverged");
    };
    Json further = Json::array();
    for (std::size_t i = 1; i < trial.values.size(); ++i) further.push_back(score(trial.values[i]));
    add(at, "run_started", {{"lease", "le_" + id}});
    Json report = {{"lease", "le_" + id},
                   {"run", "rn_" + id + ".0"},
                   {"phase", 0},
                   {"step", 1},
                   {"value", score(trial.values[0])}};
    if (!further.empty()) report["further"] = further;
    add(at, "report_recorded", std::move(report));
    add(at, "verdict_given",
        {{"run", "rn_" + id + ".0"},
         {"phase", 0},
         {"verdict", "stop"},
         {"reason", "last_phase"},
         {"inputs", Json::object()}});
  }

  static Json run_end(const OptunaTrial& trial, const std::string& id) {
    Json end = {{"run", "rn_" + id + ".0"}, {"exit_code", 0}, {"detail", ""}, {"log_tail", ""}};
    const auto set = [&](const char* state, const char* reason) {
      end["state"] = state;
      end["reason"] = reason;
    };
    switch (trial.state) {
      case OptunaState::complete:
        set("completed", "budget_reached");
        break;
      case OptunaState::pruned:
        set("stopped", "evicted");
        break;
      case OptunaState::failed:
        set("failed", "told_failed");
        end["failure"] = "user_error";
        break;
      case OptunaState::running:
      case OptunaState::waiting:
        set("canceled", "user_cancel");
        break;
    }
    return end;
  }

  void add_metrics(const OptunaTrial& trial, const std::string& id, Instant at) {
    Json steps = Json::array(), values = Json::array(), times = Json::array();
    for (const auto& [step, value] : trial.intermediate) {
      if (step < 0) continue;
      steps.push_back(step);
      values.push_back(value);
      times.push_back(at.us);
    }
    if (steps.empty()) return;
    metrics_.push_back({{"run", "rn_" + id + ".0"},
                        {"name", intermediate_name},
                        {"steps", std::move(steps)},
                        {"values", std::move(values)},
                        {"at_us", std::move(times)}});
  }

  // In the order of the space.
  [[nodiscard]] Json params_of(const OptunaTrial& trial) const {
    std::map<std::string, Json> values;
    for (const OptunaParam& param : trial.params) values[names_.at(param.name)] = value_of(param);
    Json params = Json::object();
    for (const auto& [theirs, ours] : import_.names)
      if (const auto found = values.find(ours); found != values.end()) params[ours] = found->second;
    return as_members(std::move(params));
  }

  // Optuna keeps 0.30000000000000004 of a range with steps of 0.1; hone's value is 0.3.
  [[nodiscard]] Json as_members(Json given) const {
    auto params = decode_params(given, "");
    if (!params) return given;
    for (Param& param : *params) {
      const auto known = std::ranges::find(space_.parameters(), param.name, &Parameter::name);
      if (known == space_.parameters().end()) continue;
      if (auto member = member_of(known->domain, param.value)) param.value = *std::move(member);
    }
    return encode(*params);
  }

  void count_fitting(const Json& given) {
    const auto params = decode_params(given, "");
    const std::string why = params ? space_.why_outside(*params) : params.error().detail;
    if (why.empty()) ++fitting_;
    if (why_outside_.empty()) why_outside_ = why;
  }

  [[nodiscard]] Json value_of(const OptunaParam& param) const {
    const Json& distribution = study_.distributions[param.distribution];
    const std::string kind = distribution.value("name", "");
    const Json& attributes = distribution.at("attributes");
    if (const auto choices = attributes.find("choices"); choices != attributes.end()) {
      const bool fits = choices->is_array() && param.value >= 0 &&
                        param.value < static_cast<double>(choices->size());
      return fits ? (*choices)[static_cast<std::size_t>(param.value)] : Json(param.value);
    }
    if (kind.starts_with("Int") && std::abs(param.value) < 9e15)
      return static_cast<std::int64_t>(std::llround(param.value));
    return param.value;
  }

  void name_what_is_lost() {
    const auto count = [&](OptunaState state) {
      return std::count_if(study_.trials.begin(), study_.trials.end(),
                           [&](const OptunaTrial& one) { return one.state == state; });
    };
    const auto lose = [&](std::int64_t number, const std::string& what) {
      if (number > 0) lost_.push_back(std::to_string(number) + " " + what);
    };
    lose(count(OptunaState::waiting),
         "waiting trials are left out: later trials have lower numbers");
    lose(count(OptunaState::running), "running trials are canceled ones here");
    lose(count(OptunaState::pruned),
         "pruned trials have no value; what they reported is the metric " +
             std::string(intermediate_name));
    lose(study_.infinite, "intermediate values are not finite numbers and are left out");
    lose(study_.attributes, "attributes of trials are not translated");
    const auto infinite = [](const OptunaTrial& one) {
      return std::any_of(one.values.begin(), one.values.end(), [](const auto& v) { return !v; });
    };
    lose(std::count_if(study_.trials.begin(), study_.trials.end(), infinite),
         "trials have an infinite value, which is diverged here and ranks last");
    for (const Untranslated& one : import_.lost) lost_.push_back(one.sentence);
    for (const auto& [pointer, remark] : import_.remarks)
      if (pointer.starts_with("/parameters/")) lost_.push_back(pointer.substr(12) + ": " + remark);
  }

  Json document() {
    std::stable_sort(moments_.begin(), moments_.end(),
                     [](const Moment& a, const Moment& b) { return a.at < b.at; });
    Json events = Json::array();
    const Instant end = moments_.back().at;
    for (Moment& moment : moments_) {
      moment.event["at_us"] = moment.at.us;
      events.push_back(std::move(moment.event));
    }
    events.push_back(
        {{"at_us", end.us},
         {"kind", "sweep_ended"},
         {"body", {{"sweep", "sw_1"}, {"state", "completed"}, {"reason", "budget_reached"}}}});
    return {
        {"hone_export", 1},
        {"workflow",
         {{"command", {"optuna", origin_}},
          {"cwd", ""},
          {"host", ""},
          {"user", ""},
          {"git_commit", ""},
          {"git_branch", ""},
          {"patch_sha256", ""},
          {"hone_version", ""}}},
        {"dataset", nullptr},
        {"workers",
         Json::array({Json(
             {{"host", "optuna"}, {"pid", 0}, {"cpus", 0}, {"gpus", 0}, {"hone_version", ""}})})},
        {"events", std::move(events)},
        {"metrics", std::move(metrics_)}};
  }

  const OptunaStudy& study_;
  std::string origin_;
  Import import_;
  SearchSpace space_;
  std::map<std::string, std::string> names_;  // theirs -> hone's
  std::vector<std::string> lost_;
  std::vector<Moment> moments_;
  Json metrics_ = Json::array();
  Instant last_start_{};
  std::int64_t number_ = 0;   // of trials so far
  std::int64_t fitting_ = 0;  // of them, those that lie in the space
  std::string why_outside_;   // of the first that does not
};

Result<OptunaStudy> chosen(std::vector<OptunaStudy> studies, const std::string& name) {
  std::string names;
  for (OptunaStudy& study : studies) {
    if (study.name == name || (name.empty() && studies.size() == 1)) return std::move(study);
    names += (names.empty() ? "" : ", ") + ("'" + study.name + "'");
  }
  if (studies.empty()) return refuse(Code::invalid, "holds no study");
  return refuse(Code::invalid, (name.empty() ? "holds several studies; choose one with --study"
                                             : "has no study '" + name + "'; it has") +
                                   (name.empty() ? ": " : " ") + names);
}

}  // namespace

Result<Exit> import_study(Session& session, const std::string& file, upkeep::OptunaFile kind,
                          const std::string& study) {
  const auto at_file = [&](const Error& error) {
    return refuse(error.code, file + ": " + error.detail);
  };
  auto studies = kind == upkeep::OptunaFile::storage ? upkeep::read_optuna_storage(file)
                                                     : upkeep::read_optuna_journal(file);
  if (!studies) return at_file(studies.error());
  const auto one = chosen(*std::move(studies), study);
  if (!one) return at_file(one.error());
  StudyDocument builder(*one, std::filesystem::path(file).filename().string());
  auto document = builder.make();
  if (!document) return at_file(document.error());
  Json body;
  body["request_id"] = "optuna-" + sha256_hex(to_text(*document)).substr(0, 32);
  body["export"] = *std::move(document);
  const auto reply = session.post("/v1/imports", body);
  if (!reply) return reply.error();
  for (const std::string& sentence : builder.lost()) session.note(sentence);
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text_at(*reply, "/sweep") + "\n");
  session.note(builder.fitting());
  return Exit::ok;
}

}  // namespace hone::cli
