// fetch: downloads a checkpoint, the files of a run or the patch of a workflow, and checks the
// digests.
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "sdk/cli/commands/commands.hpp"
#include "sdk/cli/local/temporary_folder.hpp"
#include "sdk/cli/render/json_view.hpp"
#include "sdk/cli/render/numbers.hpp"
#include "sdk/cli/render/width.hpp"
#include "sdk/cli/session/flags.hpp"
#include "sdk/cli/session/output.hpp"
#include "sdk/cli/session/resolve.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

struct FetchOptions {
  std::string id;
  std::string name;  // of a file of a run or a workflow
  std::string file;
  bool force = false;
};

// Downloads to a file first, so that no part of a broken checkpoint reaches the pipe.
Result<Exit> fetch_to_stdout(Session& session, Client& client, const std::string& sha256) {
  const auto folder = TemporaryFolder::make("hone-fetch");
  if (!folder) return folder.error();
  const auto file = folder->path() / "content";
  if (auto fetched = client.get_blob(sha256, file.string()); !fetched) return fetched.error();
  const auto printed = session.terminal().print_file(file);
  return printed ? Result<Exit>(Exit::ok) : Result<Exit>(printed.error());
}

Result<Exit> fetch_to_file(Session& session, Client& client, const Json& model,
                           const std::string& file, bool force) {
  std::error_code ignored;
  if (!force && std::filesystem::exists(file, ignored))
    return refuse(Code::conflict, file + " exists; add --force to replace it, or -o another name");
  const auto status = client.get_blob(text_at(model, "/sha256"), file);
  if (!status) return status.error();
  session.print(file + "\n");
  session.note(bytes_text(int_at(model, "/bytes")) + ", sha256 checked; saved by " +
               text_at(model, "/run") + " at step " + count_text(int_at(model, "/step")));
  return Exit::ok;
}

// The path of a file of a run: that of -o for one that is named, unless it is a folder; below the
// folder of -o, else below a folder named like the run.
std::string place_of(const FetchOptions& options, const std::string& run, const std::string& name) {
  std::error_code ignored;
  const bool is_folder =
      options.file.ends_with('/') || std::filesystem::is_directory(options.file, ignored);
  if (!options.name.empty() && !options.file.empty() && !is_folder) return options.file;
  return (std::filesystem::path(options.file.empty() ? run : options.file) / name).string();
}

Status fetch_artifact(Session& session, Client& client, const Json& file, const std::string& place,
                      bool force) {
  std::error_code failure;
  if (!force && std::filesystem::exists(place, failure))
    return refuse(Code::conflict,
                  place + " exists; add --force to replace it, or -o another folder");
  std::filesystem::create_directories(std::filesystem::path(place).parent_path(), failure);
  const auto status = client.get_blob(text_at(file, "/sha256"), place);
  if (status) session.print(place + "\n");
  return status;
}

// Downloads all files of a run, or the named one.
Result<Exit> fetch_artifacts(Session& session, const FetchOptions& options,
                             const std::string& run) {
  const auto files = session.list("/v1/runs/" + run + "/artifacts");
  if (!files) return files.error();
  auto client = session.client();
  if (!client) return client.error();
  std::size_t fetched = 0;
  for (const auto& file : *files) {
    const auto name = text_at(file, "/name");
    if (!options.name.empty() && options.name != name) continue;
    if (!is_inner_path(name))
      return refuse(Code::invalid, "the server names a file '" + printable(name) + "' of " + run +
                                       ", which would leave its folder: nothing "
                                       "was written for it");
    ++fetched;
    if (options.file == "-" && !options.name.empty())
      return fetch_to_stdout(session, **client, text_at(file, "/sha256"));
    const auto status =
        fetch_artifact(session, **client, file, place_of(options, run, name), options.force);
    if (!status) return status.error();
  }
  if (fetched > 0) return Exit::ok;
  return refuse(Code::not_found,
                run + (options.name.empty() ? " kept no files" : " kept no file " + options.name) +
                    "; choose the files to keep with command.artifacts: [\"*.png\"]");
}

struct KeptText {
  std::string_view name;
  const char* digest;
};
constexpr std::array kept_texts{KeptText{"uncommitted.patch", "/patch_sha256"},
                                KeptText{"environment.txt", "/environment_sha256"}};

std::string how_to_restore(const Json& workflow, const std::string& patch) {
  const std::string commit = text_at(workflow, "/git_commit");
  if (commit.empty()) return {};
  return "restore the code with: git checkout " + commit.substr(0, 12) +
         (patch.empty() ? "" : " && git apply " + patch);
}

// Downloads the uncommitted changes and the list of Python packages.
Result<Exit> fetch_workflow(Session& session, const FetchOptions& options, const std::string& id) {
  const auto workflow = session.get("/v1/workflows/" + id);
  if (!workflow) return workflow.error();
  auto client = session.client();
  if (!client) return client.error();
  std::string patch;
  std::size_t fetched = 0;
  for (const auto& [name, digest] : kept_texts) {
    const std::string sha256 = text_at(*workflow, digest);
    if (sha256.empty() || (!options.name.empty() && options.name != name)) continue;
    ++fetched;
    if (options.file == "-" && !options.name.empty())
      return fetch_to_stdout(session, **client, sha256);
    const std::string place = place_of(options, id, std::string(name));
    if (name == kept_texts.front().name) patch = place;
    const auto status =
        fetch_artifact(session, **client, Json{{"sha256", sha256}}, place, options.force);
    if (!status) return status.error();
  }
  const std::string restore = how_to_restore(*workflow, patch);
  if (fetched > 0) {
    if (!restore.empty()) session.note(restore);
    return Exit::ok;
  }
  return refuse(Code::not_found,
                id + " kept no " +
                    (options.name.empty() ? "patch and no environment" : options.name) +
                    (restore.empty() ? "" : "; " + restore));
}

// A model is one file; a run and a workflow may keep several.
bool kept_as_one(const ObjectId& id) {
  return !std::holds_alternative<RunId>(id) && !std::holds_alternative<WorkflowId>(id);
}

Result<Exit> fetch(Session& session, const FetchOptions& options) {
  const auto id = parse_object(options.id);
  if (!id) return id.error();
  const bool one_file = kept_as_one(*id) || !options.name.empty();
  if (options.file == "-" && !one_file)
    return refuse(Code::invalid, "-o - writes one file to stdout: name the FILE of " + text(*id));
  if (std::holds_alternative<RunId>(*id)) return fetch_artifacts(session, options, text(*id));
  if (std::holds_alternative<WorkflowId>(*id)) return fetch_workflow(session, options, text(*id));
  const auto model = kept_model(session, *id);
  if (!model) return model.error();
  auto client = session.client();
  if (!client) return client.error();
  if (options.file == "-") return fetch_to_stdout(session, **client, text_at(*model, "/sha256"));
  const std::string file = options.file.empty() ? text(*id) + ".pt" : options.file;
  return fetch_to_file(session, **client, *model, file, options.force);
}

}  // namespace

CommandAction declare_fetch(Flags& flags) {
  return with_options(fetch, [&](FetchOptions& options) {
    flags.argument("ID", options.id, "id of a model (md_9), a run (rn_4.0) or a workflow (wf_2)");
    flags.optional_argument("FILE", options.name,
                            "of a run or workflow: the file to download (all)");
    flags.text("-o,--output FILE", options.file,
               "the file (- for stdout), or the folder for several (MODEL.pt or RUN)");
    flags.flag("--force", options.force, "replace existing files");
  });
}

}  // namespace hone::cli
