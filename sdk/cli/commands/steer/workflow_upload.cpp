#include "sdk/cli/commands/steer/workflow_upload.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sdk/cli/local/workflow.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

// Uploads the text behind a digest of the workflow. A failure does not stop the submission.
void store_text(Session& session, Client& client, const std::string& text) {
  if (text.empty()) return;
  std::string name = (std::filesystem::temp_directory_path() / "hone-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) return session.note("cannot upload the patch: no temporary file");
  std::ofstream(name, std::ios::binary) << text;
  const auto stored = client.put_blob(name);
  close(file);
  std::error_code ignored;
  std::filesystem::remove(name, ignored);
  if (!stored) session.note("cannot upload the patch: " + stored.error().detail);
}

}  // namespace

WorkflowInfo record_and_store(Session& session, Client& client, const SweepSpec& spec) {
  const auto* command = std::get_if<CommandTrainer>(&spec.trainer);
  WorkflowTexts texts;
  auto info =
      record_workflow(command == nullptr ? std::vector<std::string>() : command->argv, &texts);
  store_text(session, client, texts.patch);
  store_text(session, client, texts.environment);
  return info;
}

}  // namespace hone::cli
