#include "sdk/cli/commands/steer/workflow_upload.hpp"

#include "sdk/cli/local/workflow.hpp"
#include "sdk/cpp/client.hpp"

namespace hone::cli {
namespace {

// Uploads the text behind a digest of the workflow. A failure does not stop the submission.
void store_text(Session& session, Client& client, const std::string& text) {
  if (text.empty()) return;
  const auto stored = client.put_text(text);
  if (!stored) session.note("cannot upload the patch: " + stored.error().detail);
}

}  // namespace

WorkflowInfo record_and_store(Session& session, Client& client, const TrainerSpec& trainer) {
  const auto* command = std::get_if<CommandTrainer>(&trainer);
  WorkflowTexts texts;
  auto info =
      record_workflow(command == nullptr ? std::vector<std::string>() : command->argv, &texts);
  store_text(session, client, texts.patch);
  store_text(session, client, texts.environment);
  return info;
}

}  // namespace hone::cli
