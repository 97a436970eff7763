#include "worker/process/code_recorder.hpp"

#include "base/sha256.hpp"

namespace hone::worker {

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
    record_git(call.folder, info, texts);
    texts.environment = environments_.list(command->argv, call.folder);
  }
  if (!texts.environment.empty()) info.environment_sha256 = sha256_hex(texts.environment);
  return {std::move(info), std::move(texts)};
}

Status CodeRecorder::record(Client& client, const RecordCode& call) {
  const auto [info, texts] = find(call);
  for (const std::string* text : {&texts.patch, &texts.environment}) {
    if (text->empty()) continue;
    if (auto stored = client.put_text(*text); !stored) return stored;
  }
  return client.record_code(call.lease, {info});
}

}  // namespace hone::worker
