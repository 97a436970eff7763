// reproduce: runs a recorded run again, with its own code, and compares reports and checkpoints.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/sha256.hpp"
#include "schemas/codec/body.hpp"
#include "schemas/types/attempt_origin.hpp"
#include "schemas/types/spec.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/commands/look/show_texts.hpp"
#include "sdk/cli/commands/results/reproduce_compare.hpp"
#include "sdk/cli/local/consent.hpp"
#include "sdk/cli/local/conversation.hpp"
#include "sdk/cli/local/dataset.hpp"
#include "sdk/cli/local/programs.hpp"
#include "sdk/cli/local/temporary_folder.hpp"
#include "sdk/cli/local/worktree.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/input.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/client.hpp"
#include "sdk/cpp/code_record.hpp"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

struct ReproduceOptions {
  std::string run;
  std::string repository = ".";
  bool yes = false;  // no question
  bool sandbox = false;
};

// The code of an attempt, as a worker or the submitter sent it.
struct AttemptCode {
  Json workflow;
  std::string patch;  // the downloaded file; empty: there are no uncommitted changes
};

class Reproduction {
 public:
  Reproduction(Session& session, const ReproduceOptions& options, const Recorded& recorded,
               TemporaryFolder folder)
      : session_(session),
        options_(options),
        recorded_(recorded),
        folder_(std::move(folder)),
        segments_(segments_of(recorded)) {}

