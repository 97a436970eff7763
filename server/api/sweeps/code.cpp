// Snapshots of code that a submission or an edit names: their bytes must be here.
#include "schemas/types/spec.hpp"
#include "schemas/types/submit.hpp"
#include "server/api/routes.hpp"

namespace hone::api {
namespace {

Status check_code(const BlobStore& blobs, const CommandTrainer& command, const std::string& at) {
  if (!command.code) return Done{};
  const CodeSnapshot& code = *command.code;
  if (code.sha256.empty())
    return refuse(Code::invalid,
                  "the client that submits takes the snapshot, as hone submit and hone edit do: "
                  "PUT it to /v1/blobs and name its {sha256, bytes}",
                  at + "/code");
  const auto blob = blobs.claim(code.sha256);
  if (!blob || blob->bytes != code.bytes)
    return refuse(Code::invalid,
                  "no blob " + code.sha256 + " of " + std::to_string(code.bytes) +
                      " bytes is here; PUT it to /v1/blobs/" + code.sha256 + " first",
                  at + "/code/sha256");
  return Done{};
}

}  // namespace

Status check_code_submitted(const BlobStore& blobs, const Command& command) {
  const SweepSpec& spec = std::get<Submit>(command).request->spec;
  const auto commands = commands_of(spec);
  const bool steps = std::holds_alternative<PipelineTrainer>(spec.trainer);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::string at = steps ? "/spec/steps/" + std::to_string(i) : "/spec";
    if (auto here = check_code(blobs, *commands[i], at + "/command"); !here) return here;
  }
  return Done{};
}

Status check_code_edited(const BlobStore& blobs, const Command& command) {
  const auto& edited = std::get<Edit>(command).request.command;
  return edited ? check_code(blobs, *edited, "/command") : Status(Done{});
}

}  // namespace hone::api
