#include "worker/process/code_recorder.hpp"

#include <fcntl.h>

#include "base/files.hpp"
#include "base/sha256.hpp"
#include "worker/process/work_place.hpp"

namespace hone::worker {
namespace {

// The commit and the changes of the folder from which the snapshot was taken.
void record_snapshot(const UnpackedCode& code, WorkflowInfo& info, WorkflowTexts& texts) {
  info.git_commit = code.git_commit;
  info.git_branch = code.git_branch;
  if (code.patch_file.empty()) return;
  texts.patch = read_to_end(FileHandle(::open(code.patch_file.c_str(), O_RDONLY | O_CLOEXEC)));
  info.patch_sha256 = sha256_hex(texts.patch);
}

// Compares only what both name: at the end the folder, or git, may be gone.
bool has_changed(const WorkflowInfo& before, const WorkflowInfo& now) {
  const bool commits = !before.git_commit.empty() && !now.git_commit.empty();
  const bool environments = !before.environment_sha256.empty() && !now.environment_sha256.empty();
  return (commits &&
          (before.git_commit != now.git_commit || before.patch_sha256 != now.patch_sha256)) ||
         (environments && before.environment_sha256 != now.environment_sha256);
}

}  // namespace

std::pair<WorkflowInfo, WorkflowTexts> CodeRecorder::find(const RecordCode& call) {
  WorkflowInfo info;
  WorkflowTexts texts;
  info.hone_version = HONE_VERSION;
  info.hone_commit = build_commit();
  if (const auto* builtin = std::get_if<BuiltinTrainer>(&call.trainer)) {
    info.command = {"hone-train", builtin->name};
    texts.environment = environments_.list({call.program_folder + "/hone-train"}, {});
  } else if (const auto* command = std::get_if<CommandTrainer>(&call.trainer)) {
    info.command = command->argv;
    info.cwd = call.folder;
    if (call.code)
      record_snapshot(*call.code, info, texts);
    else
      record_git(call.folder, info, texts);
    texts.environment =
        environments_.list(words_at({call.folder, call.python}, command->argv), call.folder);
  }
  if (!texts.environment.empty()) info.environment_sha256 = sha256_hex(texts.environment);
  return {std::move(info), std::move(texts)};
}

Result<WorkflowInfo> CodeRecorder::record(Client& client, const RecordCode& call) {
  const auto [info, texts] = find(call);
  if (call.before && !has_changed(*call.before, info)) return info;
  for (const std::string* text : {&texts.patch, &texts.environment}) {
    if (text->empty()) continue;
    if (auto stored = client.put_text(*text); !stored) return stored.error();
  }
  if (auto recorded = client.record_code(call.lease, {info}); !recorded) return recorded.error();
  return info;
}

}  // namespace hone::worker