  Status run() {
    compare_data();
    for (const Segment& segment : segments_)
      if (auto known = read_code(segment.attempt); !known) return known;
    const auto what = description();
    if (!what) return what.error();
    if (auto agreed = agree_to_run(session_, *what, options_.yes, options_.sandbox); !agreed)
      return agreed;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      auto folder = restore_code(codes_[i], i);
      if (!folder) return folder.error();
      if (auto repeated = repeat(segments_[i], *folder, i); !repeated) return repeated;
      if (again_.reports.size() < segments_[i].end) return Done{};  // it ended early: a difference
    }
    return Done{};
  }

  [[nodiscard]] Json outcome() const {
    Json json;
    json["run"] = text(recorded_.run);
    json["reports"] = again_.reports.size();
    json["models"] = 0;
    const Json difference = first_difference(recorded_, again_, json["models"]);
    json["same"] = difference.is_null();
    json["difference"] = difference;
    json["code"] = code_;
    json["notes"] = notes_;
    return json;
  }

 private:
  // A dataset that was a file or a folder of this machine is compared with its digest.
  void compare_data() {
    const std::string id = text_at(recorded_.sweep, "/dataset");
    if (id.empty()) return;
    const auto dataset = session_.get("/v1/datasets/" + id);
    const std::string location = dataset ? text_at(*dataset, "/location") : std::string();
    if (location.empty()) return;
    const std::string path = location.substr(location.find(':') + 1);
    std::error_code absent;
    if (!fs::exists(path, absent)) return note("the data " + location + " is not here");
    const auto now = dataset_of(path);
    if (!now || now->digest != text_at(*dataset, "/digest"))
      note("the data " + path + " is not what the run was submitted with");
  }

  [[nodiscard]] bool is_builtin() const {
    return std::holds_alternative<BuiltinTrainer>(recorded_.spec.trainer);
  }

  // Downloads what the attempt executed.
  Status read_code(const Json& attempt) {
    std::string id = text_at(attempt, "/workflow");
    if (id.empty()) {
      id = text_at(recorded_.sweep, "/workflow");
      note("the worker of " + text_at(attempt, "/id") +
           " recorded no code: taking that of the submission");
    }
    if (const std::string later = text_at(attempt, "/workflow_at_end"); !later.empty())
      note("the code changed while " + text_at(attempt, "/id") + " ran, to " + later +
           ": taking that of its start");
    auto workflow = session_.get("/v1/workflows/" + id);
    if (!workflow) return workflow.error();
    code_.push_back(id);
    compare_builds(*workflow);
    AttemptCode code{*std::move(workflow), {}};
    const bool has_commit = !text_at(code.workflow, "/git_commit").empty();
    if (!is_builtin() && has_commit) {
      auto patch = download_changes(code.workflow);
      if (!patch) return patch.error();
      code.patch = *std::move(patch);
    }
    codes_.push_back(std::move(code));
    return Done{};
  }

  // What would run here, and who sent it.
  Result<std::string> description() {
    std::string text = text_at(recorded_.runs, "/id") + " runs on this machine:\n  command  " +
                       printable(trainer_text(member(recorded_.sweep, "/spec")));
    if (is_builtin()) return text;
    const auto submitted = session_.get("/v1/workflows/" + text_at(recorded_.sweep, "/workflow"));
    if (!submitted) return submitted.error();
    for (std::size_t i = 0; i < codes_.size(); ++i)
      text += "\n  " + printable(text_at(segments_[i].attempt, "/id")) +
              description_of(codes_[i], text_at(segments_[i].attempt, "/worker"), *submitted);
    return text;
  }

  // Lines for one attempt. Each begins with a blank, so that it is not wrapped into another.
  std::string description_of(const AttemptCode& code, const std::string& worker,
                             const Json& submitted) const {
    const auto at = [&](const char* pointer) { return printable(text_at(code.workflow, pointer)); };
    const std::string commit = at("/git_commit"), id = at("/id");
    std::string text =
        "\n    commit       " + (commit.empty()
                                     ? "none: the files in " + options_.repository + " as they are"
                                     : commit.substr(0, 12) + " of " + options_.repository);
    const bool by_submitter = id == text_at(submitted, "/id");
    if (!code.patch.empty()) {
      const auto patch = read_file(code.patch);
      text += "\n    patch        " + (patch ? patch_text(*patch) : std::string()) + ", sent by " +
              (by_submitter ? "the submitter" : "the worker " + printable(worker)) +
              "; read it: hone fetch " + id + " uncommitted.patch -o -";
    }
    text += "\n    environment  this machine's; recorded by " +
            (at("/user").empty() ? "the worker " + printable(worker)
                                 : at("/user") + " on " + at("/host"));
    if (const std::string packages = at("/environment_sha256"); !packages.empty())
      text +=
          ", packages " + packages.substr(0, 12) + ": hone fetch " + id + " environment.txt -o -";
    std::string differs;
    for (const auto& [pointer, name] :
         {std::pair{"/git_commit", "commit"}, std::pair{"/patch_sha256", "patch"}})
      if (text_at(code.workflow, pointer) != text_at(submitted, pointer))
        differs += (differs.empty() ? "" : " and ") + std::string(name);
    if (!differs.empty())
      text += "\n    WARNING      its " + differs + " differ from those of the submission, " +
              printable(text_at(submitted, "/id")) + ": the worker " + printable(worker) +
              " sent code that the submitter did not";
    return text;
  }

  // Returns the folder to run in: a worktree of the attempt's commit with its uncommitted changes;
  // of a trainer of hone, any.
  Result<std::string> restore_code(const AttemptCode& code, std::size_t number) {
    if (is_builtin()) return folder_.path().string();
    const std::string commit = text_at(code.workflow, "/git_commit");
    if (commit.empty()) {
      note(text_at(code.workflow, "/id") + " names no commit: running what is in " +
           options_.repository + " now");
      return fs::absolute(options_.repository).string();
    }
    auto worktree = Worktree::add(fs::absolute(options_.repository).string(), commit,
                                  (folder_.path() / ("code-" + std::to_string(number))).string());
    if (!worktree) return worktree.error();
    if (!code.patch.empty())
      if (auto patched = worktree->apply(code.patch); !patched) return patched.error();
    worktrees_.push_back(*std::move(worktree));
    return worktrees_.back().folder();
  }

  // The file with the uncommitted changes; "" where there are none.
  Result<std::string> download_changes(const Json& workflow) {
    const std::string sha256 = text_at(workflow, "/patch_sha256");
    if (sha256.empty()) return std::string();
    if (!is_sha256_hex(sha256))
      return refuse(Code::internal, "the server names changes by something that is no digest");
    auto client = session_.client();
    if (!client) return client.error();
    const std::string patch = (folder_.path() / sha256).string();
    if (const auto fetched = (*client)->get_blob(sha256, patch); !fetched)
      return refuse(Code::not_found, "the uncommitted changes " + sha256.substr(0, 12) + " of " +
                                         text_at(workflow, "/id") +
                                         " are missing on the server: " + fetched.error().detail);
    return patch;
  }

  void compare_builds(const Json& workflow) {
    const std::string theirs =
        text_at(workflow, "/hone_version") + " " + text_at(workflow, "/hone_commit");
    const std::string ours = std::string(HONE_VERSION " ") + std::string(build_commit());
    if (theirs != ours) note("the run executed hone " + theirs + ", this is hone " + ours);
  }

  Params params() const {
    const auto decoded = decode_params(member(recorded_.trial, "/params"), "");
    Params params = decoded ? *decoded : Params{};
    if (recorded_.spec.replicates.instances) {
      const InstancesSpec& instances = *recorded_.spec.replicates.instances;
      const auto i = static_cast<std::size_t>(recorded_.run.replicate) % instances.values.size();
      params.push_back({instances.parameter, instances.values[i]});
    }
    return params;
  }

  ReportedSteps reported_before(const Segment& segment) const {
    ReportedSteps reported;
    for (std::size_t phase = 0; phase < segment.first; ++phase)
      reported.steps.push_back(int_at(recorded_.reports[phase], "/step"));
    return reported;
  }

  LeaseGrant grant_of(const Segment& segment, const std::optional<ModelRef>& resume) const {
    const auto attempt = parse_id<AttemptId>(text_at(segment.attempt, "/id"));
    return {.lease = LeaseId{1},
            .attempt = attempt.value_or(AttemptId{recorded_.run, 1}),
            .sweep = parse_id<SweepId>(text_at(recorded_.sweep, "/id")).value_or(SweepId{1}),
            .sweep_name = recorded_.spec.name,
            .objective = recorded_.spec.objective,
            .trainer = recorded_.spec.trainer,
            .params = params(),
            .seed = static_cast<std::uint64_t>(int_at(recorded_.runs, "/seed")),
            .budget = recorded_.spec.budget,
            .resources = most_resources(recorded_.spec),
            .next_phase = static_cast<int>(segment.first),
            .resume = resume,
            .expires_at = never,
            .further_objectives = recorded_.spec.further_objectives,
            .origin = attempt_origin(recorded_.spec.budget, reported_before(segment), resume)};
  }

  // The checkpoint that the attempt continued from, as this reproduction saved it.
  Result<std::optional<Json>> resumed(const Segment& segment) const {
    const std::string id = text_at(segment.attempt, "/resume");
    if (id.empty()) return std::optional<Json>();
    for (const Json& model : recorded_.models) {
      if (text_at(model, "/id") != id) continue;
      for (const Json& saved : again_.checkpoints)
        if (int_at(saved, "/step") == int_at(model, "/step")) return std::optional<Json>(saved);
    }
    return refuse(Code::conflict, text_at(segment.attempt, "/id") + " continued from " + id +
                                      ", which the reproduction did not save");
  }

  Status repeat(const Segment& segment, const std::string& folder, std::size_t number) {
    const auto resume = resumed(segment);
    if (!resume) return resume.error();
    std::optional<ModelRef> model;
    if (*resume)
      model = ModelRef{ModelId{1}, text_at(**resume, "/sha256"), int_at(**resume, "/bytes"),
                       int_at(**resume, "/step"), static_cast<int>(int_at(**resume, "/phase"))};
    Json plan = encode(std::optional(grant_of(segment, model)));
    plan["resume_path"] = "";
    if (*resume) plan["resume_path"] = copy_of(text_at(**resume, "/path"), number);
    plan["verdicts"] = Json::array();
    for (std::size_t phase = segment.first; phase < segment.end; ++phase)
      plan["verdicts"].push_back({{"verdict", text_at(recorded_.reports[phase], "/verdict")},
                                  {"reason", text_at(recorded_.reports[phase], "/reason")}});
    const fs::path file = folder_.path() / ("run-" + std::to_string(number) + ".json");
    std::ofstream(file, std::ios::binary) << to_text(plan) << "\n";
    return execute(file.string(), folder);
  }

  // The run owns the file that it continues from, and moves it.
  std::string copy_of(const std::string& checkpoint, std::size_t number) const {
    const fs::path copy = folder_.path() / ("resume-" + std::to_string(number));
    std::error_code ignored;
    fs::copy_file(checkpoint, copy, ignored);
    return copy.string();
  }

  Status execute(const std::string& file, const std::string& folder) {
    const auto worker = find_program("hone-worker");
    if (!worker) return worker.error();
    auto started = Conversation::start({*worker, "--rerun", file, "--data",
                                        (folder_.path() / "data").string(), "--workdir", folder},
                                       options_.sandbox);
    if (!started) return started.error();
    for (;;) {
      const auto line = (*started)->hear(seconds(1));
      if (!line) return line.error();
      if (!*line) continue;
      const auto json = parse_json(**line);
      if (!json || !json->is_object()) continue;
      if (json->contains("report")) again_.reports.push_back(json->at("report"));
      if (json->contains("checkpoint")) again_.checkpoints.push_back(json->at("checkpoint"));
      if (!json->contains("exit")) continue;
      again_.exit = json->at("exit");
      return Done{};
    }
  }

  void note(const std::string& words) { notes_.push_back(words); }

  Session& session_;
  const ReproduceOptions& options_;
  const Recorded& recorded_;
  TemporaryFolder folder_;
  std::vector<Segment> segments_;
  std::vector<AttemptCode> codes_;   // of each segment
  std::vector<Worktree> worktrees_;  // removed before the folder that they are in
  Again again_;
  Json code_ = Json::array();
  Json notes_ = Json::array();
};

