#include "sdk/cli/commands/start/import_study.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/methods.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/start/study_curves.hpp"
#include "sdk/cli/commands/start/study_space.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "server/sweep/state/rules_now.hpp"

namespace hone::cli {
namespace {

using upkeep::OptunaState;
using upkeep::OptunaStudy;
using upkeep::OptunaTrial;

constexpr const char* intermediate_name = "intermediate_value";

bool is_left_out(const OptunaTrial& trial) { return trial.state == OptunaState::waiting; }

class StudyDocument {
 public:
  StudyDocument(const OptunaStudy& study, std::string origin)
      : study_(study), origin_(std::move(origin)), curves_(curves_of(study)) {}

  Result<Json> make() {
    auto space = StudySpace::make(study_);
    if (!space) return space.error();
    space_ = *std::move(space);
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

  Status write_submission() {
    Json spec = space_->sweep();
    spec["parameters"] = space_->parameters();
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
    spec["terminator"] = {{"rule", rule_none}};
    spec["budget"] = {{"unit", curves_.has_curves ? "steps" : "trials"},
                      {"per_run", curves_.phases * curves_.distance},
                      {"phases", curves_.phases}};
    const auto decoded = decode_request<SweepSpec>(spec);
    if (!decoded) return decoded.error();
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
    Json params = space_->params_of(trial);
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
    const auto values = curves_.of(trial);
    if (!values.empty()) add(end, "run_started", {{"lease", "le_" + id}});
    for (std::size_t phase = 0; phase < values.size(); ++phase)
      add_report(trial, id, end, static_cast<int>(phase), values[phase]);
    add(end, "run_ended", run_end(trial, id, !values.empty()));
    add_metrics(trial, id, end);
  }

  void add_report(const OptunaTrial& trial, const std::string& id, Instant at, int phase,
                  const std::optional<double>& value) {
    const auto score = [](const std::optional<double>& one) {
      return one ? Json(*one) : Json("diverged");
    };
    const std::string run = "rn_" + id + ".0";
    Json report = {{"lease", "le_" + id},
                   {"run", run},
                   {"phase", phase},
                   {"step", (phase + 1) * curves_.distance},
                   {"value", score(value)}};
    Json further = Json::array();
    for (std::size_t i = 1; i < trial.values.size(); ++i) further.push_back(score(trial.values[i]));
    if (!further.empty()) report["further"] = further;
    add(at, "report_recorded", std::move(report));
    const bool last = phase + 1 == curves_.phases;
    add(at, "verdict_given",
        {{"run", run},
         {"phase", phase},
         {"verdict", last ? "stop" : "continue"},
         {"reason", last ? "last_phase" : "no_rule"},
         {"inputs", Json::object()}});
  }

  // A trial that was pruned before it reported anything teaches nothing.
  static Json run_end(const OptunaTrial& trial, const std::string& id, bool has_reported) {
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
        set("stopped", has_reported ? "evicted" : "user_stop");
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

  void count_fitting(const Json& given) {
    const std::string why = space_->why_outside(given);
    if (why.empty()) ++fitting_;
    if (why_outside_.empty()) why_outside_ = why;
  }

  [[nodiscard]] std::int64_t count(OptunaState state) const {
    return std::ranges::count(study_.trials, state, &OptunaTrial::state);
  }

  void name_what_is_lost() {
    const auto lose = [&](std::int64_t number, const std::string& what) {
      if (number > 0) lost_.push_back(std::to_string(number) + " " + what);
    };
    lose(count(OptunaState::waiting),
         "waiting trials are left out: later trials have lower numbers");
    lose(count(OptunaState::running), "running trials are canceled ones here");
    if (count(OptunaState::waiting) + count(OptunaState::running) > 0)
      lost_.emplace_back("the study had not ended: its sweep is a canceled one");
    if (!curves_.has_curves)
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
    lost_.insert(lost_.end(), space_->remarks().begin(), space_->remarks().end());
  }

  Json document() {
    std::stable_sort(moments_.begin(), moments_.end(),
                     [](const Moment& a, const Moment& b) { return a.at < b.at; });
    Json events = Json::array();
    const Instant end = moments_.back().at;
    const bool open = count(OptunaState::running) + count(OptunaState::waiting) > 0;
    for (Moment& moment : moments_) {
      moment.event["at_us"] = moment.at.us;
      events.push_back(std::move(moment.event));
    }
    events.push_back({{"at_us", end.us},
                      {"kind", "sweep_ended"},
                      {"body",
                       {{"sweep", "sw_1"},
                        {"state", open ? "canceled" : "completed"},
                        {"reason", open ? "user_cancel" : "budget_reached"}}}});
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
  StudyCurves curves_;
  std::optional<StudySpace> space_;
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
  const auto reply = send_import(session, body);
  if (!reply) return reply.error();
  for (const std::string& sentence : builder.lost()) session.note(sentence);
  if (session.options().format != Format::table) return print_object(session, *reply, "");
  session.print(text_at(*reply, "/sweep") + "\n");
  session.note(builder.fitting());
  return Exit::ok;
}

}  // namespace hone::cli