std::string outcome_text(const Json& outcome) {
  const Json& difference = member(outcome, "/difference");
  std::string text = text_at(outcome, "/run") + ": ";
  if (difference.is_null())
    text += std::to_string(int_at(outcome, "/reports")) + " reports and " +
            std::to_string(int_at(outcome, "/models")) + " models are equal, bit by bit\n";
  else
    text += "differs, first in the " + text_at(difference, "/what") + "\n  recorded " +
            to_text(member(difference, "/recorded")) + "\n  again    " +
            to_text(member(difference, "/again")) + "\n";
  for (const Json& note : member(outcome, "/notes")) text += "note: " + value_text(note) + "\n";
  return text;
}

Result<Exit> reproduce(Session& session, const ReproduceOptions& options) {
  const auto run = resolve_run(session, options.run);
  if (!run) return run.error();
  const auto recorded = read_recorded(session, *run);
  if (!recorded) return recorded.error();
  auto folder = TemporaryFolder::make("hone-reproduce");
  if (!folder) return folder.error();
  Reproduction reproduction(session, options, *recorded, *std::move(folder));
  if (auto done = reproduction.run(); !done) return done.error();
  const Json outcome = reproduction.outcome();
  const auto printed = print_object(session, outcome, outcome_text(outcome));
  if (!printed) return printed;
  return member(outcome, "/same") == Json(true) ? Exit::ok : Exit::general;
}

}  // namespace

CommandAction declare_reproduce(Flags& flags) {
  return with_options(reproduce, [&](ReproduceOptions& options) {
    flags.argument("RUN", options.run, "id of the run (rn_42.0), or of a trial with one run");
    flags.text("--repository DIR", options.repository,
               "a folder in a clone of the repository of the run's program (.)");
    flags.flag("--yes", options.yes, "run the code that is shown, without a question");
    flags.flag("--sandbox", options.sandbox, std::string(sandbox_help));
  });
}

}  // namespace hone::cli
